import {
  createStore,
  defineResources,
  eraseHistory,
  knows,
  type Model,
  ownedBy,
  owns,
  pruneHistory,
} from '@fastify-crud/core'
import { createTables } from '@fastify-crud/tables'
import { Type } from '@sinclair/typebox'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { OpenDatabase } from '../../../../test/support/databases.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'

const resources = defineResources({
  file: { fields: { name: Type.String() }, history: true },
  memo: {
    softDelete: 'deletedAt',
    fields: { text: Type.String() },
    relations: { lines: owns.many('line'), file: knows.one('file') },
    history: { within: '2 days' },
  },
  line: { softDelete: 'deletedAt', fields: { text: Type.String() }, relations: { memo: ownedBy('memo') } },
})

const DAY = 24 * 60 * 60 * 1_000

describeOnBoth('What the history has', (database) => {
  let open: OpenDatabase
  beforeEach(async () => {
    open = await database.open()
    await createTables(open.db, resources as Model)
  })
  afterEach(() => open.close())
  const storeOf = () => createStore({ db: open.db, resources })
  const count = async (table: string) => (await open.db.selectFrom(table).selectAll().execute()).length
  const later = (days: number) => ({ now: new Date(Date.now() + days * DAY) })

  test('is removed once it is older than its resources keep it, and stays where one keeps it for good', async () => {
    const store = storeOf()
    await store.file.create({ name: 'a' })
    await store.memo.create({ text: 'x', fileId: 1, lines: [{ text: '1' }] })
    await store.memo.patch(1, { text: 'y' })
    await store.file.delete(1)
    expect(await pruneHistory(open.db, resources as Model, later(1))).toBe(0)
    expect(await pruneHistory(open.db, resources as Model, later(3))).toBe(2)
    expect((await store.memo.history(1)).rows).toEqual([])
    expect((await store.file.history(1)).rows.map(({ operation }) => operation)).toEqual(['delete', 'create'])
    expect(await pruneHistory(open.db, resources as Model, later(3))).toBe(0)
  })

  test('of one record is erased with what it owned, and what was done to others stays', async () => {
    const store = storeOf()
    await store.file.create({ name: 'a' })
    await store.memo.create({ text: 'secret', fileId: 1, lines: [{ text: 'secret' }] })
    await store.memo.create({ text: 'other', fileId: 1, lines: [] })
    await store.file.delete(1)
    await eraseHistory(open.db, resources as Model, { resource: 'memo', id: 1 })
    const rows = await open.db.selectFrom('crud_history').selectAll().execute()
    expect(JSON.stringify(rows)).not.toContain('secret')
    expect((await store.memo.history(1)).rows).toEqual([])
    expect((await store.memo.history(2)).rows).toHaveLength(2)
    const [gone] = (await store.file.history(1)).rows
    expect(gone?.changes).toHaveLength(2)
    await expect(store.file.undo(1, gone?.write ?? '')).rejects.toMatchObject({ code: 'CRUD_ERR_CHANGED' })
  })

  test('goes with a record that is purged', async () => {
    const store = storeOf()
    await store.memo.create({ text: 'x', lines: [{ text: '1' }] })
    await store.memo.delete(1)
    expect(await count('crud_history')).toBe(2)
    await store.memo.purge(1)
    expect([await count('crud_history'), await count('crud_history_records')]).toEqual([0, 0])
  })

  test('is not asked of a resource that the model does not have', async () => {
    await expect(eraseHistory(open.db, resources as Model, { resource: 'none', id: 1 })).rejects.toThrow(TypeError)
  })
})
