import { describe, expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { setups } from '../../../../test/support/databases.ts'
import { tickets } from './models/tickets.ts'
import { caller, headersOf, type Who } from './support/as-caller.ts'

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
