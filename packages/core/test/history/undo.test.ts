import {
  type AnyKysely,
  createStore,
  defineResources,
  field,
  knows,
  type Model,
  needs,
  ownedBy,
  owns,
} from '@fastify-crud/core'
import { createTables } from '@fastify-crud/tables'
import { Type } from '@sinclair/typebox'
import { sql } from 'kysely'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { OpenDatabase } from '../../../../test/support/databases.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'

const resources = defineResources({
  tag: { fields: { name: Type.String() }, history: true },
  list: {
    fields: { title: Type.String(), code: Type.Optional(Type.String()) },
    unique: [['code']],
    relations: { parts: owns.many('part'), tags: knows.many('tag'), lead: knows.one('item'), mark: knows.one('tag') },
    history: true,
  },
  part: {
    fields: { name: Type.String() },
    relations: { list: ownedBy('list', { moves: true }), items: owns.many('item', { order: 'position' }) },
  },
  item: {
    fields: { text: Type.String(), done: field(Type.Boolean(), { default: false }) },
    relations: { part: ownedBy('part'), next: knows.one('item') },
  },
  note: {
    fields: { text: Type.String() },
    relations: { about: knows.one('item'), of: needs.one('list', { optional: true }) },
    history: true,
  },
  bin: {
    softDelete: 'deletedAt',
    fields: { text: Type.String() },
    relations: { papers: owns.many('paper') },
    history: true,
  },
  paper: { softDelete: 'deletedAt', fields: { text: Type.String() }, relations: { bin: ownedBy('bin') } },
  door: {
    fields: { code: Type.Optional(Type.String({ writeOnly: true })) },
    relations: { locks: owns.many('lock') },
    history: true,
  },
  lock: { fields: { kind: Type.String() }, relations: { door: ownedBy('door') } },
})

