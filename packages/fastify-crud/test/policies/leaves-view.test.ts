import { beforeEach, describe, expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { setups } from '../../../../test/support/databases.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import { otherWriter } from '../../../../test/support/other-writer.ts'
import { expectProblem } from '../../../../test/support/problem.ts'
import { tickets } from './models/tickets.ts'
import { ada as adaHeaders, caller, headersOf } from './support/as-caller.ts'
import { useOffices } from './support/use-offices.ts'

const notFound = { code: 'CRUD_ERR_NOT_FOUND' } as const
const unknown = { code: 'CRUD_ERR_UNKNOWN_REFERENCE' } as const

describeOnBoth('a row that leaves View between two requests', (database) => {
  const { rows, ada } = useOffices(database)

  test('is 404 for a client that still has what it was shown', async () => {
    const { second } = rows.invoice
    const path = `/api/invoice/${second.id}`
    const shown = await ada.read(path)
    await rows.all.invoice.patch(second.id, { orgId: 2, number: 'zebra' })
    await ada.refuse('PUT', path, { ...shown, number: 'x' }, notFound)
    await ada.refuse('PUT', path, shown, notFound)
    await ada.refuse('PATCH', path, { number: 'x' }, notFound)
    await ada.refuse('POST', `${path}/line`, { text: 'x' }, notFound)
    await ada.refuse('DELETE', path, undefined, notFound)
  })

  test('may not be referred to any more, but a reference to it stays', async () => {
    const { second, ours } = rows.invoice
    const { customer, tag } = rows
    const path = `/api/invoice/${second.id}`
    const shown = await ada.read(path)
    await rows.all.customer.patch(customer.ours.id, { orgId: 2, name: 'zebra' })
    await rows.all.tag.patch(tag.ours.id, { orgId: 2, name: 'zebra' })
    const body = { number: 'x', orgId: 1, customerId: customer.ours.id }
    await ada.refuse('POST', '/api/invoice', body, { ...unknown, pointers: ['/customerId'] })
    await ada.refuse('PATCH', path, { tags: [{ id: tag.ours.id }] }, { ...unknown, pointers: ['/tags/0/id'] })
    expect((await ada.put(path, { ...shown, number: 'new' })).body).toMatchObject({ number: 'new', customer: null })
    expect((await ada.read(`/api/invoice/${ours.id}`)).tags).toEqual([])
    expect((await rows.all.invoice.find(ours.id)).tags).toHaveLength(2)
  })

  test('is there again when it comes back', async () => {
    const { second } = rows.invoice
    const path = `/api/invoice/${second.id}`
    await rows.all.invoice.patch(second.id, { orgId: 2 })
    await ada.refuse('GET', path, undefined, notFound)
    await rows.all.invoice.patch(second.id, { orgId: 1 })
    expect((await ada.patch(path, { number: 'back' })).status).toBe(200)
  })
})

const postgres = setups.filter(({ name }) => name === 'postgres')

describe.each(postgres)('a row that changes while a write waits for its lock ($title)', (database) => {
  const service = useApp(database, tickets, {
    plugin: {
      caller,
      policies: {
        ticket: {
          View: ({ eb, my }) => eb('authorId', '=', my('id')),
          Add: true,
          Edit: ({ eb }) => eb('state', '=', 'draft'),
          Delete: ({ eb }) => eb('state', '=', 'draft'),
        },
      },
    },
  })
  const headers = headersOf(adaHeaders)
  let id: number
  let commentId: number

  beforeEach(async () => {
    const body = { title: 't', authorId: 1, comments: [{ text: 'c' }] }
    const created = await service.request('POST', '/api/ticket', body, headers)
    id = created.body.id
    commentId = created.body.comments[0].id
  })

  const requests = (): [string, string, unknown][] => [
    ['PATCH', `/api/ticket/${id}`, { title: 'x' }],
    ['PATCH', `/api/ticket/${id}`, { title: 'x', comments: [{ text: 'x' }] }],
    ['PUT', `/api/ticket/${id}`, { title: 'x', authorId: 1, comments: [] }],
    ['POST', `/api/ticket/${id}/comment`, { text: 'x' }],
    ['PATCH', `/api/ticket/${id}/comment/${commentId}`, { text: 'x' }],
    ['PUT', `/api/ticket/${id}/comment/${commentId}`, { text: 'x' }],
    ['DELETE', `/api/ticket/${id}/comment/${commentId}`, undefined],
    ['DELETE', `/api/ticket/${id}`, undefined],
  ]

  /** Sends each request while somebody else changes the ticket, and undoes the change after it. */
  async function meanwhile(change: string, undo: string, code: 'CRUD_ERR_NOT_FOUND' | 'CRUD_ERR_FORBIDDEN') {
    for (const [method, path, body] of requests()) {
      const writer = await otherWriter(service.database)
      await writer.run(`update ticket set ${change} where id = ${id}`)
      const answer = service.request(method, path, body, headers)
      await writer.untilAwaited()
      await writer.end('commit')
      const before = await service.snapshot()
      expectProblem(await answer, { code })
      expect(await service.snapshot(), `${method} ${path}`).toEqual(before)
      const other = await otherWriter(service.database)
      await other.run(`update ticket set ${undo} where id = ${id}`)
      await other.end('commit')
    }
  }

  test('is 404 if it has left View', async () => {
    await meanwhile('"authorId" = 2', '"authorId" = 1', 'CRUD_ERR_NOT_FOUND')
  })

  test('is 403 if it has left Edit and Delete', async () => {
    await meanwhile("state = 'submitted'", "state = 'draft'", 'CRUD_ERR_FORBIDDEN')
  })
})
