import {
  CrudError,
  createStore,
  defineResources,
  ownedBy,
  owns,
  type Rules,
  type Store,
  type ValidatedRow,
} from '@fastify-crud/core'
import { createTables } from '@fastify-crud/tables'
import { Type } from '@sinclair/typebox'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { OpenDatabase } from '../../../../test/support/databases.ts'
import { describeOnDatabases } from '../../../../test/support/describe-on-databases.ts'

const resources = defineResources({
  list: { fields: { title: Type.String({ maxLength: 50 }) }, relations: { items: owns.many('item') } },
  item: { fields: { text: Type.String() }, relations: { list: ownedBy('list') } },
  note: { fields: { text: Type.String() } },
})

type Validated = ValidatedRow<typeof resources, 'list'>

describeOnDatabases('the transaction of `validate`', (database) => {
  let open: OpenDatabase
  let store: Store<typeof resources>
  let validate: (row: Validated) => Promise<void>
  const rules: Rules<typeof resources> = { list: { validate: (row) => validate(row) } }

  beforeAll(async () => {
    open = await database.open()
    await createTables(open.db, resources)
    store = createStore({ db: open.db, resources, rules })
  })
  beforeEach(async () => {
    await open.empty()
    validate = async () => {}
  })
  afterAll(() => open.close())

  const notes = async () => {
    const rows = await open.db.selectFrom('note').select('text').orderBy('id').execute()
    return rows.map(({ text }) => text)
  }
  const addNote = async ({ db }: Validated, text: string) => {
    await db.insertInto('note').values({ text }).execute()
  }

  test('reads and writes as Kysely’s own does, and is committed with the write', async () => {
    const { id } = await store.list.create({ title: 'a' })
    validate = async (row) => {
      expect(row.db.isTransaction).toBe(true)
      const { title } = await row.db.selectFrom('list').select('title').where('id', '=', id).executeTakeFirstOrThrow()
      const tables = await row.db.introspection.getTables()
      expect(tables.map(({ name }) => name)).toEqual(expect.arrayContaining(['list', 'item', 'note']))
      await addNote(row, `was ${title}`)
      expect(await row.db.selectFrom('note').select('text').execute()).toEqual([{ text: 'was a' }])
    }
    await store.list.patch(id, { title: 'b', items: [{ text: 'x' }] })
    expect(await notes()).toEqual(['was a'])
    expect(await store.list.find(id)).toMatchObject({ title: 'b', items: [{ text: 'x' }] })
  })

  test('is rolled back by an error, which the calling code gets, and nothing is stored', async () => {
    const { id } = await store.list.create({ title: 'a' })
    const refusal = new CrudError({ code: 'CRUD_ERR_REFUSED', detail: 'not today', errors: [] })
    validate = async (row) => {
      await addNote(row, 'refused')
      throw refusal
    }
    await expect(store.list.patch(id, { title: 'b' })).rejects.toBe(refusal)
    await expect(store.list.create({ title: 'c' })).rejects.toBe(refusal)
    await expect(store.list.delete(id)).rejects.toBe(refusal)
    expect(await notes()).toEqual([])
    expect(await store.list.find(id)).toMatchObject({ title: 'a' })
  })

  test('is rolled back where the database refuses the write', async () => {
    const { id } = await store.list.create({ title: 'a' })
    await sql`create unique index only_one on ${sql.table('item')} (text)`.execute(open.db)
    try {
      validate = (row) => addNote(row, 'tried')
      const twice = { title: 'b', items: [{ text: 'x' }, { text: 'x' }] }
      await expect(store.list.replace(id, twice)).rejects.toMatchObject({ code: 'CRUD_ERR_NOT_UNIQUE' })
      expect(await notes()).toEqual([])
    } finally {
      await sql`drop index only_one`.execute(open.db)
    }
  })

  test('may take its time: other writes of the record wait, and reads see what was there before', async () => {
    const { id } = await store.list.create({ title: 'a' })
    let goOn = (): void => {}
    const isThere = new Promise<void>((there) => {
      validate = async () => {
        validate = async () => {}
        const mayGoOn = new Promise<void>((resolve) => {
          goOn = resolve
        })
        there()
        await mayGoOn
      }
    })
    const first = store.list.patch(id, { title: 'b' })
    await isThere
    const second = store.list.patch(id, { items: [{ text: 'second' }], title: 'c' })
    const seen = store.list.find(id)
    if (database.name === 'postgres') expect(await seen).toMatchObject({ title: 'a' })
    goOn()
    await Promise.all([first, second, seen])
    expect(await store.list.find(id)).toMatchObject({ title: 'c', items: [{ text: 'second' }] })
  })

  test('is the caller’s, if the store is in one', async () => {
    const { id } = await store.list.create({ title: 'a' })
    validate = (row) => addNote(row, 'noted')
    const transaction = open.db.transaction().execute(async (db) => {
      await createStore({ db, resources, rules }).list.patch(id, { title: 'b' })
      throw new Error('rolled back')
    })
    await expect(transaction).rejects.toThrow('rolled back')
    expect(await notes()).toEqual([])
    expect(await store.list.find(id)).toMatchObject({ title: 'a' })
  })
})
