import {
  createStore,
  defineEngine,
  defineResources,
  type GuardedStore,
  ownedBy,
  owns,
  type Rules,
} from '@fastify-crud/core'
import { createTables } from '@fastify-crud/tables'
import { Type } from '@sinclair/typebox'
import { type KyselyPlugin, sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { databases, type OpenDatabase, openedSetups } from '../../../../test/support/databases.ts'

const resources = defineResources({
  note: {
    fields: { text: Type.String(), price: Type.Optional(Type.String({ format: 'decimal' })) },
    relations: { lines: owns.many('line') },
  },
  line: { fields: { word: Type.String() }, relations: { note: ownedBy('note') } },
})

/** Counts what is compiled. */
let compiled = 0
const counting: KyselyPlugin = {
  transformQuery({ node }) {
    compiled += 1
    return node
  },
  transformResult: async ({ result }) => result,
}

describe.each(openedSetups)('A store on another database ($title)', (setup) => {
  let first: OpenDatabase
  let second: OpenDatabase

  beforeEach(async () => {
    first = await setup.open({ plugins: [counting] })
    second = await setup.open({ plugins: [counting] })
    for (const { db } of [first, second]) await createTables(db, resources)
  })
  afterEach(async () => {
    await first.close()
    await second.close()
  })

  test('has the records of that database', async () => {
    const store = createStore({ db: first.db, resources })
    await store.note.create({ text: 'of the first', lines: [] })
    const other = store.on(second.db)
    expect((await other.note.list()).rows).toEqual([])
    const { id } = await other.note.create({ text: 'of the second', lines: [{ word: 'one' }] })
    await other.note.owned(id, 'lines').create({ word: 'two' })
    expect((await other.note.find(id)).lines.map(({ word }) => word)).toEqual(['one', 'two'])
    expect((await store.note.list()).rows).toMatchObject([{ text: 'of the first' }])
    await second.db.transaction().execute(async (trx) => {
      await other.in(trx).note.delete(id)
    })
    expect((await other.note.list()).count).toBe(0)
    expect((await store.note.list()).count).toBe(1)
  })

  test('compiles nothing that was compiled for the first', async () => {
    const store = createStore({ db: first.db, resources, policies: { note: ({ eb }) => eb('text', '!=', 'secret') } })
    const useAll = async (guarded: GuardedStore<typeof resources>) => {
      const { note } = guarded.as({ id: 1 })
      const { id } = await note.create({ text: 'a', price: '1.5', lines: [{ word: 'one' }] })
      await note.patch(id, { text: 'b' })
      await note.replace(id, { text: 'c', lines: [{ word: 'two' }, { word: 'three' }] })
      await note.list({ filter: { text: 'c', 'lines.word': 'two' }, sort: ['-price'] })
      await note.delete(id)
    }
    await useAll(store)
    await useAll(store)
    expect(compiled).toBeGreaterThan(0)
    // These two take the names of tables and ask for types, which is done once for each database.
    await store.on(second.db).as({ id: 1 }).note.create({ text: 'a', price: '1.5', lines: [] })
    compiled = 0
    await useAll(store.on(second.db))
    expect(compiled).toBe(0)
  })

  test('gives its rules that database, and waits for what they do after commits', async () => {
    const after: unknown[] = []
    const rules: Rules<typeof resources> = {
      note: {
        validate: async ({ db, refuse }) => {
          const { rows } = await sql<{ count: number }>`select count(*) as count from note`.execute(db)
          if (Number(rows[0]?.count) >= 1) refuse('one is enough')
        },
        afterCommit: ({ rows }) => {
          after.push(...rows.map(({ action }) => action))
        },
      },
    }
    const store = createStore({ db: first.db, resources, rules })
    const other = store.on(second.db)
    await store.note.create({ text: 'one', lines: [] })
    await other.note.create({ text: 'one', lines: [] })
    await expect(other.note.create({ text: 'two', lines: [] })).rejects.toMatchObject({ code: 'CRUD_ERR_REFUSED' })
    await expect.poll(() => after).toEqual(['Add', 'Add'])
  })

  test('asks who is calling, as the first does', async () => {
    const policies = { note: true }
    const guarded = createStore({ db: first.db, resources, policies }).on(second.db) as never as {
      note: { list(): unknown }
    }
    expect(() => guarded.note.list()).toThrow(/name the caller with as\(caller\)/)
  })

  test('is not for a transaction', async () => {
    const store = createStore({ db: first.db, resources })
    await first.db.transaction().execute(async (trx) => {
      expect(() => store.on(trx)).toThrow('on: takes another database; in a transaction, use in(trx)')
    })
    expect(() => store.on({} as never)).toThrow(/^db: must be a Kysely instance/)
  })
})

describe('Schemas of one PostgreSQL database', () => {
  const model = defineResources({
    visit: {
      fields: {
        place: Type.String(),
        at: Type.String({ format: 'date-time' }),
        tags: Type.Optional(Type.Array(Type.String())),
      },
    },
  })
  let open: OpenDatabase

  beforeEach(async () => {
    open = await (databases[1] as (typeof databases)[number]).open()
    for (const schema of ['ink', 'nib']) {
      await sql`create schema ${sql.id(schema)}`.execute(open.db)
      await createTables(open.db.withSchema(schema), model)
    }
    await setType('ink', 'timestamptz')
    await setType('nib', 'timestamp')
  })
  afterEach(() => open.close())

  const setType = (schema: string, type: string) =>
    sql`alter table ${sql.id(schema, 'visit')} alter column at type ${sql.raw(type)} using ${sql.raw(`at::timestamptz at time zone 'UTC'`)}`.execute(
      open.db,
    )

  const at = '2026-01-31T12:00:00+02:00'
  const moment = '2026-01-31T10:00:00Z'

  test('each have the types of their own columns', async () => {
    const store = createStore({ db: open.db.withSchema('ink'), resources: model })
    // As an application may do it that makes an instance for each request.
    for (const _ of [1, 2]) {
      for (const schema of ['ink', 'nib']) {
        const { visit } = store.on(open.db.withSchema(schema))
        const made = await visit.create({ place: schema, at })
        expect(Date.parse(made.at), schema).toBe(Date.parse(moment))
        const found = await visit.list({ filter: { at: { gte: at }, place: schema } })
        expect(found.rows.map(({ place }) => place)).toContain(schema)
        expect((await visit.list({ filter: { at: { gt: at } } })).rows, schema).toEqual([])
      }
    }
  })

  test('are told apart by stores of their own, too', async () => {
    for (const schema of ['ink', 'nib']) {
      const { visit } = createStore({ db: open.db.withSchema(schema), resources: model })
      const made = await visit.create({ place: schema, at })
      expect(Date.parse(made.at), schema).toBe(Date.parse(moment))
    }
  })

  test('may change one by one', async () => {
    const store = createStore({ db: open.db.withSchema('ink'), resources: model })
    const other = store.on(open.db.withSchema('nib'))
    const writeTo = async ({ visit }: typeof store, tags: string[]) => {
      const { id } = await visit.create({ place: 'here', at, tags })
      await visit.patch(id, { place: 'there' })
      expect(await visit.find(id)).toMatchObject({ place: 'there', tags })
      expect((await visit.list({ filter: { tags: { has: tags[0] as string } } })).count).toBe(1)
    }
    await writeTo(store, ['a'])
    await writeTo(other, ['a'])
    await sql`alter table ink.visit alter column tags type text[] using null`.execute(open.db)
    await writeTo(store, ['b', 'c'])
    await writeTo(other, ['b', 'c'])
    await writeTo(store, ['d'])
  })
})

test('A store on another engine has statements of its own', async () => {
  const postgres = databases.find(({ name }) => name === 'postgres') ?? expect.fail('there is no PostgreSQL')
  const [first, second] = [await postgres.open(), await postgres.open()]
  try {
    defineEngine(second.db, { rowLocks: 'for update' })
    for (const { db } of [first, second]) await createTables(db, resources)
    const store = createStore({ db: first.db, resources })
    const other = store.on(second.db)
    for (const [of, { statements }, lock] of [
      [store, first, 'for no key update'],
      [other, second, 'for update'],
    ] as const) {
      const { id } = await of.note.create({ text: 'Old', lines: [] })
      const sent = await statements.record(() => of.note.replace(id, { text: 'New', lines: [{ word: 'one' }] }))
      const locks = sent.flatMap((one) => /for (?:no key )?update/.exec(one)?.[0] ?? [])
      expect(new Set(locks)).toEqual(new Set([lock]))
    }
  } finally {
    await first.close()
    await second.close()
  }
})
