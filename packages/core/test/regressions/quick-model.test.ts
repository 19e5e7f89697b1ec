import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { defineResources, knows, needs, ownedBy, owns } from '@fastify-crud/core'
import { Type } from '@sinclair/typebox'
import { expect, test } from 'vitest'

setFlagsFromString('--allow-natives-syntax')
const isQuick = runInNewContext('(object) => %HasFastProperties(object)') as (object: object) => boolean

const { resources } = defineResources({
  person: {
    fields: { name: Type.String() },
    relations: { pets: owns.many('pet'), friends: knows.many('person') },
    columns: { name: 'full_name' },
  },
  pet: { fields: { name: Type.String() }, relations: { owner: ownedBy('person'), vet: needs.one('person') } },
})

test('a resource is an object whose properties the engine finds by their place, not by looking up their names', () => {
  expect([...resources.values()].filter((resource) => !isQuick(resource))).toEqual([])
})

test('so are its fields and relations, and what names in a body mean', () => {
  const parts = [...resources.values()].flatMap(({ fields, owns, ownedBy, references, links, names }) => [
    ...[...fields, ...owns, ...ownedBy, ...references, ...links],
    ...names.values(),
  ])
  expect(parts.length).toBeGreaterThan(8)
  expect(parts.filter((part) => !isQuick(part))).toEqual([])
})
