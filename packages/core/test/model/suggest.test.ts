import fc from 'fast-check'
import { expect, test } from 'vitest'
import { didYouMean } from '../../src/model/check/names.ts'

const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c', 'd'), minLength: 1, maxLength: 5 })

test('the nearest name is proposed, the first of several, if a third of the letters or fewer are wrong', () => {
  fc.assert(
    fc.property(word, fc.array(word, { maxLength: 6 }), (wrong, known) => {
      const most = Math.max(1, Math.floor(wrong.length / 3))
      const least = Math.min(...known.map((name) => distance(wrong, name)))
      const nearest = known.find((name) => distance(wrong, name) === least)
      expect(didYouMean(wrong, known)).toBe(least > most ? '' : `; did you mean '${nearest}'?`)
    }),
    { numRuns: 2_000 },
  )
})

/** The number of insertions, deletions, substitutions and swaps of neighbours, as their definition has it. */
function distance(a: string, b: string): number {
  if (a === '' || b === '') return a.length + b.length
  const ways = [
    distance(a.slice(1), b) + 1,
    distance(a, b.slice(1)) + 1,
    distance(a.slice(1), b.slice(1)) + (a[0] === b[0] ? 0 : 1),
  ]
  if (a.length > 1 && a[0] === b[1] && a[1] === b[0]) ways.push(distance(a.slice(2), b.slice(2)) + 1)
  return Math.min(...ways)
}
