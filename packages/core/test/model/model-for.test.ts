import { defineResources, knows, needs, ownedBy, owns } from '@fastify-crud/core'
import { Type } from '@sinclair/typebox'
import { expect, test } from 'vitest'
import { ownedPath, pathIn, topPath } from '../../src/model/collection-path.ts'
import { type Field, type Model, resourceOf } from '../../src/model/model.ts'
import { modelFor, rolesInFields } from '../../src/model/model-for.ts'

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

const as = (...roles: string[]) => modelFor(model, new Set(roles))

function flagsOf(of: Model): Record<string, string> {
  const word = ({ readOnly, writeOnly }: Field) =>
    readOnly ? (writeOnly ? 'hidden' : 'read-only') : writeOnly ? 'write-only' : 'plain'
  return Object.fromEntries(resourceOf(of, 'person').fields.map((field) => [field.name, word(field)]))
}

test('a field is plain, read-only, write-only or hidden, by the roles of the caller', () => {
  expect(flagsOf(as())).toEqual({
    name: 'plain',
    salary: 'hidden',
    pin: 'write-only',
    grade: 'read-only',
    age: 'hidden',
    secret: 'hidden',
  })
  expect(flagsOf(as('hr'))).toMatchObject({ salary: 'plain', age: 'read-only', secret: 'write-only' })
  expect(flagsOf(as('lead'))).toMatchObject({ salary: 'read-only', grade: 'plain', age: 'hidden' })
  expect(flagsOf(as('lead', 'hr'))).toMatchObject({ salary: 'plain', grade: 'plain' })
})

test('the system sees and sets every field', () => {
  expect(flagsOf(model)).toEqual({
    name: 'plain',
    salary: 'plain',
    pin: 'plain',
    grade: 'plain',
    age: 'read-only',
    secret: 'write-only',
  })
})

test('a hidden field is in no body and no record, but stays at its place in the row and in unique keys', () => {
  const person = resourceOf(as(), 'person')
  expect([...person.names.keys()]).toEqual(['name', 'pin', 'grade', 'team', 'teamId', 'notes', 'friends'])
  expect(person.properties.map(({ name }) => name)).toEqual(['name', 'pin', 'grade', 'team', 'notes', 'friends'])
  const membersOf = (of: Model) =>
    resourceOf(of, 'person').members.map(({ name, column, position }) => ({ name, column, position }))
  expect(membersOf(as())).toEqual(membersOf(model))
  expect(person.uniques[0]?.members[1]).toBe(person.fields[1])
  expect(person.fields.filter(({ inSummary }) => inSummary).map(({ name }) => name)).toEqual(['name', 'grade'])
})

test('no body has to have a field that its caller may not set', () => {
  const strict = defineResources({
    doc: { fields: { state: Type.String({ access: { Edit: ['editor'] } }) } },
  })
  const isRequired = (roles: string[]) =>
    resourceOf(modelFor(strict, new Set(roles)), 'doc').fields.map(({ required }) => required)
  expect(isRequired(['editor'])).toEqual([true])
  expect(isRequired([])).toEqual([false])
})

test('the model of a role is complete and frozen, and its parts refer to each other only', () => {
  const derived = as('hr')
  expect(Object.isFrozen(derived)).toBe(true)
  const own = new Set(derived.resources.values())
  expect([...derived.resources.keys()]).toEqual([...model.resources.keys()])
  for (const resource of own) {
    const base = resourceOf(model, resource.key)
    expect(Object.isFrozen(resource)).toBe(true)
    expect(resource).not.toBe(base)
    expect({ ...resource, ...NOT_COMPARED }).toEqual({ ...base, ...NOT_COMPARED })
    for (const { source, target } of [
      ...resource.owns,
      ...resource.ownedBy,
      ...resource.references,
      ...resource.links,
    ]) {
      expect(own.has(source) && own.has(target)).toBe(true)
    }
    for (const field of resource.fields) expect(Object.isFrozen(field)).toBe(true)
  }
})

/** What holds fields, or relations that lead to resources with fields. */
const NOT_COMPARED = Object.fromEntries(
  [
    'fields',
    'members',
    'properties',
    'names',
    'uniques',
    'indexes',
    'owns',
    'ownedBy',
    'references',
    'links',
    'referencedBy',
    'linkedBy',
    'recursive',
  ].map((name) => [name, undefined]),
)

test('the model itself is returned where nothing differs', () => {
  expect(as('lead', 'hr')).not.toBe(model)
  const open = defineResources({ team: { fields: { name: Type.String(), rank: Type.Any({ access: {} }) } } })
  expect(modelFor(open, new Set())).toBe(open)
  const guarded = defineResources({
    team: { fields: { name: Type.String({ access: { View: ['hr'] }, default: '' }) } },
  })
  expect(modelFor(guarded, new Set(['hr']))).toBe(guarded)
})

test('the roles of a model are those that its fields name', () => {
  expect([...rolesInFields(model)].sort()).toEqual(['hr', 'lead'])
  expect(rolesInFields(defineResources({ team: { fields: { name: Type.String() } } })).size).toBe(0)
})

test('a path leads to the same collection in another model', () => {
  const derived = as()
  const notes = ownedPath(topPath(model, 'person'), 'notes')
  expect(pathIn(model, notes)).toBe(notes)
  expect(pathIn(derived, notes)).toBe(ownedPath(topPath(derived, 'person'), 'notes'))
  expect(pathIn(derived, topPath(model, 'team'))).toBe(topPath(derived, 'team'))
})
