import { createStore } from '@fastify-crud/core'
import { createTables } from '@fastify-crud/tables'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { OpenDatabase } from '../../../../test/support/databases.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import { notebook } from './notebook.ts'

describeOnBoth('the store of a caller', (database) => {
  let open: OpenDatabase

  beforeAll(async () => {
    open = await database.open()
    await createTables(open.db, notebook)
  })
  afterAll(() => open.close())

  test('stays the store of this caller, though the object that was given changes', async () => {
    const guarded = createStore({
      db: open.db,
      resources: notebook,
      policies: { note: ({ eb, my }) => eb('authorId', '=', my('id')), topic: true },
    })
    for (const [text, authorId] of [
      ['mine', 1],
      ['theirs', 2],
    ] as const) {
      await guarded.asSystem().note.create({ text, authorId })
    }
    const caller = { id: 1 }
    const store = guarded.as(caller)
    try {
      caller.id = 2
    } catch {
      // It may be frozen.
    }
    expect((await store.note.list()).rows).toMatchObject([{ text: 'mine' }])
  })
})
