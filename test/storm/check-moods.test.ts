import { expect, test } from 'vitest'
import { checkMoods } from './check-moods.ts'
import type { Write } from './history.ts'

/** A PATCH of one band's mood, sent and answered then. */
function patch(mood: string, at: number, until: number, given: Partial<Write> = {}): Write {
  const noted = { key: 'band/1', text: null, mood, owner: undefined, isNew: false }
  return {
    ...{ line: 'sent', token: `w1.${at}.`, method: 'PATCH', path: '/api/band/1', at, until, target: ['band/1'] },
    ...{ removes: false, size: 1, outcome: 'done', status: 200, code: undefined, unshown: [] },
    sets: [noted],
    records: [noted],
    ...given,
  }
}

const left = (mood: string | null) => new Map([['band/1', mood]])

test('all is well where the end shows what was set last, or at the same time as that', () => {
  const [sad, glad] = [patch('sad', 10, 20), patch('glad', 30, 40)]
  expect(checkMoods([], left(null))).toEqual([])
  expect(checkMoods([sad, glad], left('glad'))).toEqual([])
  expect(checkMoods([sad, glad, patch('sad', 35, 45)], left('sad'))).toEqual([])
})

test('a value that was replaced before the end is found', () => {
  const [sad, glad] = [patch('sad', 10, 20), patch('glad', 30, 40)]
  expect(checkMoods([sad, glad], left('sad'))).toEqual([expect.stringContaining('replaced')])
  expect(checkMoods([sad, glad], left(null))).toEqual([expect.stringContaining('replaced')])
  const again = patch('sad', 50, Number.POSITIVE_INFINITY, { outcome: 'unknown', records: [] })
  expect(checkMoods([sad, glad, again], left('sad'))).toEqual([])
})

test('an answer that shows a value which was replaced before, or which is set later, is found', () => {
  const [sad, glad] = [patch('sad', 10, 20), patch('glad', 30, 40)]
  const other = patch('sad', 50, 60, { sets: [] })
  expect(checkMoods([sad, glad, other], left('glad'))).toEqual([expect.stringContaining('w1.50.')])
  expect(checkMoods([other, patch('sad', 70, 80)], left('sad'))).toEqual([expect.stringContaining('w1.50.')])
})

test('what was refused set nothing', () => {
  const refused = patch('sad', 50, 60, { outcome: 'refused', records: [] })
  expect(checkMoods([patch('glad', 10, 20), refused], left('sad'))).toEqual([expect.stringContaining('replaced')])
})
