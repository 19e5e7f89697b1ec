import { defineResources, planCreate } from '@fastify-crud/core'
import { resourceOf } from '@fastify-crud/core/internal'
import * as TypeBox from '@sinclair/typebox'
import Type from 'typebox'
import { expect, test } from 'vitest'

const Old = TypeBox.Type

function fieldOf(schema: object) {
  const [field] = resourceOf(defineResources({ a: { fields: { x: schema } } }), 'a').fields
  if (field === undefined) throw new Error('there is no field')
  const { required, nullable, storage } = field
  return { required, nullable, storage }
}

test.each<[string, object, object]>([
  ['Optional of TypeBox 0.34', Old.Optional(Old.String()), { required: false, nullable: true, storage: 'string' }],
  ['Optional of typebox 1', Type.Optional(Type.String()), { required: false, nullable: true, storage: 'string' }],
  ['a type of TypeBox 0.34', Old.Integer(), { required: true, nullable: false, storage: 'integer' }],
  ['a type of typebox 1', Type.Integer(), { required: true, nullable: false, storage: 'integer' }],
  ['a plain schema', { type: 'boolean' }, { required: true, nullable: false, storage: 'boolean' }],
  [
    'a plain schema with a default',
    { type: 'string', default: '' },
    { required: false, nullable: false, storage: 'string' },
  ],
  [
    'a plain schema that allows null',
    { type: ['string', 'null'] },
    { required: true, nullable: true, storage: 'string' },
  ],
  ['nullable: true', { type: 'number', nullable: true }, { required: true, nullable: true, storage: 'number' }],
  [
    'a plain schema that is null by default',
    { type: ['string', 'null'], format: 'date', default: null },
    { required: false, nullable: true, storage: 'date' },
  ],
  ['an empty schema', {}, { required: true, nullable: false, storage: 'json' }],
  ['Optional of anything', Type.Optional(Type.Any()), { required: false, nullable: true, storage: 'json' }],
  ['Enum of typebox 1', Type.Enum(['a', 'b']), { required: true, nullable: false, storage: 'string' }],
  [
    'a union with null',
    Type.Union([Type.Integer(), Type.Null()]),
    { required: true, nullable: true, storage: 'integer' },
  ],
  [
    'Readonly of Optional',
    Type.Readonly(Type.Optional(Type.Number())),
    { required: false, nullable: true, storage: 'number' },
  ],
  [
    'a branch that allows anything',
    { anyOf: [{ type: 'object' }, true] },
    { required: true, nullable: false, storage: 'json' },
  ],
  [
    'a branch that allows nothing',
    { oneOf: [{ type: 'string' }, false] },
    { required: true, nullable: false, storage: 'string' },
  ],
])('%s says whether a field may be left out or be null, and how it is stored', (_, schema, expected) => {
  expect(fieldOf(schema)).toEqual(expected)
})

test('the values of a field are checked the same, whoever made the schema', () => {
  const shape = (name: string, x: object) =>
    planCreate(defineResources({ a: { fields: { x } } }), 'a', {}, { x: { [name]: 1 } })
  for (const schema of [
    Old.Object({ n: Old.Integer(), o: Old.Optional(Old.String()) }, { additionalProperties: false }),
    Type.Object({ n: Type.Integer(), o: Type.Optional(Type.String()) }, { additionalProperties: false }),
    {
      type: 'object',
      properties: { n: { type: 'integer' }, o: { type: 'string' } },
      required: ['n'],
      additionalProperties: false,
    },
  ]) {
    expect(shape('n', schema)).toHaveProperty('plan')
    expect(shape('o', schema)).toHaveProperty('refusal')
    expect(shape('m', schema)).toHaveProperty('refusal')
  }
})
