import fc from 'fast-check'
import { defineResources } from 'fastify-crud'
import { expect, test } from 'vitest'
import { seed } from '../../../../test/support/seed.ts'
import { collectionsOf } from '../property/addresses.ts'
import { Reference } from '../property/reference.ts'
import { rowsOf } from '../property/reference-store.ts'
import { Tape } from '../property/tape.ts'
import { withComputedValues } from './computed-values.ts'
import { features } from './features.ts'
import type { Sight } from './filter-rows.ts'
import { hasBrackets, pairsOf, queryText } from './query-text.ts'
import { randomQuery } from './random-query.ts'
import { randomReadingModel } from './random-reading-model.ts'
import { randomRecords } from './random-records.ts'
import { readingModelOf, readingResourceOf } from './reading-model.ts'
import { pageOf } from './reference-list.ts'

const choices = fc.array(fc.nat(9999), { minLength: 200, maxLength: 2000, size: 'max' })
const short = fc.array(fc.nat(9999), { minLength: 20, maxLength: 120, size: 'max' })

test('random queries are valid, and most of them find some of the records, but not all', () => {
  let asked = 0
  let telling = 0
  fc.assert(
    fc.property(choices, choices, fc.array(short, { minLength: 10, maxLength: 20 }), (forModel, forRecords, tapes) => {
      const descriptors = randomReadingModel(new Tape(forModel), new Set(['computed']))
      defineResources(descriptors)
      const model = readingModelOf(descriptors)
      const reference = new Reference(model.records)
      randomRecords(reference, new Tape(forRecords))
      const state = withComputedValues(model, reference.state, reference.state)
      const sight: Sight = { model, state, folding: 'simple' }
      for (const numbers of tapes) {
        const tape = new Tape(numbers)
        const resource = tape.of([...model.records.resources.values()])
        const place = resource && tape.of(collectionsOf(model.records, reference.state, resource))
        if (resource === undefined || place === undefined) continue
        const query = randomQuery({ sight, tape }, readingResourceOf(model, resource.key), new Set(features))
        expect(queryText(query)).toMatch(/^(\?|$)/)
        const all = [...rowsOf(reference.state, resource.key).values()].filter(({ owner }) => owner === undefined)
        const { count } = pageOf(sight, { resource: resource.key, owner: undefined }, { ...query, count: 'exact' })
        if (query.filter === undefined || all.length < 5) continue
        asked += 1
        if (Number(count.count) > 0 && Number(count.count) < all.length) telling += 1
      }
    }),
    { seed, numRuns: 60 },
  )
  expect(telling / asked).toBeGreaterThan(0.3)
})

test('a query is spelled as the documentation has it', () => {
  const filter = { 'a.b': 1, c: { gte: 'x&y', lt: null }, d: { in: [true, 'é'] } }
  expect(hasBrackets(filter)).toBe(true)
  expect(pairsOf({ filter, spelling: 'brackets', sort: ['-a', 'b'], limit: 5, count: 'none' })).toEqual([
    ['filter[a.b]', '1'],
    ['filter[c][gte]', 'x&y'],
    ['filter[c][lt]', 'null'],
    ['filter[d][in]', 'true'],
    ['filter[d][in]', 'é'],
    ['sort', '-a,b'],
    ['limit', '5'],
    ['count', 'none'],
  ])
  expect(queryText({ filter: { a: '+' }, spelling: 'brackets' })).toBe('?filter[a]=%2B')
  expect(queryText({ filter: { a: '+' }, nested: { 'b.c': { limit: 1, sort: ['d'], filter: {} } } })).toBe(
    '?filter=%7B%22a%22%3A%22%2B%22%7D&nested[b.c][limit]=1&nested[b.c][sort]=d&nested[b.c][filter]=%7B%7D',
  )
  expect(queryText({})).toBe('')
})

test.each([{ or: [{}] }, { not: {} }, { a: { some: {} } }, { a: { in: [] } }])(
  '%j has no spelling in brackets',
  (filter) => {
    expect(hasBrackets(filter)).toBe(false)
  },
)
