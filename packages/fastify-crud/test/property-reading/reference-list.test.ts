import { Type } from '@sinclair/typebox'
import { ownedBy, owns } from 'fastify-crud'
import { expect, test } from 'vitest'
import { Reference } from '../property/reference.ts'
import { comparesDecimals } from './compares-decimals.ts'
import type { Sight } from './filter-rows.ts'
import { readingModelOf } from './reading-model.ts'
import { type Collection, pageOf } from './reference-list.ts'

const model = readingModelOf({
  shop: {
    fields: { name: Type.String() },
    relations: { items: owns.many('item') },
  },
  item: { fields: { price: Type.String({ format: 'decimal' }) }, relations: { shop: ownedBy('shop') } },
})
const reference = new Reference(model.records)
for (const name of ['a', 'b', 'c']) {
  const body = { name, items: [{ price: '2' }, { price: '1.0' }] }
  const address = { owners: [], segment: 'shop', id: undefined }
  reference.send({ method: 'POST', address, query: {}, body })
}
const sight: Sight = { model, state: reference.state, folding: 'simple' }
const shops: Collection = { resource: 'shop', owner: undefined }
const items: Collection = { resource: 'item', owner: { relation: 'shop', id: 2 } }

test('a page has the records from the offset on, and says how many there are in all', () => {
  const { rows, count, hasNext } = pageOf(sight, shops, { limit: 1, offset: 1 })
  expect(rows).toEqual([
    {
      id: 2,
      name: 'b',
      items: [
        { id: 3, price: '2' },
        { id: 4, price: '1.0' },
      ],
    },
  ])
  expect([count, hasNext]).toEqual([{ count: 3 }, true])
  expect(pageOf(sight, shops, { limit: 1, offset: 2 }).hasNext).toBe(false)
})

test('a list below an owner has the records of that owner only', () => {
  const { rows, count } = pageOf(sight, items, { sort: ['price'] })
  expect(rows).toEqual([
    { id: 4, price: '1.0' },
    { id: 3, price: '2' },
  ])
  expect(count).toEqual({ count: 2 })
})

test.each([
  ['exact', { count: 3 }],
  ['none', {}],
  [3, { count: 3 }],
  [2, { count: 2, countIs: 'atLeast' }],
] as const)('counted %s, three records are %j', (count, expected) => {
  expect(pageOf(sight, shops, { count }).count).toEqual(expected)
})

test.each([
  [items, { sort: ['-price'] }, true],
  [items, { filter: { not: { price: '1' } } }, true],
  [shops, { filter: { items: { some: { price: { lt: '1' } } } } }, true],
  [items, { filter: { price: { null: true } } }, true],
  [items, { filter: { 'shop.name': 'x' }, sort: ['shop.name'] }, false],
] as const)('of %j, the query %j compares decimals: %s', (collection, query, expected) => {
  expect(comparesDecimals(sight, collection, query)).toBe(expected)
})
