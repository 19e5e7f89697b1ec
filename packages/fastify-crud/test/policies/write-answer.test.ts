import { expect, test } from 'vitest'
import { type Answer, useApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import { tickets } from './models/tickets.ts'
import { ada, asCaller, caller } from './support/as-caller.ts'

describeOnBoth('the answer of a write that leaves its record outside of View', (database) => {
  const service = useApp(database, tickets, {
    plugin: {
      caller,
      policies: {
        ticket: { View: ({ eb, my }) => eb('assigneeId', '=', my('id')), Add: true, Edit: true, Delete: true },
        comment: {
          View: ({ eb }) => eb('text', 'not like', '%zebra%'),
          Add: true,
          Edit: true,
          Delete: true,
        },
      },
    },
  })
  const client = asCaller(service, ada)
  const mine = async () => (await client.post('/api/ticket', { title: 't', authorId: 1, assigneeId: 1 })).body

  function expectMinimal(answer: Answer, status: number): void {
    expect(answer).toMatchObject({ status, body: undefined, headers: { 'preference-applied': 'return=minimal' } })
  }

  test('has no body, but the place of the new record', async () => {
    const answer = await client.post('/api/ticket', { title: 't', authorId: 1, assigneeId: 2 })
    expectMinimal(answer, 201)
    expect(answer.headers.location).toMatch(/^\/api\/ticket\/\d+$/)
    expect((await service.snapshot(['ticket'])).ticket).toHaveLength(1)
    expect((await client.get(String(answer.headers.location))).status).toBe(404)
  })

  test('has no body after PATCH and PUT, and what they wrote stays', async () => {
    const [first, second] = [await mine(), await mine()]
    expectMinimal(await client.patch(`/api/ticket/${first.id}`, { assigneeId: 2 }), 200)
    const body = { title: 'u', authorId: 1, assigneeId: 2, comments: [{ text: 'c' }] }
    expectMinimal(await client.put(`/api/ticket/${second.id}`, body), 200)
    expect(await client.read('/api/ticket')).toEqual({ rows: [], count: 0 })
    const stored = await service.db.selectFrom('ticket').select(['title', 'assigneeId']).orderBy('id').execute()
    expect(stored.map(({ title, assigneeId }) => [title, Number(assigneeId)])).toEqual([
      ['t', 2],
      ['u', 2],
    ])
  })

  test('has no body for a child of its own path', async () => {
    const { id } = await mine()
    const answer = await client.post(`/api/ticket/${id}/comment`, { text: 'zebra' })
    expectMinimal(answer, 201)
    expect(answer.headers.location).toMatch(new RegExp(`^/api/ticket/${id}/comment/\\d+$`))
  })

  test('shows of the record what is in View', async () => {
    const { id } = await mine()
    const { status, body } = await client.patch(`/api/ticket/${id}`, { comments: [{ text: 'zebra' }, { text: 'c' }] })
    expect(status).toBe(200)
    expect(body.comments).toEqual([{ id: expect.any(Number), text: 'c' }])
  })

  test('is as usual if the record stays in View', async () => {
    const { id } = await mine()
    const answer = await client.patch(`/api/ticket/${id}`, { title: 'u' })
    expect(answer).toMatchObject({ status: 200, body: { id, title: 'u', assigneeId: 1 } })
    expect(answer.headers).not.toHaveProperty('preference-applied')
  })
})
