import { dbDefault, defineResources, type FieldSchema, ModelError } from '@fastify-crud/core'
import { Type as Old } from '@sinclair/typebox'
import Type from 'typebox'
import { expect, test } from 'vitest'
import { componentOf, propertyOf } from '../../../openapi/test/validator.ts'

type Make = (type: 'required' | 'optional') => FieldSchema

const makers: readonly (readonly [string, Make])[] = [
  ['TypeBox 0.34', (type) => optionally(type, Old.String({ default: dbDefault }), Old.Optional)],
  ['typebox 1', (type) => optionally(type, Type.String({ default: dbDefault }), Type.Optional)],
  ['plain JSON Schema', (type) => ({ type: type === 'optional' ? ['string', 'null'] : 'string', default: dbDefault })],
]

function optionally<S extends FieldSchema>(type: Parameters<Make>[0], schema: S, optional: (schema: S) => FieldSchema) {
  return type === 'optional' ? optional(schema) : schema
}

test.each(makers)('%s: a field with `default: dbDefault` need not be in a body', (_, make) => {
  const fields = { required: make('required'), optional: make('optional') }
  expect(defineResources({ thing: { fields } }).resources.get('thing')?.fields).toMatchObject([
    { name: 'required', required: false, nullable: false, default: undefined, hasDbDefault: true },
    { name: 'optional', required: false, nullable: true, default: undefined, hasDbDefault: true },
  ])
})

test.each(makers)('%s: the OpenAPI document asks for it nowhere, and says where the value comes from', (_, make) => {
  const model = defineResources({ thing: { fields: { name: Type.String(), at: make('required') } } })
  for (const body of ['thing.create', 'thing.replace']) expect(componentOf(model, body).required).toEqual(['name'])
  expect(componentOf(model, 'thing.record').required).toContain('at')
  expect(propertyOf(model, 'thing.record', 'at')).toEqual({ type: 'string' })
  const description = 'If it is left out, the database gives it a value.'
  expect(propertyOf(model, 'thing.create', 'at')).toEqual({ type: 'string', description })
  const stays = { description: 'If it is left out, it stays unchanged.' }
  expect(propertyOf(model, 'thing.replace', 'at')).toEqual({ type: 'string', ...stays })
})

test('`dbDefault` is the default of a field, and of nothing inside of its value', () => {
  const inside = { type: 'object', properties: { a: { type: 'string', default: dbDefault } } }
  expect(() => defineResources({ thing: { fields: { inside } } })).toThrow(ModelError)
  expect(() => defineResources({ thing: { fields: { inside } } })).toThrow(
    /thing\.fields\.inside: \/properties\/a\/default: must be JSON/,
  )
})
