import { describe, expect, test } from 'vitest'
import { type TestApp, useApp } from '../../../../test/support/app.ts'
import { setups } from '../../../../test/support/databases.ts'
import { tickets } from './models/tickets.ts'
import { caller, headersOf, type Policies, type Who } from './support/as-caller.ts'

// The log of a direct SQLite database has the values of parameters in its statements.
const databases = setups.filter(({ isDirect }) => !isDirect)

describe.each(databases)('statements with policies ($title)', (database) => {
  const service = useApp(database, tickets, {
    plugin: {
      caller,
      policies: {
        ticket: {
          author: ({ eb, my }) => eb('authorId', '=', my('id')),
          assignee: { View: ({ eb, my }) => eb('assigneeId', '=', my('id')) },
        },
      },
    },
  })
  const sent = (who: Who) =>
    service.statements(async () => {
      await service.request('GET', '/api/ticket', undefined, headersOf(who))
      await service.request('GET', '/api/ticket/1', undefined, headersOf(who))
    })

  test('are the same for all callers with the same roles: who asks is a parameter', async () => {
    // The first list asks the driver what it offers.
    await sent({ user: 1, roles: [] })
    const first = await sent({ user: 7_654_321, roles: ['author', 'assignee'] })
    expect(first.length).toBeGreaterThan(0)
    expect(await sent({ user: 42, roles: ['author', 'assignee'] })).toEqual(first)
    expect(first.join()).not.toContain('7654321')
  })

  test('do not depend on the order of roles, nor on roles that no policy names', async () => {
    const first = await sent({ user: 1, roles: ['author', 'assignee'] })
    expect(await sent({ user: 1, roles: ['assignee', 'author'] })).toEqual(first)
    expect(await sent({ user: 1, roles: ['intern', 'author', 'x', 'assignee', 'author'] })).toEqual(first)
  })
})

describe.each(databases)('a PUT that updates and removes children ($title)', (database) => {
  const serviceWith = (comment: Policies[string]) =>
    useApp(database, tickets, { plugin: { caller, policies: { ticket: true, comment } } })
  const oneRule = serviceWith(({ eb }) => eb('text', '!=', 'x'))
  const rules = serviceWith({
    View: ({ eb }) => eb('text', '!=', 'x'),
    Add: true,
    Edit: ({ eb }) => eb('text', '!=', 'y'),
    Delete: true,
  })

  async function statementsOfPut(service: TestApp): Promise<readonly string[]> {
    const comments = ['a', 'b', 'c'].map((text) => ({ text }))
    const { body: ticket } = await service.request('POST', '/api/ticket', { title: 't', authorId: 1, comments })
    const [{ id }] = ticket.comments
    return await service.statements(async () => {
      const body = { ...ticket, comments: [{ id, text: 'changed' }] }
      const answer = await service.request('PUT', `/api/ticket/${ticket.id}`, body)
      expect(answer).toMatchObject({ status: 200, body })
    })
  }

  test('does not ask again about what it has read, if the rule that shows it also lets it be written', async () => {
    expect(await statementsOfPut(oneRule)).toHaveLength((await statementsOfPut(rules)).length - 1)
  })
})