describeOnBoth('An undo', (database) => {
  let open: OpenDatabase
  let db: AnyKysely
  beforeEach(async () => {
    open = await database.open()
    db = open.db
    await createTables(db, resources as Model)
  })
  afterEach(() => open.close())
  const stores = () => createStore({ db, resources })
  const tables = ['tag', 'list', 'part', 'item', 'note', 'bin', 'paper', 'list_tags']
  const all = async () => {
    const rows: Record<string, unknown> = {}
    for (const table of tables) {
      const found = await db.selectFrom(table).selectAll().execute()
      rows[table] = found.map((row) => JSON.stringify(row)).sort()
    }
    return rows
  }
  const last = async (of: { history(id: number): Promise<{ rows: { write: string }[] }> }, id: number) =>
    (await of.history(id)).rows[0]?.write ?? ''

  test('brings back a record that names one record and is linked to another one of the same resource', async () => {
    const store = stores()
    await store.tag.createMany([{ name: 'a' }, { name: 'b' }])
    await store.list.create({ title: 'A', tags: [{ id: 1 }], markId: 2 })
    const before = await all()
    await store.list.delete(1)
    await store.list.undo(1, await last(store.list, 1))
    expect(await all()).toEqual(before)
  })

  test('sets back what a PUT has changed, removed and added, with ids, links and cleared references', async () => {
    const store = stores()
    await store.tag.createMany([{ name: 'a' }, { name: 'b' }])
    await store.list.create({
      title: 'A',
      tags: [{ id: 1 }],
      parts: [
        { name: 'p', items: [{ text: 'x' }, { text: 'y' }] },
        { name: 'q', items: [] },
      ],
    })
    await store.list.patch(1, { leadId: 2 })
    await store.list.owned(1, 'parts').owned(1, 'items').patch(1, { nextId: 2 })
    await store.note.create({ text: 'n', aboutId: 2 })
    const before = await all()
    await store.list.replace(1, {
      title: 'B',
      parts: [{ id: 2, name: 'q' }, { name: 'r' }],
      tags: [{ id: 2 }],
    } as never)
    const between = await all()
    const write = await last(store.list, 1)
    await store.list.undo(1, write)
    expect(await all()).toEqual(before)
    await store.list.undo(1, await last(store.list, 1))
    expect(await all()).toEqual(between)
  })

  test('brings back a deleted record with all that it owned, and takes a new one away', async () => {
    const store = stores()
    await store.list.create({ title: 'A', code: 'x', parts: [{ name: 'p', items: [{ text: 'x' }] }] })
    await store.note.create({ text: 'n', aboutId: 1 })
    const before = await all()
    await store.list.delete(1)
    const write = await last(store.list, 1)
    expect(await store.list.undo(1, write)).toMatchObject({ id: 1, parts: [{ id: 1, items: [{ id: 1 }] }] })
    expect(await all()).toEqual(before)
    const { id } = await store.list.create({ title: 'B' })
    expect(await store.list.undo(id, await last(store.list, id))).toBeUndefined()
    expect(await all()).toEqual(before)
  })

  test('moves a record back, and gives deleted rows that are kept back', async () => {
    const store = stores()
    await store.list.createMany([{ title: 'A', parts: [{ name: 'p' }] }, { title: 'B' }])
    await store.bin.create({ text: 'b', papers: [{ text: '1' }, { text: '2' }] })
    const before = await all()
    await store.list.owned(1, 'parts').patch(1, { listId: 2 })
    await store.list.undo(2, await last(store.list, 2))
    expect(await all()).toEqual(before)
    await store.bin.delete(1)
    await store.bin.undo(1, await last(store.bin, 1))
    expect(await all()).toEqual(before)
  })

  test('is refused where later writes have changed what it would set back, and nothing is undone', async () => {
    const store = stores()
    await store.list.create({ title: 'A', parts: [{ name: 'p' }] })
    const created = await last(store.list, 1)
    await store.list.patch(1, { title: 'B' })
    const renamed = await last(store.list, 1)
    await store.list.patch(1, { title: 'C' })
    const before = await all()
    await expect(store.list.undo(1, renamed)).rejects.toMatchObject({
      code: 'CRUD_ERR_CHANGED',
      changes: [{ action: 'Edit', resource: 'list', id: 1, before: { title: 'B' }, after: { title: 'C' } }],
    })
    await expect(store.list.undo(1, created)).rejects.toMatchObject({ code: 'CRUD_ERR_CHANGED' })
    expect(await all()).toEqual(before)
  })

  test('is refused where the row of a deleted record has other values than it was deleted with', async () => {
    const store = stores()
    await store.bin.create({ text: 'a' })
    await store.bin.patch(1, { text: 'b' })
    const renamed = await last(store.bin, 1)
    await store.bin.delete(1)
    const deleted = await last(store.bin, 1)
    await store.bin.restore(1)
    await store.bin.undo(1, renamed)
    await store.bin.delete(1)
    const before = await all()
    await expect(store.bin.undo(1, deleted)).rejects.toMatchObject({
      code: 'CRUD_ERR_CHANGED',
      changes: [{ action: 'Edit', resource: 'bin', id: 1, before: { text: 'b' }, after: { text: 'a' } }],
    })
    expect(await all()).toEqual(before)
  })

  test('leaves a record alone of which a write has only set a write-only value to what it was', async () => {
    const store = stores()
    await store.door.create({ locks: [{ kind: 'key' }] })
    await store.door.replace(1, { code: null })
    await store.door.undo(1, await last(store.door, 1))
    expect(await store.door.find(1)).toEqual({ id: 1, locks: [{ id: 1, kind: 'key' }] })
  })

  test('is a write of the history, with the reason undo', async () => {
    const store = stores()
    await store.list.create({ title: 'A' })
    await store.list.patch(1, { title: 'B' })
    await store.list.undo(1, await last(store.list, 1))
    const { rows } = await store.list.history(1)
    expect(rows.map(({ operation }) => operation)).toEqual(['undo', 'patch', 'create'])
    expect(rows[0]?.changes).toEqual([
      { action: 'Edit', resource: 'list', id: 1, because: 'undo', before: { title: 'B' }, after: { title: 'A' } },
    ])
  })
})

