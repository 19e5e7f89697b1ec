import { expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import { tickets } from './models/tickets.ts'
import { ada, asCaller, caller } from './support/as-caller.ts'

const forbidden = { code: 'CRUD_ERR_FORBIDDEN' } as const

describeOnBoth('`Edit: { before, after }`', (database) => {
  const service = useApp(database, tickets, {
    plugin: {
      caller,
      policies: {
        ticket: {
          View: true,
          Add: ({ eb }) => eb('state', '=', 'draft'),
          Edit: {
            before: ({ eb }) => eb('state', '=', 'draft'),
            after: ({ eb }) => eb('state', 'in', ['draft', 'submitted']),
          },
          Delete: ({ eb }) => eb('state', '=', 'draft'),
        },
      },
    },
  })
  const client = asCaller(service, ada)
  const add = async () =>
    (await client.post('/api/ticket', { title: 't', authorId: 1, comments: [{ text: 'c' }] })).body

  test('a draft may be edited and submitted, but not after that', async () => {
    const { id, comments } = await add()
    const path = `/api/ticket/${id}`
    expect((await client.patch(path, { title: 'u' })).body).toMatchObject({ title: 'u', state: 'draft' })
    expect((await client.patch(path, { state: 'submitted' })).body).toMatchObject({ title: 'u', state: 'submitted' })
    await client.refuse('PATCH', path, { title: 'v' }, forbidden)
    await client.refuse('PATCH', path, { state: 'draft' }, forbidden)
    await client.refuse('PUT', path, { title: 'v', authorId: 1, comments: [] }, forbidden)
    await client.refuse('POST', `${path}/comment`, { text: 'late' }, forbidden)
    await client.refuse('DELETE', `${path}/comment/${comments[0].id}`, undefined, forbidden)
    await client.refuse('DELETE', path, undefined, forbidden)
  })

  test('a row must not become what `after` does not allow', async () => {
    const { id } = await add()
    await client.refuse('PATCH', `/api/ticket/${id}`, { state: 'paid' }, forbidden)
    await client.refuse('PUT', `/api/ticket/${id}`, { title: 't', authorId: 1, state: 'paid' }, forbidden)
    await client.refuse('POST', '/api/ticket', { title: 't', authorId: 1, state: 'submitted' }, forbidden)
  })
})

describeOnBoth('`Edit` as one expression', (database) => {
  const service = useApp(database, tickets, {
    plugin: {
      caller,
      policies: { ticket: { View: true, Add: true, Edit: ({ eb }) => eb('state', '=', 'draft'), Delete: true } },
    },
  })
  const client = asCaller(service, ada)

  test('must hold for the row before the write and for the row as stored', async () => {
    const { id } = (await client.post('/api/ticket', { title: 't', authorId: 1 })).body
    await client.refuse('PATCH', `/api/ticket/${id}`, { state: 'submitted' }, forbidden)
    const submitted = (await client.post('/api/ticket', { title: 't', authorId: 1, state: 'submitted' })).body
    await client.refuse('PATCH', `/api/ticket/${submitted.id}`, { state: 'draft' }, forbidden)
    expect((await client.patch(`/api/ticket/${id}`, { title: 'u' })).status).toBe(200)
  })
})
