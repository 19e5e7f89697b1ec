import { set } from '@fastify-crud/core'
import { Type } from '@sinclair/typebox'
import { type CrudOptions, defineResources, needs } from 'fastify-crud'
import { beforeEach, expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import { asCaller, type Client, caller, type Policies } from '../policies/support/as-caller.ts'
import { type DeskRows, desk, deskRules, fillDesk } from './support/desk.ts'
import { withRules } from './support/rules.ts'
import { storeWith } from './support/store-with.ts'

const policies: Policies = {
  // Nobody sees organisations, and users see themselves.
  org: false,
  user: ({ eb, my }) => eb('id', '=', my('id')),
  ticket: ({ eb, my }) => eb('orgId', '=', my('org')),
}

describeOnBoth('a foreign key that a rule gives may name a record that the caller does not see:', (database) => {
  const service = useApp(database, desk, withRules(deskRules, { caller, policies }))
  let rows: DeskRows
  let ada: Client
  beforeEach(async () => {
    rows = await fillDesk(service.db)
    ada = asCaller(service, { user: rows.ada.id, org: rows.north.id })
  })

  test('the row is stored, and shows the foreign key with null beside it', async () => {
    const { status, body } = await ada.post('/api/ticket', { title: 't', comments: [{ text: 'c' }] })
    expect(status).toBe(201)
    expect(body).toMatchObject({ orgId: rows.north.id, org: null, createdBy: rows.ada })
    expect(await ada.put(`/api/ticket/${body.id}`, body)).toMatchObject({ status: 200, body })
    const { orgId: _, ...withoutReadOnly } = body
    expect(await ada.put(`/api/ticket/${body.id}`, withoutReadOnly)).toMatchObject({ status: 200, body })
  })

  test('a body still cannot name it', async () => {
    const expected = { code: 'CRUD_ERR_UNKNOWN_REFERENCE', pointers: ['/topicId'] } as const
    await ada.refuse('POST', '/api/ticket', { title: 't', topicId: rows.north.id }, expected)
  })

  test('a body cannot name it either where a rule names the same', async () => {
    const { body } = await ada.post('/api/ticket', { title: 't' })
    const expected = { code: 'CRUD_ERR_UNKNOWN_REFERENCE', pointers: ['/topicId'] } as const
    await ada.refuse('PATCH', `/api/ticket/${body.id}`, { title: 'u', topicId: rows.north.id }, expected)
  })

  test('policies look at the row with it', async () => {
    const { body } = await ada.post('/api/ticket', { title: 't' })
    const bo = asCaller(service, { user: rows.bo.id, org: rows.south.id })
    expect((await bo.get(`/api/ticket/${body.id}`)).status).toBe(404)
    const store = storeWith(service.db, desk, { ticket: set({ orgId: () => rows.south.id }) }, { policies })
    const asAda = store.as({ id: rows.ada.id, org: rows.north.id }).resource('ticket')
    await expect(asAda.create({ title: 't' })).rejects.toMatchObject({ code: 'CRUD_ERR_FORBIDDEN' })
  })
})

describeOnBoth('a foreign key that a rule gives, where `authorize` does not show what it names,', (database) => {
  const authorize: CrudOptions['authorize'] = (_, { action, resource }) => action !== 'View' || resource === 'ticket'
  const service = useApp(database, desk, withRules(deskRules, { caller, authorize }))

  test('is stored and shown', async () => {
    const { ada, north } = await fillDesk(service.db)
    const client = asCaller(service, { user: ada.id, org: north.id })
    const { status, body } = await client.post('/api/ticket', { title: 't' })
    expect(status, JSON.stringify(body)).toBe(201)
    expect(body).toMatchObject({ orgId: north.id, createdById: ada.id })
    expect(body).not.toHaveProperty('org')
    expect(await client.put(`/api/ticket/${body.id}`, { ...body, title: 'u' })).toMatchObject({ status: 200 })
  })
})

const letters = defineResources({
  org: { fields: { name: Type.String() } },
  letter: {
    fields: { text: Type.String(), note: Type.Optional(Type.String({ access: { View: ['staff'] } })) },
    relations: { org: needs.one('org') },
  },
})

describeOnBoth('a foreign key that a rule gives, where roles decide about fields,', (database) => {
  const rules = { letter: set({ orgId: ({ caller }) => caller.org }) }
  const service = useApp(database, letters, withRules(rules, { caller }))

  test('is read-only for callers of any role', async () => {
    const { id } = await service.add('/api/org', { name: 'North' })
    for (const roles of [[], ['staff']]) {
      const client = asCaller(service, { org: id, roles })
      expect((await client.post('/api/letter', { text: 't' })).body).toMatchObject({ orgId: id })
      const expected = { code: 'CRUD_ERR_INVALID', pointers: ['/orgId'] } as const
      await client.refuse('POST', '/api/letter', { text: 't', orgId: id }, expected)
    }
  })
})

describeOnBoth('the store gives foreign keys by rules', (database) => {
  const service = useApp(database, desk)

  test('as the routes do, and takes none of them in a body', async () => {
    const { ada, bo, north } = await fillDesk(service.db)
    const store = storeWith(service.db, desk, deskRules)
    const tickets = store.as({ id: ada.id, org: north.id }).resource('ticket')
    const ticket = await tickets.create({ title: 't', comments: [{ text: 'c' }] })
    expect(ticket).toMatchObject({ orgId: north.id, comments: [{ authorId: ada.id }] })
    const asBo = store.as({ id: bo.id, org: north.id }).resource('ticket')
    expect(await asBo.patch(ticket.id, { title: 'u' })).toMatchObject({ createdById: ada.id, updatedById: bo.id })
    await expect(asBo.patch(ticket.id, { orgId: north.id })).rejects.toMatchObject({
      code: 'CRUD_ERR_INVALID',
      errors: [{ pointer: '/orgId', message: 'is read-only: leave it out' }],
    })
  })
})
