import { defineResources, ModelError } from '@fastify-crud/core'
import { Type as Old } from '@sinclair/typebox'
import Type from 'typebox'
import { expect, test } from 'vitest'

function problemsOf(options: object): readonly string[] {
  try {
    defineResources({ thing: { fields: { value: { type: 'string', default: '', ...options } } } })
  } catch (error) {
    if (error instanceof ModelError) return error.problems.map(({ place, message }) => `${place}: ${message}`)
    throw error
  }
  return []
}

const access = { View: ['hr', 'lead'], Edit: ['hr'] }

test.each([
  ['TypeBox 0.34', Old.Optional(Old.String({ access }))],
  ['typebox 1', Type.Optional(Type.String({ access }))],
  ['plain JSON Schema', { type: ['string', 'null'], default: null, access }],
])('%s: the access of a field is read off its schema, and frozen', (_, schema) => {
  const [field] = defineResources({ thing: { fields: { value: schema } } }).resources.get('thing')?.fields ?? []
  expect(field?.access).toEqual(access)
  expect(Object.isFrozen(field?.access) && Object.isFrozen(field?.access?.View)).toBe(true)
  expect(field?.check('a')).toEqual([])
})

test.each([
  ['hr', `'access' must be an object such as { View: ['hr'] }, not the text "hr"`],
  [null, "'access' must be an object such as { View: ['hr'] }, not null"],
  [{ view: ['hr'] }, "'access' has 'View' and 'Edit' only, not 'view'; did you mean 'View'?"],
  [{ Delete: ['hr'] }, "'access' has 'View' and 'Edit' only, not 'Delete'"],
  [{ View: 'hr' }, `'access.View' must be an array of roles, not the text "hr"`],
  [{ Edit: true }, "'access.Edit' must be an array of roles, not true"],
  [{ Edit: ['hr', 1] }, "'access.Edit': a role is a text, not 1"],
  [{ View: [''] }, "'access.View': a role must not be empty"],
  [{ View: ['Edit'] }, "'access.View': 'Edit' is an action and cannot be a role"],
])('access that says nothing sensible is refused: %j', (given, message) => {
  expect(problemsOf({ access: given })).toEqual([`thing.fields.value: ${message}`])
})

test('all problems of an access are listed', () => {
  expect(problemsOf({ access: { See: [], View: ['', 2], Edit: 'hr' } })).toHaveLength(4)
})

test('nobody can be allowed to set what is read-only, or to see what is write-only', () => {
  expect(problemsOf({ readOnly: true, access: { View: ['hr'] } })).toEqual([])
  expect(problemsOf({ readOnly: true, access: { Edit: ['hr'] } })).toEqual([
    "thing.fields.value: a 'readOnly' field cannot have 'access.Edit': no request can set it",
  ])
  expect(problemsOf({ writeOnly: true, access: { Edit: ['hr'] } })).toEqual([])
  expect(problemsOf({ writeOnly: true, access: { View: ['hr'] } })).toEqual([
    "thing.fields.value: a 'writeOnly' field cannot have 'access.View': no answer contains it",
  ])
})

test('access is an option of the field, not of what is inside of its value', () => {
  expect(problemsOf({ type: 'object', properties: { a: { type: 'string', access: {} } } })[0]).toMatch(
    /\/properties\/a: JSON Schema 2019-09 has no keyword 'access'/,
  )
})
