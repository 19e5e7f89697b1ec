import {
  defineResources,
  knows,
  ownedBy,
  owns,
  planCreate,
  planLookups,
  planPatch,
  planReplace,
} from '@fastify-crud/core'
import { Type } from '@sinclair/typebox'
import { expect, test } from 'vitest'

const fields = { name: Type.String() }

const model = defineResources({
  list: {
    fields,
    relations: { items: owns.many('item', { order: 'position' }), tags: knows.many('tag', { order: 'rank' }) },
  },
  item: { fields, relations: { list: ownedBy('list') } },
  tag: { fields },
})

const record = {
  id: 1,
  name: 'l',
  items: [
    { id: 4, name: 'a' },
    { id: 5, name: 'b' },
  ],
  tags: [
    { id: 7, name: 't' },
    { id: 8, name: 'u' },
  ],
}

const [a, b] = record.items as [object, object]
const [t, u] = record.tags as [object, object]
const items = { lookup: 'siblings', relation: { resource: 'list', relation: 'items' }, owners: [1] } as const
const tags = { lookup: 'siblings', relation: { resource: 'list', relation: 'tags' }, owners: [1] } as const
const numbered = (...rows: readonly [id: number, number: number | null][]) =>
  rows.map(([id, number]) => ({ owner: 1, id, number }))

test('new records and links have their numbers', () => {
  const body = { name: 'l', items: [{ name: 'a' }, { name: 'b' }], tags: [{ id: 7 }] }
  const facts = [{ lookup: 'existing', resource: 'tag', ids: [7], found: [7] }] as const
  const planned = planCreate(model, 'list', { facts }, body)
  expect(planned).toMatchObject({
    plan: {
      steps: [
        { step: 'insert', resource: 'list' },
        { step: 'insert', resource: 'item', rows: [{ values: { position: 1000 } }, { values: { position: 2000 } }] },
        { step: 'link', pairs: [{ to: 7, numbers: { rank: 1000 } }] },
      ],
    },
  })
})

test('another order asks for the numbers, and writes those that have to change', () => {
  const body = { ...record, items: [b, a], tags: [u, t] }
  expect(planLookups('replace', model, 'list', { record }, body)).toEqual({ lookups: [items, tags] })
  const facts = [
    { ...items, found: numbered([4, 10], [5, 20]) },
    { ...tags, found: numbered([7, 1], [8, null]) },
  ]
  expect(planReplace(model, 'list', { record, facts }, body)).toEqual({
    plan: {
      steps: [
        { step: 'number', resource: 'item', rows: [{ id: 4, number: 1020 }] },
        { step: 'number', relation: { resource: 'list', relation: 'tags' }, rows: [{ id: 8, number: -999, owner: 1 }] },
      ],
      inserted: [],
      result: 1,
    },
  })
})

test('the order that is there needs no answer', () => {
  expect(planLookups('replace', model, 'list', { record }, record)).toEqual({ lookups: [] })
  expect(planReplace(model, 'list', { record }, record)).toEqual({ plan: { steps: [], inserted: [], result: 1 } })
})

test('a place that is no sibling’s is refused', () => {
  const facts = [{ ...items, found: numbered([4, 10], [5, 20]) }]
  const body = { items: [{ id: 5, $before: 9 }] }
  expect(planPatch(model, 'list', { record, facts }, body)).toMatchObject({
    refusal: { code: 'CRUD_ERR_UNKNOWN_REFERENCE', errors: [{ pointer: '/items/0/$before' }] },
  })
})

test('rows that take the numbers of others hand on theirs first', () => {
  const three = { ...record, items: [a, b, { id: 6, name: 'c' }, { id: 9, name: 'd' }] }
  const facts = [{ ...items, found: numbered([4, 1], [5, 2], [6, 3], [9, 4]) }]
  const order = [three.items[0], three.items[2], three.items[1], three.items[3]]
  const outcome = planReplace(model, 'list', { record: three, facts }, { ...three, items: order })
  const steps = 'plan' in outcome ? outcome.plan.steps : []
  const numbers = new Map([
    [4, 1],
    [5, 2],
    [6, 3],
    [9, 4],
  ])
  for (const step of steps) {
    if (step.step !== 'number') continue
    for (const { id, number } of step.rows) {
      const holder = [...numbers].find(([other, held]) => other !== id && held === number)
      expect(holder).toBeUndefined()
    }
    for (const { id, number } of step.rows) numbers.set(Number(id), number)
  }
  expect([...numbers].sort(([, one], [, other]) => one - other).map(([id]) => id)).toEqual([4, 6, 5, 9])
})
