import { Type } from '@sinclair/typebox'
import { defineResources, ownedBy, owns } from 'fastify-crud'
import { beforeEach, expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import { officePolicies, offices } from './models/offices.ts'
import { ada as adaHeaders, asCaller, caller, headersOf, missingId } from './support/as-caller.ts'
import { useOffices } from './support/use-offices.ts'

const invalid = { code: 'CRUD_ERR_INVALID' } as const
const unknown = { code: 'CRUD_ERR_UNKNOWN_REFERENCE' } as const
const notFound = { code: 'CRUD_ERR_NOT_FOUND' } as const
const forbidden = { code: 'CRUD_ERR_FORBIDDEN' } as const

describeOnBoth('refusals come in this order:', (database) => {
  const { rows, ada } = useOffices(database, {
    invoice: {
      View: ({ eb, my }) => eb('orgId', '=', my('org')),
      Add: ({ eb, my }) => eb('orgId', '=', my('org')),
      Edit: ({ eb, my }) => eb.and([eb('orgId', '=', my('org')), eb('number', 'not like', 'closed%')]),
      Delete: ({ eb }) => eb('number', 'not like', 'closed%'),
    },
    note: {
      View: true,
      Add: ({ eb, my }) => eb('authorId', '=', my('id')),
      Edit: ({ eb, my }) => eb('authorId', '=', my('id')),
      Delete: ({ eb, my }) => eb('authorId', '=', my('id')),
    },
  })
  let closed: number
  let open: number

  beforeEach(async () => {
    const common = { orgId: 1, customerId: rows.customer.ours.id, lines: [{ text: 'a' }] }
    const note = { text: 'of Bob', authorId: 2 }
    closed = (await rows.all.invoice.create({ number: 'closed', ...common })).id
    const created = await rows.all.invoice.create({ number: 'open', ...common, notes: [note] })
    open = created.id
  })

  test('the body, then the path', async () => {
    const { id } = rows.invoice.hidden
    await ada.refuse('PATCH', `/api/invoice/${id}`, { nummer: 1 }, invalid)
    await ada.refuse('PUT', `/api/invoice/${id}`, {}, invalid)
    await ada.refuse('POST', `/api/invoice/${id}/line`, {}, invalid)
    await ada.refuse('DELETE', `/api/invoice/${id}?x=1`, undefined, invalid)
    await ada.refuse('PATCH', `/api/invoice/${id}`, { customerId: missingId }, notFound)
  })

  test('the body, then a policy on the path’s record', async () => {
    await ada.refuse('PATCH', `/api/invoice/${closed}`, { nummer: 1 }, invalid)
    await ada.refuse('DELETE', `/api/invoice/${closed}?x=1`, undefined, invalid)
  })

  test('a policy on the path’s record, then places that are taken', async () => {
    const seal = { text: 'x', signerId: 1 }
    for (const id of [open, closed]) await rows.all.invoice.owned(id, 'seal').create({ text: 'zebra', signerId: 2 })
    await ada.refuse('PATCH', `/api/invoice/${closed}`, { seal }, forbidden)
    await ada.refuse('PATCH', `/api/invoice/${open}`, { seal }, { code: 'CRUD_ERR_EXISTS', pointers: ['/seal'] })
  })

  test('a policy on the path’s record, then references', async () => {
    await ada.refuse('PATCH', `/api/invoice/${closed}`, { customerId: missingId }, forbidden)
    await ada.refuse('PATCH', `/api/invoice/${closed}`, { tags: [{ id: rows.tag.hidden.id }] }, forbidden)
    await ada.refuse('PATCH', `/api/invoice/${closed}`, { lines: [{ id: missingId, text: 'x' }] }, forbidden)
  })

  test('a policy on the path’s record, then what still needs it', async () => {
    await rows.all.reminder.create({ text: 'r', orgId: 1, invoiceId: closed })
    await ada.refuse('DELETE', `/api/invoice/${closed}`, undefined, forbidden)
  })

  test('references, then policies on other rows', async () => {
    const path = `/api/invoice/${open}`
    const notes = [{ text: 'x', authorId: 2 }]
    await ada.refuse('PATCH', path, { customerId: missingId, notes }, { ...unknown, pointers: ['/customerId'] })
    const body = { number: 'open', orgId: 1, customerId: missingId, notes: [] }
    await ada.refuse('PUT', path, body, { ...unknown, pointers: ['/customerId'] })
  })

  test('policies on other rows, then what is still needed', async () => {
    const { lines } = await rows.all.invoice.find(open)
    await rows.all.claim.create({ text: 'c', orgId: 1, lineId: lines[0]?.id ?? 0 })
    const body = { number: 'open', orgId: 1, customerId: rows.customer.ours.id, lines: [] }
    const { notes } = await rows.all.invoice.find(open)
    await ada.refuse('PUT', `/api/invoice/${open}`, { ...body, notes: [] }, forbidden)
    await ada.refuse('PUT', `/api/invoice/${open}`, { ...body, notes }, { code: 'CRUD_ERR_STILL_NEEDED' })
    await rows.all.reminder.create({ text: 'r', orgId: 1, invoiceId: open })
    await ada.refuse('DELETE', `/api/invoice/${open}`, undefined, forbidden)
  })
})

describeOnBoth('`caller` and `authorize`', (database) => {
  let allowed = true
  const service = useApp(database, offices, {
    plugin: {
      openapi: { responses: { 401: { description: 'No token.' } } },
      caller(request) {
        if (request.headers['x-user'] === undefined) throw Object.assign(new Error('who are you?'), { statusCode: 401 })
        return caller(request)
      },
      authorize: () => allowed,
      policies: officePolicies,
    },
  })

  test('come before what policies say: permission is checked before existence', async () => {
    allowed = false
    const client = asCaller(service, adaHeaders)
    await client.refuse('GET', `/api/invoice/${missingId}`, undefined, forbidden)
    await client.refuse('PATCH', `/api/invoice/${missingId}`, {}, forbidden)
    allowed = true
    await client.refuse('GET', `/api/invoice/${missingId}`, undefined, notFound)
    expect((await service.request('GET', '/api/invoice', undefined, headersOf({ org: 1 }))).status).toBe(401)
    expect(await client.read('/api/invoice')).toEqual({ rows: [], count: 0 })
  })
})

const doors = defineResources({
  door: { relations: { lock: owns.one('lock', { inverse: 'door', required: true }) } },
  lock: { relations: { door: ownedBy('door'), keys: owns.many('key', { inverse: 'lock' }) } },
  key: { fields: { holder: Type.Integer() }, relations: { lock: ownedBy('lock') } },
})

describeOnBoth('for a child that its owner must have,', (database) => {
  const mayNotDelete = new Set<string>()
  const service = useApp(database, doors, {
    plugin: {
      caller,
      authorize: (_, { action, resource }) => action !== 'Delete' || !mayNotDelete.has(resource),
      policies: { door: true, key: { View: true, Add: true, Delete: ({ eb, my }) => eb('holder', '=', my('id')) } },
    },
  })
  const stillNeeded = { code: 'CRUD_ERR_STILL_NEEDED' } as const
  const client = asCaller(service, adaHeaders)
  let path: string
  beforeEach(async () => {
    mayNotDelete.clear()
    const { body: door } = await client.post('/api/door', { lock: { keys: [{ holder: 1 }] } })
    path = `/api/door/${door.id}/lock/${door.lock.id}`
  })

  test('policies on what would go with it, then that it is needed', async () => {
    await client.refuse('DELETE', path, undefined, stillNeeded)
    await client.post(`${path}/key`, { holder: 2 })
    await client.refuse('DELETE', path, undefined, forbidden)
  })

  test('`authorize` of what would go with it, then that it is needed', async () => {
    mayNotDelete.add('key')
    await client.refuse('DELETE', path, undefined, forbidden)
    mayNotDelete.clear()
    await client.refuse('DELETE', path, undefined, stillNeeded)
  })
})
