import { defineResources, type FieldSchema, ModelError } from '@fastify-crud/core'
import { Type as Old } from '@sinclair/typebox'
import Type from 'typebox'
import { expect, test } from 'vitest'

function problemsOf(schema: object): readonly string[] {
  try {
    defineResources({ thing: { fields: { value: schema } } })
  } catch (error) {
    if (error instanceof ModelError) return error.problems.map(({ place, message }) => `${place}: ${message}`)
    throw error
  }
  return []
}

type Options = Readonly<Record<string, boolean>>

const makers: readonly [string, (options: Options) => FieldSchema][] = [
  ['TypeBox 0.34', (options) => Old.Optional(Old.String(options))],
  ['typebox 1', (options) => Type.Optional(Type.String(options))],
  ['plain JSON Schema', (options) => ({ type: ['string', 'null'], default: null, ...options })],
]

test.each(makers)('%s: the options of a field are read off its schema', (_, make) => {
  const optionsOf = (options: Options) => {
    const field = defineResources({ thing: { fields: { value: make(options) } } }).resources.get('thing')?.fields[0]
    return { ...field, schema: undefined, check: undefined }
  }
  const usual = { readOnly: false, writeOnly: false, inSummary: true, nullable: true }
  expect(optionsOf({})).toMatchObject(usual)
  expect(optionsOf({ readOnly: false, writeOnly: false, summary: true })).toMatchObject(usual)
  expect(optionsOf({ readOnly: true })).toMatchObject({ ...usual, readOnly: true })
  expect(optionsOf({ writeOnly: true })).toMatchObject({ ...usual, writeOnly: true, inSummary: false })
  expect(optionsOf({ summary: false })).toMatchObject({ ...usual, inSummary: false })
})

test('a field that is both readOnly and writeOnly is refused', () => {
  expect(problemsOf(Old.String({ readOnly: true, writeOnly: true }))).toEqual([
    "thing.fields.value: a field cannot be both 'readOnly' and 'writeOnly': no request could set it, and no answer would contain it",
  ])
})

test.each([
  ['readOnly', 'yes', `'readOnly' must be true or false, not the text "yes"`],
  ['writeOnly', null, "'writeOnly' must be true or false, not null"],
  ['summary', 0, "'summary' must be true or false, not 0"],
])('an option is true or false: %s: %j', (option, value, message) => {
  expect(problemsOf({ type: 'string', [option]: value })).toEqual([`thing.fields.value: ${message}`])
})

test('an option with a misspelt name is refused, and the right one is named', () => {
  expect(problemsOf({ type: 'string', sumary: false })).toEqual([
    "thing.fields.value: JSON Schema 2019-09 has no keyword 'sumary'; did you mean 'summary'?",
  ])
  expect(problemsOf({ type: 'string', writeonly: true })[0]).toMatch(/did you mean 'writeOnly'\?/)
})

test('summary is an option of the field, not of what is inside of its value', () => {
  expect(problemsOf({ type: 'object', properties: { a: { type: 'string', summary: false } } })[0]).toMatch(
    /\/properties\/a: JSON Schema 2019-09 has no keyword 'summary'/,
  )
})
