import { Type } from '@sinclair/typebox'
import { expect, test } from 'vitest'
import { countOf, defineResources, knows, ModelError, needs, ownedBy, owns } from '../../src/index.ts'

/** What is wrong with a model, by its place. */
function problemsOf(descriptors: object, tenant: unknown = { resource: 'org' }): Readonly<Record<string, string>> {
  try {
    defineResources(descriptors as Record<string, never>, { tenant: tenant ?? undefined } as never)
  } catch (error) {
    if (!(error instanceof ModelError)) throw error
    return Object.fromEntries(error.problems.map(({ place, message }) => [place, message]))
  }
  return {}
}

const org = {}

test('the tenants are a resource with an id of its own column and without an owner', () => {
  expect(problemsOf({ org, a: {} })).toEqual({})
  expect(problemsOf({ a: {} })).toEqual({ 'tenant.resource': "there is no resource 'org'" })
  expect(problemsOf({ org: { tenant: false } })).toMatchObject({ 'org.tenant': expect.stringContaining('shared') })
  const code = { id: ['code'], fields: { code: Type.String() } }
  expect(problemsOf({ org: code })).toMatchObject({ 'tenant.resource': expect.stringContaining('column of its own') })
  const owned = { relations: { a: ownedBy('a') } }
  const owner = { relations: { org: owns.one('org') } }
  expect(problemsOf({ org: owned, a: owner })).toMatchObject({ 'tenant.resource': expect.stringContaining('no owner') })
})

test('the declaration has known entries', () => {
  expect(problemsOf({ org }, 'org')).toMatchObject({ tenant: expect.stringContaining("{ resource: 'org' }") })
  expect(problemsOf({ org }, { resource: 'org', key: 'plain' })).toEqual({
    'tenant.key': "tenants have no 'key'; did you mean 'keys'?",
  })
  expect(problemsOf({ org }, { resource: 'org', keys: 'some' })).toEqual({
    'tenant.keys': "must be 'whole' or 'plain'",
  })
  expect(problemsOf({ org }, { resource: 'org', column: '' })).toHaveProperty(['tenant.column'])
  expect(problemsOf({ org }, { resource: 7 })).toEqual({ 'tenant.resource': 'must be the key of a resource' })
  expect(() => defineResources({ org }, { tenants: {} } as never)).toThrow("a model has no option 'tenants'")
})

test('tenants own nothing, as all records are a tenant’s', () => {
  const owner = { relations: { as: owns.many('a') } }
  const problems = problemsOf({ org: owner, a: { relations: { org: ownedBy('org') } } })
  expect(problems['org.relations.as']).toContain("use needs.one('org')")
})

test('a resource that all tenants share owns and names nothing that is one tenant’s', () => {
  const shared = { tenant: false, relations: { a: needs.one('a'), others: knows.many('a') } }
  const problems = problemsOf({ org, a: {}, shared })
  expect(Object.keys(problems)).toEqual(['shared.relations.a', 'shared.relations.others'])
  const needing = { relations: { shared: needs.one('shared'), others: knows.many('shared') } }
  expect(problemsOf({ org, a: needing, shared: { tenant: false } })).toEqual({})
})

test('`tenant` and `public` mean something in a model with tenants only', () => {
  expect(problemsOf({ a: { tenant: false } }, null)).toHaveProperty(['a.tenant'])
  expect(problemsOf({ org, a: { tenant: true } })).toHaveProperty(['a.tenant'])
  expect(problemsOf({ org, a: { public: true } })).toHaveProperty(['a.public'])
  expect(problemsOf({ org, a: { tenant: false, public: true } })).toEqual({})
})

test('the tenant’s column is that of a relation to the tenants, and of nothing else', () => {
  expect(problemsOf({ org, a: { relations: { org: needs.one('org') } } })).toEqual({})
  expect(problemsOf({ org, a: { relations: { org: knows.one('org') } } })).toEqual({
    'a.relations.org': 'every record has a tenant: use needs.one',
  })
  expect(problemsOf({ org, a: { fields: { orgId: Type.Integer() } } })).toHaveProperty(['a.orgId'])
  expect(problemsOf({ org, a: { columns: { id: 'ORGID' } } })).toHaveProperty(['a.id'])
  const field = { fields: { orgId: Type.Integer() } }
  expect(problemsOf({ org, a: field }, { resource: 'org', column: 'tenant_id' })).toEqual({})
  const links = { relations: { bs: knows.many('b', { from: 'orgId' }) } }
  expect(problemsOf({ org, a: links, b: {} })).toHaveProperty(['a.relations.bs'])
})

test('no property has the name by which lists of all tenants show the tenant', () => {
  const taken = 'lists of all tenants show the tenant by this name: name that one otherwise'
  const field = { fields: { orgId: Type.Integer() }, columns: { orgId: 'number' } }
  expect(problemsOf({ org, a: field })).toEqual({ 'a.orgId': taken })
  const link = { relations: { orgId: knows.many('b') } }
  expect(problemsOf({ org, a: link, b: {} })).toEqual({ 'a.orgId': taken })
  const reference = { relations: { org: knows.one('b') }, columns: { orgId: 'bId' } }
  expect(problemsOf({ org, a: reference, b: {} })).toEqual({ 'a.orgId': taken })
  const computed = { relations: { bs: knows.many('b') }, computed: { orgId: countOf('bs') } }
  expect(problemsOf({ org, a: computed, b: {} })).toEqual({ 'a.orgId': taken })
  const whose = {
    fields: { orgId: Type.Integer() },
    columns: { orgId: 'number', shopId: 'orgId' },
    relations: { shop: needs.one('org') },
  }
  expect(problemsOf({ org, a: whose })).toEqual({})
})

test('two resources of one table belong both to a tenant, or both to all', () => {
  const admin = { table: 'user', where: { kind: 'admin' } }
  const guest = { table: 'user', where: { kind: 'guest' } }
  expect(problemsOf({ org, admin, guest })).toEqual({})
  expect(problemsOf({ org, admin, guest: { ...guest, tenant: false } })).toEqual({
    'guest.tenant': 'admin, which has the same table, says otherwise',
  })
})
