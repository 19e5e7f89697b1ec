import { CrudError, createTables, defineResources, ownedBy, owns } from '@fastify-crud/core'
import { type JsonStore, topPath } from '@fastify-crud/core/internal'
import { Type } from '@sinclair/typebox'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { OpenDatabase } from '../../../../test/support/databases.ts'
import { describeOnDatabases } from '../../../../test/support/describe-on-databases.ts'
import { createJsonStore } from '../../src/store/json-store.ts'
import type { BeforeWriting, PlannedWrite } from '../../src/store/write-request.ts'

const resources = defineResources({
  list: { fields: { title: Type.String({ maxLength: 50 }) }, relations: { items: owns.many('item') } },
  item: { fields: { text: Type.String() }, relations: { list: ownedBy('list') } },
  note: { fields: { text: Type.String() } },
})

const lists = { path: topPath(resources, 'list'), owners: [] }

describeOnDatabases('what is told of a write before it writes', (database) => {
  let open: OpenDatabase
  let store: JsonStore
  let planned: PlannedWrite[]
  let beforeWriting: BeforeWriting

  beforeAll(async () => {
    open = await database.open()
    await createTables(open.db, resources)
    store = createJsonStore(
      { db: open.db, resources },
      {
        beforeWriting: (write) => {
          planned.push(write)
          return beforeWriting(write)
        },
      },
    )
  })
  beforeEach(async () => {
    await open.empty()
    planned = []
    beforeWriting = async () => {}
  })
  afterAll(() => open.close())

  const add = async (body: object, requestContext?: unknown) => {
    const { id } = await store.create(lists, body, undefined, { requestContext })
    planned = []
    return id
  }
  const read = async (id: number) => JSON.parse(await store.find(lists, id))
  const notes = async () => {
    const rows = await open.db.selectFrom('note').select('text').orderBy('id').execute()
    return rows.map(({ text }) => text)
  }
  const addNote = ({ transaction }: PlannedWrite, text: string) =>
    transaction.insertInto('note').values({ text }).execute()

  test('is what each kind of write is about to do, and what the calling code handed in', async () => {
    const id = await add({ title: 'a', items: [{ text: 'x' }] })
    const caller = { name: 'Ada' }
    await store.create(lists, { title: 'b' }, undefined, { requestContext: caller })
    await store.replace(lists, id, { title: 'c' }, { requestContext: caller })
    await store.patch(lists, id, { title: 'd' }, { requestContext: caller })
    await store.delete(lists, id, { requestContext: caller })
    expect(planned.map(({ changes }) => changes.steps.map(({ step }) => step))).toEqual([
      ['insert'],
      ['delete', 'update'],
      ['update'],
      ['delete'],
    ])
    expect(planned.every(({ requestContext }) => requestContext === caller)).toBe(true)
  })

  test('is nothing where nothing changes, and where the plan is refused', async () => {
    const id = await add({ title: 'a', items: [{ text: 'x' }] })
    await store.patch(lists, id, { title: 'a' })
    await expect(store.replace(lists, id, { title: 'b', items: [{ id: 999_999, text: 'y' }] })).rejects.toThrow(
      CrudError,
    )
    expect(planned).toEqual([])
  })

  test('comes with a transaction of Kysely’s, whose writes are committed with the write', async () => {
    const id = await add({ title: 'a' })
    beforeWriting = async (write) => {
      expect(write.transaction.isTransaction).toBe(true)
      const { title } = await write.transaction
        .selectFrom('list')
        .select('title')
        .where('id', '=', id)
        .executeTakeFirstOrThrow()
      const tables = await write.transaction.introspection.getTables()
      expect(tables.map(({ name }) => name)).toEqual(expect.arrayContaining(['list', 'item', 'note']))
      await addNote(write, `was ${title}`)
      expect(await write.transaction.selectFrom('note').select('text').execute()).toEqual([{ text: 'was a' }])
    }
    await store.patch(lists, id, { title: 'b', items: [{ text: 'x' }] })
    expect(await notes()).toEqual(['was a'])
    expect(await read(id)).toMatchObject({ title: 'b', items: [{ text: 'x' }] })
  })

  test('refuses the write by an error, which the calling code gets, and nothing is stored', async () => {
    const id = await add({ title: 'a' })
    const refusal = new CrudError({ code: 'CRUD_ERR_REFUSED', detail: 'not today', errors: [] })
    beforeWriting = async (write) => {
      await addNote(write, 'refused')
      throw refusal
    }
    await expect(store.patch(lists, id, { title: 'b' })).rejects.toBe(refusal)
    await expect(store.create(lists, { title: 'c' })).rejects.toBe(refusal)
    await expect(store.delete(lists, id)).rejects.toBe(refusal)
    expect(await notes()).toEqual([])
    expect(await read(id)).toMatchObject({ title: 'a' })
  })

  test('is rolled back with the write where the database refuses that', async () => {
    const id = await add({ title: 'a' })
    await sql`create unique index only_one on ${sql.table('item')} (text)`.execute(open.db)
    try {
      beforeWriting = (write) => addNote(write, 'tried').then(() => {})
      const twice = { title: 'b', items: [{ text: 'x' }, { text: 'x' }] }
      await expect(store.replace(lists, id, twice)).rejects.toMatchObject({ code: 'CRUD_ERR_NOT_UNIQUE' })
      expect(await notes()).toEqual([])
    } finally {
      await sql`drop index only_one`.execute(open.db)
    }
  })

  test('may take its time: other writes of the record wait, and reads see what was there before', async () => {
    const id = await add({ title: 'a' })
    let goOn = (): void => {}
    const isThere = new Promise<void>((there) => {
      beforeWriting = async () => {
        beforeWriting = async () => {}
        const mayGoOn = new Promise<void>((resolve) => {
          goOn = resolve
        })
        there()
        await mayGoOn
      }
    })
    const first = store.patch(lists, id, { title: 'b' })
    await isThere
    const second = store.patch(lists, id, { items: [{ text: 'second' }], title: 'c' })
    const seen = read(id)
    if (database.name === 'postgres') expect(await seen).toMatchObject({ title: 'a' })
    goOn()
    await Promise.all([first, second, seen])
    expect(await read(id)).toMatchObject({ title: 'c', items: [{ text: 'second' }] })
  })

  test('is done in the caller’s transaction, if the store is in one', async () => {
    const id = await add({ title: 'a' })
    beforeWriting = (write) => addNote(write, 'noted').then(() => {})
    const transaction = open.db.transaction().execute(async (db) => {
      const within = createJsonStore({ db, resources }, { beforeWriting: (write) => beforeWriting(write) })
      await within.patch(lists, id, { title: 'b' })
      throw new Error('rolled back')
    })
    await expect(transaction).rejects.toThrow('rolled back')
    expect(await notes()).toEqual([])
    expect(await read(id)).toMatchObject({ title: 'a' })
  })
})
