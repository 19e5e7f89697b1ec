import { createStore } from '@fastify-crud/core'
import { createTables } from '@fastify-crud/tables'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { OpenDatabase } from '../../../../test/support/databases.ts'
import { describeOnDatabases } from '../../../../test/support/describe-on-databases.ts'
import type { TestKysely } from '../../../../test/support/tables.ts'
import { notebook } from './notebook.ts'

const forbidden = { code: 'CRUD_ERR_FORBIDDEN' } as const

describeOnDatabases("the store with policies in the application's own transaction", (database) => {
  let open: OpenDatabase
  const storeIn = (db: TestKysely) =>
    createStore({
      db,
      resources: notebook,
      policies: {
        note: ({ eb, my }) => eb('authorId', '=', my('id')),
        mark: { View: true, Add: ({ eb }) => eb('text', '!=', 'bad'), Edit: true, Delete: true },
        topic: true,
      },
    })

  beforeAll(async () => {
    open = await database.open()
    await createTables(open.db, notebook)
  })
  beforeEach(() => open.empty())
  afterAll(() => open.close())

  const texts = async () => (await storeIn(open.db).asSystem().note.list()).rows.map(({ text }) => text)

  test('leaves nothing of a write that a policy refuses, and the caller goes on and commits', async () => {
    await open.db.transaction().execute(async (trx) => {
      const { note } = storeIn(trx).as({ id: 1 })
      const first = await note.create({ text: 'first', authorId: 1 })
      await expect(note.create({ text: 'x', authorId: 2, marks: [{ text: 'm' }] })).rejects.toMatchObject(forbidden)
      await expect(note.patch(first.id, { authorId: 2 })).rejects.toMatchObject(forbidden)
      const children = { text: 'y', marks: [{ text: 'good' }, { text: 'bad' }] }
      await expect(note.patch(first.id, children)).rejects.toMatchObject(forbidden)
      await expect(note.owned(first.id, 'marks').create({ text: 'bad' })).rejects.toMatchObject(forbidden)
      expect(await note.find(first.id)).toEqual(first)
      await note.create({ text: 'last', authorId: 1, marks: [{ text: 'good' }] })
    })
    expect(await texts()).toEqual(['first', 'last'])
    expect((await sql`select 1 from mark`.execute(open.db)).rows).toHaveLength(1)
  })

  test('sees what the application itself has written there', async () => {
    await open.db.transaction().execute(async (trx) => {
      await trx.insertInto('note').values({ text: 'by hand', authorId: 1 }).execute()
      await trx.insertInto('note').values({ text: 'of another', authorId: 2 }).execute()
      expect((await storeIn(trx).as({ id: 1 }).note.list()).rows).toMatchObject([{ text: 'by hand' }])
      expect((await storeIn(trx).asSystem().note.list()).count).toBe(2)
    })
  })

  test('stores nothing if the application rolls back', async () => {
    const rolledBack = open.db.transaction().execute(async (trx) => {
      await storeIn(trx).as({ id: 1 }).note.create({ text: 'n', authorId: 1 })
      throw new Error('rolled back')
    })
    await expect(rolledBack).rejects.toThrow('rolled back')
    expect(await texts()).toEqual([])
  })
})
