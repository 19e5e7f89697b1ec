import { expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnDatabases } from '../../../../test/support/describe-on-databases.ts'
import { expectProblem } from '../../../../test/support/problem.ts'
import { tickets } from './models/tickets.ts'

describeOnDatabases('a value of the caller that no column can be compared with', (database) => {
  let value: unknown
  const service = useApp(database, tickets, {
    plugin: {
      caller: () => ({ team: value }),
      policies: {
        ticket: ({ eb, my }) => eb.or([eb('title', '=', my('team')), eb('state', '!=', my('team'))]),
      },
    },
  })

  test.each([
    ['an array', ['t']],
    ['an empty array', []],
    ['an object', { team: 't' }],
    ['a function', () => 't'],
    ['a symbol', Symbol('t')],
  ])('is a mistake of the application, on both databases: %s', async (_, wrong) => {
    await service.db.insertInto('ticket').values({ title: 't', state: 'draft', authorId: 1 }).execute()
    value = wrong
    expectProblem(await service.get('/api/ticket'), { code: 'CRUD_ERR_INTERNAL' })
    value = 't'
    expect((await service.read('/api/ticket')).count).toBe(1)
  })
})

describeOnDatabases('a value that the caller does not have', (database) => {
  const service = useApp(database, tickets, {
    plugin: {
      caller: () => ({ roles: ['member'] }),
      policies: { ticket: { member: ({ eb, my }) => eb('state', '!=', my('toString')) } },
    },
  })

  test('is missing, whatever all objects have of this name', async () => {
    await service.db.insertInto('ticket').values({ title: 't', state: 'draft', authorId: 1 }).execute()
    expect(await service.read('/api/ticket')).toEqual({ rows: [], count: 0 })
  })
})