describeOnBoth('Links of arrays that keep their order', (database) => {
  const ordered = defineResources({
    tag: {
      fields: { name: Type.String() },
      relations: { lists: knows.many('list', { through: 'list_tags', order: 'place' }) },
      history: true,
    },
    list: {
      fields: { title: Type.String() },
      relations: { tags: knows.many('tag', { through: 'list_tags', order: 'rank' }) },
      history: true,
    },
  })
  let open: OpenDatabase
  beforeEach(async () => {
    open = await database.open()
    await createTables(open.db, ordered as Model)
  })
  afterEach(() => open.close())

  type Stores = ReturnType<typeof createStore<typeof ordered>>
  const replaceTags =
    (...ids: readonly number[]) =>
    ({ list }: Stores) =>
      list.replace(1, { title: 'x', tags: ids.map((id) => ({ id })) })
  const writes: readonly [what: string, write: (store: Stores) => Promise<unknown>, by?: 'tag'][] = [
    ['the record is deleted', ({ list }) => list.delete(1)],
    ['one in the middle is removed', replaceTags(3, 1, 2)],
    ['some are removed in a row', replaceTags(2)],
    ['all get other places', replaceTags(2, 4, 1, 3)],
    ['some are removed, others added, and one gets another place', replaceTags(5, 4, 3)],
    ['one is removed by its own address', ({ list }) => list.linked(1, 'tags').remove(1)],
    [
      'one is removed and comes back in a batch',
      (store) => store.batch(['DELETE', 'PUT'].map((method) => ({ method: method as 'PUT', path: '/list/1/tags/1' }))),
    ],
    ['a linked record is deleted', ({ tag }) => tag.delete(4), 'tag'],
    ['a linked record loses its links', ({ tag }) => tag.replace(4, { name: 'd', lists: [] }), 'tag'],
  ]

  test.each(writes)('come back to their places, at both ends: %s', async (_, write, by) => {
    const { db } = open
    const store = createStore({ db, resources: ordered })
    const { tag, list } = store
    await tag.createMany(['a', 'b', 'c', 'd', 'e'].map((name) => ({ name })))
    for (const tags of [[3, 1, 4, 2], [4], [1, 4]]) await list.create({ title: 'x', tags: tags.map((id) => ({ id })) })
    await tag.patch(4, { lists: [{ id: 1, $before: null }] })
    const inOrder = async () => {
      const { rows: lists } = await list.list()
      const { rows: tags } = await tag.list()
      const ids = (all: readonly { readonly id: number }[]) => all.map(({ id }) => id)
      return [lists.map((one) => ids(one.tags)), tags.map((one) => ids(one.lists))]
    }
    const before = await inOrder()
    expect(before).toEqual([
      [[3, 1, 4, 2], [4], [1, 4]],
      [[1, 3], [1], [1], [2, 3, 1], []],
    ])
    await write(store)
    const after = await inOrder()
    expect(after).not.toEqual(before)
    await sql`update crud_history set at = position * 1000`.execute(db)
    const { rows } = by === undefined ? await list.history(1) : await tag.history(4)
    const undone = rows[0]?.write ?? ''
    const then = rows[1]?.at ?? ''
    const left = new Set((await tag.list()).rows.map(({ id }) => id))
    const shown = [3, 1, 4, 2].filter((id) => left.has(id))
    expect((await list.find(1, { at: then })).tags.map(({ id }) => id)).toEqual(shown)
    if (by === undefined) await list.undo(1, undone)
    else await tag.undo(4, undone)
    expect(await inOrder()).toEqual(before)
    const again = (by === undefined ? await list.history(1) : await tag.history(4)).rows[0]?.write ?? ''
    if (by === undefined) await list.undo(1, again)
    else await tag.undo(4, again)
    expect(await inOrder()).toEqual(after)
  })
})
