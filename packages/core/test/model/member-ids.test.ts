import { dbDefault, defineResources, field, knows, ModelError, needs, ownedBy, owns } from '@fastify-crud/core'
import { Type } from '@sinclair/typebox'
import { expect, test } from 'vitest'

const name = Type.String()

/** What is wrong with a line of an order, with these parts of the id. */
function problemsOf(line: object, others: object = {}): readonly string[] {
  try {
    defineResources({
      order: { relations: { lines: owns.many('line') } },
      product: { fields: { name } },
      line: {
        fields: { name, note: Type.Union([Type.String(), Type.Null()]), price: Type.Number(), extra: Type.Object({}) },
        relations: {
          order: ownedBy('order'),
          product: needs.one('product'),
          from: knows.one('product'),
          via: needs.one('product', { optional: true }),
        },
        ...line,
      },
      ...others,
    } as never)
    return []
  } catch (error) {
    if (error instanceof ModelError) return error.problems.map((problem) => `${problem.place}: ${problem.message}`)
    throw error
  }
}

test('members are fields, relations or foreign keys, each once', () => {
  expect(problemsOf({ id: ['order', 'product'] })).toEqual([])
  expect(problemsOf({ id: ['orderId', 'productId', 'name'] })).toEqual([])
  expect(problemsOf({ id: ['order', 'prodct'] })).toEqual([
    "line.id: no field or relation with a foreign key 'prodct'; did you mean 'product'?",
  ])
  expect(problemsOf({ id: ['order', 'product', 'productId'] })).toEqual(['line.id: the same field occurs twice'])
  expect(problemsOf({ id: [] })).toEqual([
    "line.id: a list names the members that make up the id: ['order', 'product']",
  ])
})

test('members have values that are there, that everybody sees, and that are compared exactly', () => {
  for (const optional of ['note', 'from', 'via']) {
    expect(problemsOf({ id: ['order', optional] })).toEqual([
      `line.id: '${optional}' may be null, so it can be no part of an id`,
    ])
  }
  const parts = 'parts are texts, integers, dates, moments, needs.one and ownedBy'
  expect(problemsOf({ id: ['order', 'price'] })).toEqual([`line.id: 'price' can be no part of an id: ${parts}`])
  expect(problemsOf({ id: ['order', 'extra'] })).toContain("line.id: 'extra' is JSON and cannot be part of an id")
  const options = [{ writeOnly: true }, { access: { View: 'all' } }, { readOnly: true }]
  for (const option of options) {
    const fields = { name: field(Type.String(), option as never) }
    expect(problemsOf({ id: ['order', 'name'], fields })).not.toEqual([])
  }
  const fields = { number: field(Type.Integer(), { default: dbDefault }) }
  expect(problemsOf({ id: ['order', 'number'], fields })).toEqual([])
})

test('an id of several parts can be owned, but not be what other records name', () => {
  const id = ['order', 'name']
  const why = 'a line has an id of several parts, and foreign keys of several columns are not supported'
  expect(problemsOf({ id }, { use: { relations: { line: needs.one('line') } } })).toEqual([
    `line.id: cannot be what use.line names: ${why}`,
  ])
  const relations = { order: ownedBy('order'), parts: owns.many('part'), tags: knows.many('product') }
  expect(problemsOf({ id, relations }, { part: { relations: { line: ownedBy('line') } } })).toEqual([
    `line.id: cannot own records (parts): ${why}`,
    `line.id: cannot have a link table (tags): ${why}`,
  ])
})

test('records with an id of several parts know no other ones, form no tree, and are no favourite of their owner', () => {
  const id = ['order', 'name']
  const ownIds = { fields: { name }, relations: { order: ownedBy('order'), other: knows.one('leaf') } }
  const leaf = { id, fields: { name }, relations: { order: ownedBy('order'), line: knows.one('line') } }
  const order = { relations: { lines: owns.many('line'), leaves: owns.many('leaf') } }
  const line = 'a line has an id of several parts, and foreign keys of several columns are not supported'
  expect(problemsOf({ id, ...ownIds }, { order, leaf })).toEqual([
    `line.id: cannot be what leaf.line names: ${line}`,
    `leaf.id: cannot be what line.other names: ${line.replace('line', 'leaf')}`,
  ])
  const tree = { parent: ownedBy('line', { optional: true }), lines: owns.many('line') }
  expect(
    problemsOf(
      { id: ['name', 'price'], fields: { name, price: Type.Integer() }, relations: tree },
      {
        order: {},
      },
    ),
  ).toEqual([`line.id: cannot own records (lines): ${line}`])
  expect(
    problemsOf({ id }, { order: { relations: { lines: owns.many('line'), favourite: knows.one('line') } } }),
  ).toEqual([`line.id: cannot be what order.favourite names: ${line}`])
})

test("an id that is the owner's is that of one record", () => {
  expect(problemsOf({ id: ['order'] })).toEqual([
    'line.id: is the id of the owner, so the owner can have one line only: use owns.one',
  ])
})

test('ids are not made up of each other', () => {
  const relations = { other: needs.one('b') }
  expect(() =>
    defineResources({
      a: { id: ['other'], relations },
      b: { id: ['other'], relations: { other: needs.one('a') } },
    } as never),
  ).toThrow('is made up of ids that are made up of this one')
})

test('a member has its column where the descriptor says so; the id has none', () => {
  const columns = { product: 'article_id' }
  expect(problemsOf({ id: ['order', 'product'], columns: { productId: 'article_id' } })).toEqual([])
  expect(problemsOf({ id: ['order', 'product'], columns: { id: 'nr' } })).not.toEqual([])
  expect(problemsOf({ id: ['order', 'product'], columns })).not.toEqual([])
})
