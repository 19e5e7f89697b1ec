import { createStore, defineActions, defineResources } from '@fastify-crud/core'
import { Type } from '@sinclair/typebox'
import { type } from 'arktype'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { readActions } from '../../src/actions/read-actions.ts'

const resources = defineResources({
  invoice: { fields: { total: Type.Integer() } },
  reading: { id: false, fields: { at: Type.String() } },
})

function problemsOf(actions: unknown): string[] {
  try {
    readActions(resources, actions)
    return []
  } catch (error) {
    expect(error).toBeInstanceOf(TypeError)
    return (error as Error).message.split('\n')
  }
}

const asks = 'View'
const run = () => undefined

test.each([
  [7, 'actions: must be an object with an entry for each resource that has some'],
  [{ invoce: {} }, "actions.invoce: there is no resource 'invoce'; did you mean 'invoice'?"],
  [{ invoice: 7 }, "actions.invoice: must be an object such as { pay: { asks: 'Edit', async run({ id }) { … } } }"],
  [{ invoice: { pay: 7 } }, "actions.invoice.pay: must be an object such as { asks: 'Edit', async run({ id }) { … } }"],
  [
    { invoice: { pay: { run } } },
    'actions.invoice.pay.asks: must be one of View, Add, Edit, Delete: what the caller has to be allowed',
  ],
  [{ invoice: { pay: { asks } } }, 'actions.invoice.pay.run: must be a function'],
  [{ invoice: { pay: { asks, run, on: 'all' } } }, "actions.invoice.pay.on: must be 'record' (the default) or 'list'"],
  [
    { invoice: { pay: { asks, run, method: 'PUT' } } },
    "actions.invoice.pay.method: must be 'POST' (the default) or 'GET'",
  ],
  [{ invoice: { pay: { asks, run, prepare: 7 } } }, 'actions.invoice.pay.prepare: must be a function'],
  [
    { invoice: { pay: { asks, run, answr: 7 } } },
    "actions.invoice.pay.answr: an action has no part 'answr'; did you mean 'answer'?",
  ],
  [
    { invoice: { pay: { asks, run, method: 'GET', body: Type.Object({}) } } },
    'actions.invoice.pay.body: a GET has none; declare a query',
  ],
  [
    { invoice: { pay: { asks, run, body: { type: 'object', propertes: {} } } } },
    /^actions\.invoice\.pay\.body: .*propertes/,
  ],
  [{ invoice: { pay: { asks, run, answer: String } } }, /^actions\.invoice\.pay\.answer: /],
  [
    { invoice: { pay: { asks, run, query: Type.String() } } },
    "actions.invoice.pay.query: must be the schema of an object with 'properties', the parameters of the query",
  ],
  [
    { invoice: { pay: { asks, run, query: Type.Object({ a: Type.Object({}) }) } } },
    "actions.invoice.pay.query: 'a' must be a text, a number, true or false, or an array of these",
  ],
  [
    { reading: { sum: { asks, run } } },
    "actions.reading.sum.on: must be 'list', as no request names a reading: it has id: false",
  ],
  [
    { invoice: { pay: { asks, run, changes: 'invoice' } } },
    "actions.invoice.pay.changes: must be an array of keys of resources, such as ['invoice']",
  ],
  [
    { invoice: { pay: { asks, run, changes: ['invoce'] } } },
    "actions.invoice.pay.changes: there is no resource 'invoce'; did you mean 'invoice'?",
  ],
  [{ invoice: { $pay: { asks, run } } }, 'actions.invoice.$pay: names that begin with $ belong to the library'],
  [{ invoice: { 'pay/now': { asks, run } } }, "actions.invoice.pay/now: 'pay/now' is not one path segment"],
])('%j is refused', (actions, problem) => {
  expect(problemsOf(actions)).toEqual([typeof problem === 'string' ? problem : expect.stringMatching(problem)])
})

test.each([
  ...['list', 'findOne', 'create', 'replace', 'patch', 'delete', 'deleted', 'restore', 'purge', 'patchMany'],
  ...['longList', 'longGroup', 'deletedOne', 'deletedOneHead', 'historyEntry', 'historyHead', 'undo'],
])('the name of the operation %s is refused', (name) => {
  expect(problemsOf({ invoice: { [name]: { asks, run } } })).toEqual([
    `actions.invoice.${name}: '${name}' is the name of an operation of the library: give the action another one`,
  ])
})

test('two actions have no name in common with HEAD', () => {
  const look = { asks, run, method: 'GET' }
  expect(problemsOf({ invoice: { look, lookHead: { asks, run } } })).toEqual([
    "actions.invoice.lookHead: 'lookHead' is the name of HEAD of 'look' in documents: give the action another one",
  ])
  expect(problemsOf({ invoice: { look: { asks, run }, lookHead: look, bighead: look } })).toEqual([])
})

test('all problems are told at once, by the store and by defineActions', () => {
  const wrong = { invoice: { $pay: { asks: 'Pay' }, remind: {} } } as never
  expect(() => defineActions(resources, wrong)).toThrow(
    /\$pay: .*\n.*\$pay\.asks: .*\n.*\$pay\.run: .*\n.*remind\.asks/,
  )
  expect(() => createStore({ db: undefined as never, resources, actions: wrong })).toThrow(TypeError)
})

test.each([
  ['TypeBox', Type.Object({ a: Type.Object({ b: Type.Integer() }) })],
  [
    'TypeBox, an intersection',
    Type.Intersect([
      Type.Object({ a: Type.Object({ b: Type.Integer() }) }),
      Type.Object({ c: Type.Optional(Type.Null()) }),
    ]),
  ],
  ['zod', z.object({ a: z.object({ b: z.int() }) })],
  ['ArkType', type({ a: { b: 'number.integer' } })],
  [
    'JSON Schema',
    {
      type: 'object',
      properties: { a: { type: 'object', properties: { b: { type: 'integer' } }, required: ['b'] } },
      required: ['a'],
    },
  ],
])('a body of %s has no other properties than those that it declares', (_, body) => {
  const check = readActions(resources, { invoice: { pay: { asks, run, body } } })
    .get('invoice')
    ?.get('pay')?.body?.check
  expect(check?.({ a: { b: 1 } })).toEqual([])
  expect(check?.({ a: { b: 1, y: 2 } })).toMatchObject([{ pointer: '/a/y' }])
  expect(check?.({ a: { b: 1 }, x: 2 })).toMatchObject([{ pointer: '/x', message: "the object has no property 'x'" }])
  expect(check?.({ a: { b: 'c' } })).toMatchObject([{ pointer: '/a/b' }])
})

test('a body may say that it has other properties', () => {
  const body = Type.Object({ a: Type.Integer() }, { additionalProperties: Type.String() })
  const check = readActions(resources, { invoice: { pay: { asks, run, body } } })
    .get('invoice')
    ?.get('pay')?.body?.check
  expect(check?.({ a: 1, x: 'y' })).toEqual([])
  expect(check?.({ a: 1, x: 2 })).toMatchObject([{ pointer: '/x' }])
})

test('the refinements of zod hold for a body', () => {
  const body = z.object({ a: z.string().refine((text) => text !== 'no', 'must not be no') })
  const check = readActions(resources, { invoice: { pay: { asks, run, body } } })
    .get('invoice')
    ?.get('pay')?.body?.check
  expect(check?.({ a: 'no' })).toMatchObject([{ pointer: '/a', message: 'must not be no' }])
})
