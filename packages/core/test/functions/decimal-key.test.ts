import fc from 'fast-check'
import { expect, test } from 'vitest'
import { seed } from '../../../../test/support/seed.ts'
import { decimalKey } from '../../src/sql/dialect/sqlite/decimals.ts'

/** A decimal as an integer, with as many places as any decimal of these tests has. */
const PLACES = 60

function scaled(text: string): bigint {
  const sign = text.startsWith('-') ? -1n : 1n
  const [whole = '', fraction = ''] = text.replace('-', '').split('.')
  return sign * BigInt(whole + fraction.padEnd(PLACES, '0'))
}

/** Digits with many zeros among them, so that runs of zeros begin and end numbers. */
const digit = fc.constantFrom(...'0000123456789')
const decimal = fc
  .tuple(
    fc.constantFrom('', '-'),
    fc.string({ unit: digit, minLength: 1, maxLength: 30 }),
    fc.string({ unit: digit, maxLength: PLACES }),
  )
  .map(([sign, whole, fraction]) => sign + whole + (fraction === '' ? '' : `.${fraction}`))

function compare(a: string | bigint | null, b: string | bigint | null): number {
  if (a === null || b === null) throw new TypeError('null has no order')
  return a < b ? -1 : a > b ? 1 : 0
}

test('The keys of two decimals compare as the numbers do', () => {
  fc.assert(
    fc.property(decimal, decimal, (a, b) => {
      expect(compare(decimalKey(a), decimalKey(b))).toBe(compare(scaled(a), scaled(b)))
    }),
    { seed, numRuns: 2_000 },
  )
})

test('The keys of decimals that share their first digits compare as the numbers do', () => {
  const digits = fc.string({ unit: digit, maxLength: 5 })
  const alike = fc.record({ start: decimal.filter((text) => text.includes('.')), a: digits, b: digits })
  fc.assert(
    fc.property(alike, ({ start, a, b }) => {
      const [one, other] = [start + a, start + b].map((text) => text.slice(0, PLACES))
      fc.pre(one !== undefined && other !== undefined)
      expect(compare(decimalKey(one as string), decimalKey(other as string))).toBe(
        compare(scaled(one as string), scaled(other as string)),
      )
    }),
    { seed, numRuns: 2_000 },
  )
})

test.each([
  ['0', '-0', '0.00', '-000.0', '0e5'],
  ['1.5', '01.50', '1.500', '15e-1', '0.15E+1'],
  ['-1200', '-1200.0', '-12e2', '-0001200'],
])('Equal numbers have the same key: %s, %s, %s, %s', (...texts) => {
  expect(new Set(texts.map(decimalKey)).size).toBe(1)
})

test('Numbers of any length are in order', () => {
  const long = '9'.repeat(100_000)
  const ordered = [`-${long}`, '-9', '-0.1', `-0.${'0'.repeat(100_000)}1`, '0', `0.${'0'.repeat(100_000)}1`, '1', long]
  const keys = ordered.map(decimalKey)
  expect(keys.toSorted()).toEqual(keys)
})

test('Numbers of SQLite have the key of their text', () => {
  expect(decimalKey(1e21)).toBe(decimalKey('1000000000000000000000'))
  expect(decimalKey(-1.5e-7)).toBe(decimalKey('-0.00000015'))
  expect(decimalKey(9_007_199_254_740_993n)).toBe(decimalKey('9007199254740993'))
})

test.each([
  null,
  undefined,
  '',
  '.',
  '.5',
  '-',
  '+1',
  '1e',
  ' 1',
  '1 ',
  '1,5',
  '0x1',
  'NaN',
  '٣',
  '1\n',
  Buffer.from('1'),
])('What is no decimal has no key: %j', (value) => {
  expect(decimalKey(value)).toBeNull()
})
