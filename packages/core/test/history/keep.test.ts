import { createStore, defineResources, knows, type Model, ownedBy, owns } from '@fastify-crud/core'
import { createTables } from '@fastify-crud/tables'
import { Type } from '@sinclair/typebox'
import { sql } from 'kysely'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { OpenDatabase } from '../../../../test/support/databases.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'

const resources = defineResources({
  list: { fields: { title: Type.String() }, relations: { parts: owns.many('part') }, history: true },
  part: { fields: { name: Type.String() }, relations: { list: ownedBy('list'), items: owns.many('item') } },
  item: { fields: { text: Type.String() }, relations: { part: ownedBy('part') } },
  memo: { fields: { text: Type.String() } },
  shelf: { fields: { name: Type.String() }, relations: { lists: knows.many('list') }, history: true },
})

describeOnBoth('The history of records', (database) => {
  let open: OpenDatabase
  beforeEach(async () => {
    open = await database.open()
    await createTables(open.db, resources as Model)
  })
  afterEach(() => open.close())
  const kept = async () => {
    const rows = await open.db.selectFrom('crud_history').selectAll().orderBy('position').execute()
    const records = await open.db.selectFrom('crud_history_records').selectAll().execute()
    return rows.map((row) => ({
      operation: row.operation,
      resource: row.resource,
      record: row.record,
      effects: JSON.parse(row.effects as string),
      touched: records
        .filter(({ write }) => write === row.id)
        .map(({ resource, record }) => `${resource} ${record}`)
        .sort(),
    }))
  }

  test('has each write that touches a record, with all that owns it', async () => {
    const store = createStore({ db: open.db, resources })
    const list = await store.list.create({ title: 'A', parts: [{ name: 'p', items: [{ text: 'x' }] }] })
    await store.list.owned(1, 'parts').owned(1, 'items').patch(1, { text: 'y' })
    await store.memo.create({ text: 'not kept' })
    await store.list.replace(1, { ...list, parts: [] })
    expect(await kept()).toMatchSnapshot()
  })

  test('of a record has no link to another one with the same id', async () => {
    const store = createStore({ db: open.db, resources })
    await store.list.createMany([{ title: 'A' }, { title: 'B' }] as never)
    await store.shelf.createMany([{ name: 'a' }, { name: 'b' }] as never)
    await store.shelf.patchMany([
      { id: 1, lists: [{ id: 2 }] },
      { id: 2, lists: [{ id: 1 }] },
    ])
    const [entry] = (await store.shelf.history(1)).rows
    expect(entry?.changes).toMatchObject([{ action: 'Link', resource: 'shelf', id: 1, to: 2 }])
    const [ofList] = (await store.list.history(1)).rows
    expect(ofList?.changes).toMatchObject([{ action: 'Link', resource: 'shelf', id: 2, to: 1 }])
  })

  test('has nothing of a write that the database refuses, and each other one once', async () => {
    const store = createStore({ db: open.db, resources })
    const list = await store.list.create({ title: 'A', parts: [{ name: 'p', items: [{ text: 'x' }] }] })
    await sql`create unique index no_twins on part (name)`.execute(open.db)
    const twins = [{ name: 'q' }, { name: 'q' }]
    await expect(store.list.replace(1, { ...list, parts: [...list.parts, ...twins] })).rejects.toThrow()
    await expect(store.list.create({ title: 'B', parts: twins })).rejects.toThrow()
    expect((await kept()).map(({ operation }) => operation)).toEqual(['create'])
    await store.list.replace(1, { ...list, parts: [...list.parts, { name: 'q' }, { name: 'r' }] })
    await store.list.delete(1)
    expect((await kept()).map(({ operation }) => operation)).toEqual(['create', 'replace', 'delete'])
  })

  test('ends with a transaction of the application, and lacks what that has undone', async () => {
    const store = createStore({ db: open.db, resources })
    await open.db.transaction().execute(async (trx) => {
      const inside = store.in(trx)
      await inside.list.create({ title: 'A', parts: [] })
      await expect(inside.list.replace(9, { title: 'B', parts: [] })).rejects.toThrow()
      await inside.list.patch(1, { title: 'B' })
    })
    const undone = open.db.transaction().execute(async (trx) => {
      await store.in(trx).list.patch(1, { title: 'C' })
      throw new Error('undone')
    })
    await expect(undone).rejects.toThrow('undone')
    expect((await kept()).map(({ operation }) => operation)).toEqual(['create', 'patch'])
  })
})
