import { expect, onTestFinished, test, vi } from 'vitest'
import { localDate } from '../../src/sql/dialect/sqlite/sqlite-functions.ts'

test('of the zones that clients name, in any case, few are kept', () => {
  const made = vi.spyOn(Intl, 'DateTimeFormat')
  onTestFinished(() => made.mockRestore())
  const inCase = (bits: number) =>
    [...'europe/vienna'].map((letter, index) => (bits & (1 << index) ? letter.toUpperCase() : letter)).join('')
  const dates = Array.from({ length: 40 }, (_, bits) => localDate(1_785_538_800, inCase(bits)))
  expect(new Set(dates)).toEqual(new Set(['2026-08-01']))
  expect(made).toHaveBeenCalledTimes(40)
  for (const bits of [39, 30, 39]) localDate(1_785_538_800, inCase(bits))
  expect(made).toHaveBeenCalledTimes(40)
  localDate(1_785_538_800, inCase(0))
  expect(made).toHaveBeenCalledTimes(41)
})
