import { defineResources, knows, needs, ownedBy, owns } from '@fastify-crud/core'
import { Type } from '@sinclair/typebox'
import { expect, test } from 'vitest'
import {
  ALL_FIELDS,
  FIELDS_OF_SOME,
  type FieldRights,
  fieldRightsOf,
  fieldsKey,
  limitsFields,
  rolesInFields,
} from '../../src/model/field-rights.ts'
import { resourceOf } from '../../src/model/model.ts'

const model = defineResources({
  person: {
    fields: {
      name: Type.String(),
      salary: Type.Integer({ default: 0, access: { View: ['hr', 'lead'], Edit: ['hr'] } }),
      pin: Type.Optional(Type.String({ access: { View: [] } })),
      grade: Type.Optional(Type.String({ access: { Edit: ['lead'] } })),
      age: Type.Integer({ readOnly: true, access: { View: ['hr'] } }),
      secret: Type.Optional(Type.String({ writeOnly: true, access: { Edit: ['hr'] } })),
    },
    columns: { salary: 'pay' },
    relations: { team: needs.one('team'), notes: owns.many('note'), friends: knows.many('person') },
    unique: [['team', 'salary']],
  },
  team: { fields: { name: Type.String() } },
  note: {
    fields: { text: Type.String(), mood: Type.Optional(Type.String({ access: { View: ['hr'], Edit: ['hr'] } })) },
    relations: { person: ownedBy('person') },
  },
})

const as = (...roles: string[]) => fieldRightsOf(new Set(roles))

function rightsInWords({ sees, sets }: FieldRights): Record<string, string> {
  const { fields } = resourceOf(model, 'person')
  return Object.fromEntries(
    fields.map((field) => [field.name, [sees(field) && 'sees', sets(field) && 'sets'].filter(Boolean).join(' and ')]),
  )
}

test('a caller may see and set a field, one of the two, or neither, by its roles', () => {
  expect(rightsInWords(as())).toEqual({
    name: 'sees and sets',
    salary: '',
    pin: 'sets',
    grade: 'sees',
    age: '',
    secret: '',
  })
  expect(rightsInWords(as('hr'))).toMatchObject({ salary: 'sees and sets', age: 'sees', secret: 'sets' })
  expect(rightsInWords(as('lead'))).toMatchObject({ salary: 'sees', grade: 'sees and sets', age: '' })
  expect(rightsInWords(as('lead', 'hr'))).toMatchObject({ salary: 'sees and sets', grade: 'sees and sets' })
})

test('the system sees and sets every field that is neither write-only nor read-only', () => {
  expect(rightsInWords(ALL_FIELDS)).toEqual({
    name: 'sees and sets',
    salary: 'sees and sets',
    pin: 'sees and sets',
    grade: 'sees and sets',
    age: 'sees',
    secret: 'sets',
  })
})

test('roles that give the same rights have the same key', () => {
  const keyOf = (...roles: string[]) => fieldsKey(model, new Set(roles))
  expect(keyOf()).toBe(keyOf('guest'))
  expect(keyOf('hr')).toBe(keyOf('guest', 'hr'))
  expect(new Set([keyOf(), keyOf('hr'), keyOf('lead'), keyOf('hr', 'lead')]).size).toBe(4)
})

test('a model without limits for any caller says so', () => {
  const open = defineResources({ team: { fields: { name: Type.String(), rank: Type.Any({ access: {} }) } } })
  expect(limitsFields(open)).toBe(false)
  expect(limitsFields(model)).toBe(true)
  const closed = defineResources({ team: { fields: { name: Type.String({ access: { View: [] }, default: '' }) } } })
  expect(limitsFields(closed)).toBe(true)
})

test('the roles of a model are those that its fields name', () => {
  expect([...rolesInFields(model)].sort()).toEqual(['hr', 'lead'])
  expect(rolesInFields(defineResources({ team: { fields: { name: Type.String() } } })).size).toBe(0)
})

test('some caller sees and sets what any role allows, and nobody what none does', () => {
  expect(rightsInWords(FIELDS_OF_SOME)).toEqual({ ...rightsInWords(ALL_FIELDS), pin: 'sets' })
})
