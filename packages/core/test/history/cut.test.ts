import { createStore, defineResources, ownedBy, owns, readChanges } from '@fastify-crud/core'
import { createTables } from '@fastify-crud/tables'
import { Type } from '@sinclair/typebox'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { OpenDatabase } from '../../../../test/support/databases.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'

const resources = defineResources({
  list: { fields: { title: Type.String() }, relations: { items: owns.many('item') }, history: true },
  item: {
    fields: { text: Type.String(), secret: Type.String({ access: { View: ['boss'] } }) },
    relations: { list: ownedBy('list') },
  },
})

const ITEMS = ['a', 'b', 'c'].map((text) => ({ text, secret: text }))

describeOnBoth('A write of more changes than `limits.maxChanges`', (database) => {
  let open: OpenDatabase
  beforeEach(async () => {
    open = await database.open()
    await createTables(open.db, resources)
  })
  afterEach(() => open.close())
  const storeWith = () => createStore({ db: open.db, resources, limits: { maxChanges: 3 } }).asSystem()

  test('is told of by its ids alone, in the history and as it happens, and cannot be undone', async () => {
    const store = storeWith()
    const { id, items } = await store.list.create({ title: 'x', items: ITEMS })
    const edited = items.map((one) => ({ id: one.id, text: 'z', secret: 'z' }))
    await store.list.replace(id, { title: 'y', items: edited })
    const ids = (action: string) => [
      { action, resource: 'list', id },
      ...items.map((one) => ({ action, resource: 'item', id: one.id })),
    ]
    const { rows } = await store.list.history(id)
    expect(rows.map(({ changes }) => changes)).toEqual([ids('Edit'), ids('Add')])
    const [last] = rows
    await expect(store.list.undo(id, last?.write ?? '')).rejects.toMatchObject({
      code: 'CRUD_ERR_CHANGED',
      message: expect.stringContaining('not all of the write is kept'),
    })
    const told: unknown[] = []
    for await (const { changes } of readChanges(open.db, resources, { after: 0 })) {
      told.push(changes)
      if (told.length === 2) break
    }
    expect(told).toEqual([ids('Add'), ids('Edit')])
  })

  test('says nothing of edits to who may not see all fields', async () => {
    const store = storeWith()
    const { id, items } = await store.list.create({ title: 'x', items: ITEMS })
    await store.list.replace(id, { title: 'y', items: items.map((one) => ({ id: one.id, text: 'z', secret: 'z' })) })
    const reader = createStore({ db: open.db, resources, limits: { maxChanges: 3 } }).as({ roles: [] })
    const { rows } = await reader.list.history(id)
    expect(rows.map(({ changes }) => changes.map(({ action, resource }) => `${action} ${resource}`))).toEqual([
      ['Edit list'],
      ['Add list', 'Add item', 'Add item', 'Add item'],
    ])
  })
})
