import {
  defineResources,
  type Fact,
  type Lookup,
  type Model,
  needs,
  type Outcome,
  ownedBy,
  owns,
  planCreate,
  planDelete,
  planLookups,
  planPatch,
  planReplace,
} from '@fastify-crud/core'
import { Type } from '@sinclair/typebox'
import { expect, test } from 'vitest'
import { inLines, planOf } from './library.ts'

const model = defineResources({
  order: {
    id: 'integer',
    fields: { name: Type.String() },
    relations: { lines: owns.many('line'), bill: owns.one('bill') },
  },
  line: {
    id: ['order', 'product'],
    fields: { quantity: Type.Integer(), code: Type.Optional(Type.String()) },
    unique: [['order', 'code']],
    relations: { order: ownedBy('order'), product: needs.one('product') },
  },
  bill: { id: ['order'], fields: { total: Type.Integer() }, relations: { order: ownedBy('order') } },
  product: { id: 'text', fields: { name: Type.String() } },
  seat: { id: ['row', 'number'], fields: { row: Type.String(), number: Type.Integer(), guest: Type.String() } },
}) as Model

const line = (productId: string, quantity: number, code: string) => ({
  id: productId,
  productId,
  product: { id: productId, name: productId },
  quantity,
  code,
})

/** As GET returns it: the ids of the lines lack the owner's part. */
const order = { id: 7, name: 'o', lines: [line('a,b', 1, 'x'), line('c', 2, 'y')], bill: { id: 7, total: 3 } }
const [first, second] = order.lines
const seat = { id: 'A~1B,1', row: 'A,B', number: 1, guest: 'g' }

const plans = { create: planCreate, replace: planReplace, patch: planPatch, delete: planDelete }

/** The lines that there are have the codes x and y; each product is there. */
function factOf(lookup: Lookup): Fact {
  switch (lookup.lookup) {
    case 'existing':
      return { ...lookup, found: lookup.resource === 'product' || lookup.resource === 'order' ? lookup.ids : [] }
    case 'holders':
      return { ...lookup, found: lookup.values.map(({ code }) => ({ x: '7,a~1b', y: '7,c' })[String(code)] ?? null) }
    case 'linked':
    case 'needing':
    case 'siblings':
      return { ...lookup, found: [] }
  }
}

function outcomeOf(operation: keyof typeof plans, key: string, state: object, body?: unknown): Outcome {
  const first = planLookups(operation, model, key, state as never, body)
  if ('refusal' in first) return first
  return plans[operation](model, key, { ...state, facts: first.lookups.map(factOf) } as never, body)
}

const ofOrder = { relation: 'order', id: 7 }
const replace = (body: unknown) => outcomeOf('replace', 'order', { record: order }, body)
const patch = (body: unknown) => outcomeOf('patch', 'order', { record: order }, body)

test('PUT of what GET returned has no steps, at the top and below an owner', () => {
  expect(planOf(replace(order)).steps).toEqual([])
  expect(planOf(outcomeOf('replace', 'seat', { record: seat }, seat)).steps).toEqual([])
  expect(planOf(outcomeOf('replace', 'line', { record: first, owner: ofOrder }, first)).steps).toEqual([])
})

test('children are found by their ids or members, and plans have their whole ids', () => {
  const lines = [
    { id: 'c', quantity: 5 },
    { productId: 'd', quantity: 6 },
  ]
  const expected = [
    'delete line 7,a~1b',
    'update line 7,c {"quantity":5,"code":null}',
    'insert line "7,d" {"orderId":7,"quantity":6,"code":null,"productId":"d"}',
  ]
  expect(inLines(replace({ ...order, lines }))).toEqual(expected)
  expect(inLines(patch({ lines: [{ productId: 'a,b', quantity: 8 }], bill: { total: 4 } }))).toEqual([
    'update bill 7 {"total":4}',
    'update line 7,a~1b {"quantity":8}',
  ])
})

test('children swap unique values', () => {
  const lines = [
    { ...first, code: 'y' },
    { ...second, code: 'x' },
  ]
  expect(inLines(replace({ ...order, lines }))).toMatchInlineSnapshot(`
    [
      "park line 7,a~1b {"code":null}; 7,c {"code":null}",
      "update line 7,a~1b {"code":"y"}; 7,c {"code":"x"}",
    ]
  `)
})

test('a new tree, a record at the top, and a removed one', () => {
  const body = { name: 'n', lines: [{ productId: 'a', quantity: 1 }], bill: { total: 1 } }
  expect(inLines(outcomeOf('create', 'order', {}, body))).toMatchInlineSnapshot(`
    [
      "insert order {"new":0} {"name":"n"}",
      "insert bill {"new":2} {"orderId":{"new":0},"total":1}",
      "insert line {"new":1} {"orderId":{"new":0},"quantity":1,"code":null,"productId":"a"}",
    ]
  `)
  expect(inLines(outcomeOf('create', 'seat', { id: 'B,2' }, { guest: 'h' }))).toMatchInlineSnapshot(`
    [
      "insert seat "B,2" {"row":"B","number":2,"guest":"h"}",
    ]
  `)
  expect(
    inLines(outcomeOf('create', 'line', { owner: ofOrder }, { productId: 'd', quantity: 1 })),
  ).toMatchInlineSnapshot(`
    [
      "insert line "7,d" {"orderId":7,"quantity":1,"code":null,"productId":"d"}",
    ]
  `)
  expect(inLines(outcomeOf('delete', 'order', { record: order }))).toMatchInlineSnapshot(`
    [
      "delete bill 7",
      "delete line 7,a~1b,7,c",
      "delete order 7",
    ]
  `)
  expect(inLines(outcomeOf('delete', 'seat', { record: seat }))).toMatchInlineSnapshot(`
    [
      "delete seat A~1B,1",
    ]
  `)
  expect(inLines(outcomeOf('delete', 'line', { record: first, owner: ofOrder }))).toMatchInlineSnapshot(`
    [
      "delete line 7,a~1b",
    ]
  `)
})

test('a refusal names the whole id of what is taken, and the pointer', () => {
  const lookups = planLookups('patch', model, 'order', { record: order }, { lines: [{ productId: 'd', quantity: 1 }] })
  expect(lookups).toMatchObject({
    lookups: [
      { lookup: 'existing', resource: 'product', ids: ['d'] },
      { lookup: 'existing', resource: 'line', ids: ['7,d'] },
    ],
  })
  const facts = (lookups as unknown as { lookups: readonly { ids: readonly string[] }[] }).lookups.map((one) => ({
    ...one,
    found: one.ids,
  }))
  const outcome = planPatch(
    model,
    'order',
    { record: order, facts: facts as never },
    { lines: [{ productId: 'd', quantity: 1 }] },
  )
  expect(outcome).toMatchObject({ refusal: { code: 'CRUD_ERR_EXISTS', errors: [{ pointer: '/lines/0/productId' }] } })
  const twice = outcomeOf('create', 'seat', { id: 'B,2' }, { row: 'C', guest: 'g' })
  expect(twice).toMatchObject({ refusal: { code: 'CRUD_ERR_INVALID', errors: [{ pointer: '/row' }] } })
})
