import { defineResources, ModelError, needs } from '@fastify-crud/core'
import { resourceOf } from '@fastify-crud/core/internal'
import { Type } from '@sinclair/typebox'
import { expect, test } from 'vitest'

const short = { maxLength: 500 }

test('A resource has the indexes of its fields, then those of its descriptor', () => {
  const model = defineResources({
    publisher: {},
    book: {
      fields: { title: Type.String(short), status: Type.String({ ...short, index: true }), pages: Type.Integer() },
      relations: { publisher: needs.one('publisher') },
      index: [['title'], ['publisher', 'title'], ['publisherId', 'pages']],
    },
  })
  const { indexes, fields, references } = resourceOf(model, 'book')
  const [title, status, pages] = fields
  expect(indexes).toEqual([
    { names: ['status'], members: [status] },
    { names: ['title'], members: [title] },
    { names: ['publisher', 'title'], members: [references[0], title] },
    { names: ['publisherId', 'pages'], members: [references[0], pages] },
  ])
  expect(Object.isFrozen(indexes)).toBe(true)
})

function problemsOf(descriptor: object): readonly string[] {
  try {
    defineResources({ book: descriptor, publisher: {} } as never)
  } catch (error) {
    if (error instanceof ModelError) return error.problems.map(({ place, message }) => `${place}: ${message}`)
    throw error
  }
  return []
}

const title = Type.String(short)

test.each<[string, object, string[]]>([
  [
    'a misspelt name',
    { fields: { title }, index: [['titel']] },
    ["book.index[0]: no field or relation with a foreign key 'titel'; did you mean 'title'?"],
  ],
  [
    'JSON',
    { fields: { data: Type.Any() }, index: [['data']] },
    ["book.index[0]: 'data' is JSON and cannot be part of an index"],
  ],
  [
    'JSON, by the field',
    { fields: { data: Type.Array(Type.String(), { index: true }) } },
    ["book.fields.data: 'data' is JSON and cannot be part of an index"],
  ],
  ['an index without fields', { index: [[]] }, ['book.index[0]: an index has at least one field']],
  ['a field twice', { fields: { title }, index: [['title', 'title']] }, ['book.index[0]: the same field occurs twice']],
  [
    'a foreign key twice',
    { relations: { publisher: needs.one('publisher') }, index: [['publisher', 'publisherId']] },
    ['book.index[0]: the same field occurs twice'],
  ],
  [
    'the same index twice',
    { fields: { title: Type.String({ ...short, index: true }), pages: Type.Integer() }, index: [['title']] },
    ["book.index[0]: the index over 'title' is declared twice"],
  ],
  [
    'a list of names',
    { fields: { title }, index: ['title'] },
    ["book.index: must be an array of arrays of names: [['title'], ['publisher', 'title']]"],
  ],
  [
    'an option that is not true or false',
    { fields: { title: Type.String({ index: 'unique' }) } },
    ['book.fields.title: \'index\' must be true or false, not the text "unique"'],
  ],
])('%s is refused', (_, descriptor, expected) => {
  expect(problemsOf(descriptor)).toEqual(expected)
})

const tooLong = ["book.fields.value: 'value' needs a 'maxLength' of at most 500, to be part of an index"]

test.each<[string, object]>([
  ['without a limit', Type.String({ index: true })],
  ['with a greater limit', Type.String({ maxLength: 501, index: true })],
  ['with a pattern', Type.String({ pattern: '^a$', index: true })],
  ['that is a decimal of any length', Type.String({ format: 'decimal', index: true })],
  ['that may be null', { anyOf: [{ type: 'string' }, { type: 'null' }], index: true }],
])('A string %s has no index', (_, value) => {
  expect(problemsOf({ fields: { value } })).toEqual(tooLong)
})

test.each<[string, object]>([
  ['with a limit', Type.String({ maxLength: 500, index: true })],
  ['that is a decimal with a limit', Type.String({ format: 'decimal', maxLength: 30, index: true })],
  ['of a format with a longest text', Type.Optional(Type.String({ format: 'date-time', index: true }))],
  ['that is an id', Type.String({ format: 'uuid', index: true })],
  ['of a few', Type.Union([Type.Literal('draft'), Type.Literal('done')], { index: true })],
  ['of an enum', { enum: ['draft', 'done', null], index: true }],
  ['that may be null', { anyOf: [{ type: 'string', maxLength: 9 }, { type: 'null' }], index: true }],
  ['without an index', Type.String({ index: false })],
])('A string %s is accepted', (_, value) => {
  expect(problemsOf({ fields: { value } })).toEqual([])
})

test('A field that nobody sees may have an index: a policy may ask for it', () => {
  expect(problemsOf({ fields: { token: Type.String({ ...short, writeOnly: true, index: true }) } })).toEqual([])
})
