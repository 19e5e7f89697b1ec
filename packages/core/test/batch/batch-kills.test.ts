import { type BatchRequest, createStore, defineActions, defineResources } from '@fastify-crud/core'
import { createTables } from '@fastify-crud/tables'
import { Type } from '@sinclair/typebox'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { OpenDatabase } from '../../../../test/support/databases.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'

describeOnBoth('a batch whose connection is lost', (database) => {
  const resources = defineResources({ author: { history: true, fields: { name: Type.String() } } })
  let kills = 0
  const actions = defineActions(resources, {
    author: {
      lose: {
        on: 'list',
        asks: 'View',
        answer: Type.Null(),
        async run({ db }) {
          if (kills-- <= 0) return null
          if (database.name !== 'postgres') throw new Error('the process would end here')
          await sql`select pg_terminate_backend(pg_backend_pid())`.execute(db)
          return null
        },
      },
    },
  })
  let opened: OpenDatabase
  const open = () => createStore({ db: opened.db, resources, actions })
  beforeAll(async () => {
    opened = await database.open()
    await createTables(opened.db, resources)
  })
  beforeEach(() => opened.empty())
  afterAll(() => opened.close())

  const requests: readonly BatchRequest[] = [
    { method: 'POST', path: '/author', body: { name: 'One' }, as: 'one' },
    { method: 'POST', path: '/author/$act/lose' },
    { method: 'PATCH', path: '/author/$new.one', body: { name: 'Two' } },
  ]

  test('has stored nothing', async () => {
    kills = 1_000
    await expect(open().batch(requests)).rejects.toThrow()
    kills = 0
    expect((await open().author.list()).rows).toEqual([])
  })

  test('is tried again as a whole, and is one write in the history', async () => {
    kills = database.name === 'postgres' ? 1 : 0
    const { answers } = await open().batch(requests)
    expect(answers.map(({ status }) => status)).toEqual([201, 200, 200])
    const { rows } = await open().author.list()
    expect(rows.map(({ name }) => name)).toEqual(['Two'])
    const writes = await opened.db.selectFrom('crud_history').selectAll().execute()
    expect(writes.map(({ operation }) => operation)).toEqual(['batch'])
  })
})
