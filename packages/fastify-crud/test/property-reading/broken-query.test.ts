import fc from 'fast-check'
import { expect, test } from 'vitest'
import { seed } from '../../../../test/support/seed.ts'
import { Tape } from '../property/tape.ts'
import { brokenQuery } from './broken-query.ts'
import { features } from './features.ts'
import { randomReadingModel } from './random-reading-model.ts'
import { readingModelOf } from './reading-model.ts'

const choices = fc.array(fc.nat(9999), { minLength: 50, maxLength: 300, size: 'max' })

test('a broken query is of every kind, and has the name that a refusal of it must say', () => {
  const kinds = new Set<string>()
  fc.assert(
    fc.property(choices, fc.array(choices, { minLength: 20, maxLength: 20 }), (forModel, tapes) => {
      const model = readingModelOf(randomReadingModel(new Tape(forModel), new Set()))
      for (const [index, resource] of [...model.resources.values()].entries()) {
        for (const numbers of tapes) {
          const { text, names } = brokenQuery(model, resource, new Tape(numbers.slice(index)), new Set(features))
          expect(text.startsWith('?')).toBe(true)
          if (names !== undefined) expect(decodeURIComponent(text)).toContain(names)
          kinds.add(text.replace(/=.*/, ''))
        }
      }
    }),
    { seed, numRuns: 40 },
  )
  expect(kinds.size).toBeGreaterThan(30)
})
