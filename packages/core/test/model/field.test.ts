import { Type } from '@sinclair/typebox'
import Type1 from 'typebox'
import { describe, expect, test } from 'vitest'
import { defineResources, type FieldSchema, field, ModelError } from '../../src/index.ts'

/** Any schema: the tests below do not depend on its type. */
const plain = <S extends FieldSchema>(schema: S): FieldSchema => schema

const schemas: readonly [string, FieldSchema, FieldSchema][] = [
  ['TypeBox 0.34', Type.String(), Type.Optional(Type.String())],
  ['typebox 1', Type1.String(), Type1.Optional(Type1.String())],
  ['plain JSON Schema', plain({ type: 'string' }), plain({ type: ['string', 'null'], default: null })],
]

describe.each(schemas)('a field with options, made of a schema of %s', (_, schema, optional) => {
  test('is what its schema with the options as keywords is', () => {
    const { resources } = defineResources({
      note: { fields: { text: field(schema, { readOnly: true, default: 'x', summary: false }) } },
    })
    expect(resources.get('note')?.fields).toMatchObject([
      { name: 'text', storage: 'string', readOnly: true, default: 'x', inSummary: false, nullable: false },
    ])
  })

  test('stays optional', () => {
    const { resources } = defineResources({ note: { fields: { text: field(optional, { writeOnly: true }) } } })
    expect(resources.get('note')?.fields).toMatchObject([{ nullable: true, writeOnly: true }])
  })

  test('leaves the schema as it is', () => {
    const before = { ...schema }
    field(schema, { default: 'x', index: true })
    expect({ ...schema }).toEqual(before)
    expect(field(Object.freeze({ ...before, default: 'a' }), { default: 'b' })).toMatchObject({ default: 'b' })
  })
})

describe('a wrong option of a field', () => {
  test('is refused by name', () => {
    const options = { readonly: true } as object
    expect(() => field(Type.String(), options)).toThrow(
      "field(…): 'readonly' is not an option of a field; did you mean 'readOnly'?",
    )
  })

  test('has a default that fits', () => {
    const fields = { rank: field(Type.Integer(), { default: 'one' as never }) }
    expect(() => defineResources({ note: { fields } })).toThrow(ModelError)
  })
})
