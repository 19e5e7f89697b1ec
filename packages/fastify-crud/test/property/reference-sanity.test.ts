import { isDeepStrictEqual } from 'node:util'
import { Type } from '@sinclair/typebox'
import fc from 'fast-check'
import { knows, needs, ownedBy, owns } from 'fastify-crud'
import { expect, test } from 'vitest'
import { seed } from '../../../../test/support/seed.ts'
import type { Json } from './json.ts'
import { randomModel } from './random-model.ts'
import { randomRecipe, toRequest } from './random-requests.ts'
import { Reference } from './reference.ts'
import type { Method } from './reference-answer.ts'
import { type RefModel, readDescriptors } from './reference-model.ts'
import { settle } from './reference-settle.ts'
import { childrenOf, linksOf, rowsOf, type State } from './reference-store.ts'

/** What must be true of everything that is stored, whatever was written. */
function brokenIn(model: RefModel, state: State): string[] {
  const broken: string[] = []
  const { stillNeeded, sharing } = settle(model, structuredClone(state))
  if (stillNeeded) broken.push('a needed record is not there')
  if (sharing.length > 0) broken.push('a unique value is there twice')
  for (const resource of model.resources.values()) {
    for (const row of rowsOf(state, resource.key).values()) {
      const owner = resource.owners.find(({ name }) => name === row.owner?.relation)
      const isOrphan = owner === undefined ? !resource.isRoot : !rowsOf(state, owner.target).has(row.owner?.id ?? 0)
      if (isOrphan) broken.push(`${resource.key} ${row.id} has no owner`)
      for (const { foreignKey, target, nullable } of resource.references) {
        const id = row.values[foreignKey]
        if (id === null ? !nullable : !rowsOf(state, target).has(Number(id)))
          broken.push(`${resource.key}.${foreignKey}`)
      }
      for (const { table, from, needs, name } of resource.links) {
        const isLinked = linksOf(state, table).some((link) => link[from] === row.id)
        if (needs && !isLinked) broken.push(`${resource.key}.${name} is empty`)
      }
      for (const owns of resource.owns.filter(({ many }) => !many)) {
        const count = childrenOf(state, row, owns).length
        if (count > 1 || (count === 0 && owns.required)) broken.push(`${resource.key}.${owns.name}: ${count}`)
      }
    }
  }
  return broken
}

const family = new Reference(
  readDescriptors({
    parent: {
      fields: { name: Type.String() },
      relations: { children: owns.many('child'), toy: knows.one('toy') },
    },
    child: {
      fields: { code: Type.Optional(Type.String()) },
      relations: { parent: ownedBy('parent'), toy: needs.one('toy') },
      unique: [['code']],
    },
    toy: { fields: {} },
  }),
)

/** Sends one request to a reference: the status, and what it says. */
function send(reference: Reference, method: Method, path: string, body?: Json): [number, unknown] {
  const parts = path.split('/').slice(1)
  const owners = parts.slice(0, parts.length - (parts.length % 2 === 0 ? 2 : 1))
  const pairs = owners.flatMap((segment, index) => (index % 2 === 0 ? [{ segment, id: owners[index + 1] ?? '' }] : []))
  const [segment = '', id] = parts.slice(owners.length)
  const answer = reference.send({ method, address: { owners: pairs, segment, id }, query: {}, body })
  const said = 'body' in answer ? answer.body : 'code' in answer ? [answer.code, ...(answer.pointers ?? [])] : undefined
  return [answer.status, said]
}

test('a story that was worked out by hand', () => {
  const toy = { id: 1 }
  const child = (id: number, code: string | null) => ({ id, code, toyId: 1, toy })
  expect(send(family, 'POST', '/toy', {})).toEqual([201, toy])
  expect(send(family, 'POST', '/parent', { name: 'a', children: [{ code: 'x', toyId: 1 }, { toyId: 1 }] })).toEqual([
    201,
    { id: 1, name: 'a', children: [child(1, 'x'), child(2, null)], toyId: null, toy: null },
  ])
  const swapped = [
    { id: 1, toyId: 1 },
    { id: 2, code: 'x', toyId: 1 },
  ]
  expect(send(family, 'PUT', '/parent/1', { name: 'b', toyId: 1, children: swapped })).toEqual([
    200,
    { id: 1, name: 'b', children: [child(1, null), child(2, 'x')], toyId: 1, toy },
  ])
  expect(send(family, 'POST', '/parent/1/child', { code: 'x', toyId: 1 })).toEqual([409, ['CRUD_ERR_NOT_UNIQUE', '']])
  expect(send(family, 'POST', '/parent/1/child', { code: 5 })).toEqual([400, ['CRUD_ERR_INVALID', '/code', '/toyId']])
  expect(send(family, 'PATCH', '/parent/1', { children: [{ id: 3 }] })).toEqual([
    400,
    ['CRUD_ERR_UNKNOWN_REFERENCE', '/children/0'],
  ])
  expect(send(family, 'DELETE', '/toy/1')).toEqual([409, ['CRUD_ERR_STILL_NEEDED']])
  expect(send(family, 'DELETE', '/parent/1/child/1')).toEqual([204, undefined])
  expect(send(family, 'PUT', '/parent/1', { name: 'c', toyId: 1 })).toEqual([
    200,
    { id: 1, name: 'c', children: [], toyId: 1, toy },
  ])
  expect(send(family, 'DELETE', '/toy/1')).toEqual([204, undefined])
  expect(send(family, 'GET', '/parent/1')).toEqual([200, { id: 1, name: 'c', children: [], toyId: null, toy: null }])
  expect(send(family, 'GET', '/parent/2')).toEqual([404, ['CRUD_ERR_NOT_FOUND']])
  expect(send(family, 'GET', '/parent/01')).toEqual([400, ['CRUD_ERR_INVALID']])
})

test('the reference keeps the invariants of every model, and most of the random requests are good', () => {
  let sent = 0
  let good = 0
  const sequence = fc.array(randomRecipe, { minLength: 1, maxLength: 40, size: 'max' })
  fc.assert(
    fc.property(randomModel, sequence, (descriptors, recipes) => {
      const model = readDescriptors(descriptors)
      const reference = new Reference(model)
      for (const recipe of recipes) {
        const before = structuredClone(reference.state)
        const request = toRequest(reference, recipe, (key, distance) => {
          return (reference.state.lastId.get(key) ?? 0) + 1 + distance
        })
        const { status } = reference.send(request)
        sent += 1
        if (status < 400) good += 1
        else expect(isDeepStrictEqual(reference.state, before)).toBe(true)
        if (recipe.kind === 'same' && request.method === 'PUT') expect([status, reference.state]).toEqual([200, before])
        expect(brokenIn(model, reference.state)).toEqual([])
      }
    }),
    { seed, numRuns: 150 },
  )
  expect(good / sent).toBeGreaterThan(0.4)
})
