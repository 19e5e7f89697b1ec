import { defineResources, ownedBy, owns } from '@fastify-crud/core'
import { type JsonStore, type Precondition, storesOf } from '@fastify-crud/core/internal'
import { createTables } from '@fastify-crud/tables'
import { Type } from '@sinclair/typebox'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { OpenDatabase } from '../../../../test/support/databases.ts'
import { describeOnDatabases, describeOnDrivers } from '../../../../test/support/describe-on-databases.ts'
import { topPath } from '../../src/model/collection-path.ts'
import { createJsonStore } from '../../src/store/json-store.ts'

const resources = defineResources({
  list: { fields: { title: Type.String() }, relations: { items: owns.many('item') } },
  item: { fields: { text: Type.String() }, relations: { list: ownedBy('list') } },
})

const lists = { path: topPath(resources, 'list'), owners: [] }

describeOnDrivers('a write that is rolled back', (database) => {
  let open: OpenDatabase
  let store: JsonStore
  let id: number

  beforeAll(async () => {
    open = await database.open()
    await createTables(open.db, resources)
    store = createJsonStore({ db: open.db, resources })
  })
  beforeEach(async () => {
    await open.empty()
    id = Number((await store.create(lists, { title: 'a', items: [{ text: '1' }] })).id)
  })
  afterAll(() => open.close())

  const titles = async (of = store) => {
    const page = JSON.parse(await of.list(lists, { limit: 100, offset: 0 }))
    return page.rows.map((row: { title: string }) => row.title)
  }

  test('is answered as if it were done, and stores nothing', async () => {
    const created = await store.create(lists, { title: 'b', items: [{ text: '2' }] }, undefined, { rollsBack: true })
    expect(JSON.parse(created.json ?? '')).toMatchObject({ title: 'b', items: [{ text: '2' }] })
    const patched = await store.patch(lists, id, { title: 'c' }, { rollsBack: true })
    expect(JSON.parse(patched.json ?? '')).toMatchObject({ id, title: 'c', items: [{ text: '1' }] })
    const replaced = await store.replace(lists, id, { title: 'd' }, { rollsBack: true })
    expect(JSON.parse(replaced.json ?? '')).toEqual({ id, title: 'd', items: [] })
    await store.delete(lists, id, { rollsBack: true })
    expect(await titles()).toEqual(['a'])
    expect((await store.patch(lists, id, { title: 'e' })).json).toContain('"e"')
  })

  test('in a transaction of the application’s own undoes only itself', async () => {
    await open.db.transaction().execute(async (transaction) => {
      const inside = createJsonStore({ db: transaction, resources })
      await inside.create(lists, { title: 'kept' })
      await inside.patch(lists, id, { title: 'c' }, { rollsBack: true })
      await inside.delete(lists, id, { rollsBack: true })
      await inside.create(lists, { title: 'gone' }, undefined, { rollsBack: true })
      expect(await titles(inside)).toEqual(['a', 'kept'])
      await inside.patch(lists, id, { title: 'b' })
    })
    expect(await titles()).toEqual(['b', 'kept'])
  })
})

describeOnDatabases('what a write has to fulfil', (database) => {
  let open: OpenDatabase
  const asked: string[] = []

  beforeAll(async () => {
    open = await database.open()
    await createTables(open.db, resources)
  })
  beforeEach(async () => {
    await open.empty()
    asked.length = 0
  })
  afterAll(() => open.close())

  test('is asked of the record as `find` returns it, and of its absence', async () => {
    const store = createJsonStore({ db: open.db, resources })
    const precondition: Precondition = ({ exists, json }) => {
      asked.push(exists ? String(json) : 'none')
      return { code: 'CRUD_ERR_PRECONDITION', detail: 'no', errors: [] }
    }
    const { id, json } = await store.create(lists, { title: 'a', items: [{ text: '1' }] })
    const fails = { code: 'CRUD_ERR_PRECONDITION' }
    for (const write of [
      () => store.patch(lists, id, { title: 'b' }, { precondition }),
      () => store.patch(lists, id, {}, { precondition }),
      () => store.replace(lists, id, { title: 'b' }, { precondition }),
      () => store.delete(lists, id, { precondition }),
      () => store.create(lists, { title: 'b' }, id, { precondition }),
    ]) {
      await expect(write()).rejects.toMatchObject(fails)
    }
    await expect(store.create(lists, { title: 'b' }, undefined, { precondition })).rejects.toMatchObject(fails)
    expect(new Set(asked)).toEqual(new Set([json, 'none']))
    expect(await store.find(lists, id)).toBe(json)
  })

  test('holds again under the lock, where a rule is told of the write', async () => {
    let told = 0
    const rules = { list: { validate: async () => void told++ } }
    const store = storesOf({ db: open.db, resources, rules }).system
    const { id } = await store.create(lists, { title: 'a' })
    const precondition: Precondition = ({ json }) =>
      json?.includes('"a"') ? undefined : { code: 'CRUD_ERR_PRECONDITION', detail: 'no', errors: [] }
    const terms = { precondition, maxAffected: 1, rollsBack: true, readsBack: false }
    expect(await store.patch(lists, id, { title: 'b' }, terms)).toMatchObject({ id, json: undefined })
    await store.patch(lists, id, { title: 'b' }, { precondition })
    await expect(store.patch(lists, id, { title: 'c' }, terms)).rejects.toMatchObject({ code: 'CRUD_ERR_PRECONDITION' })
    expect(told).toBe(3)
  })
})
