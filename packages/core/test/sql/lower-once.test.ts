import { createStore, defineResources, type Filter, ownedBy, owns } from '@fastify-crud/core'
import { openPostgres } from '@fastify-crud/core/postgres'
import { openSqlite } from '@fastify-crud/core/sqlite'
import { createTables } from '@fastify-crud/tables'
import { Type } from '@sinclair/typebox'
import SqliteDriver from 'better-sqlite3'
import { sql } from 'kysely'
import { describe, expect, onTestFinished, test } from 'vitest'
import { takePostgresDatabase } from '../../../../test/support/postgres-database.ts'
import type { TestKysely } from '../../../../test/support/tables.ts'

const resources = defineResources({
  note: {
    fields: {
      title: Type.String(),
      text: Type.Optional(Type.String()),
      data: Type.Optional(Type.Object({ place: Type.String() })),
    },
    computed: { both: { schema: Type.String(), value: ({ eb }) => eb('title', '||', eb.ref('text')) } },
    relations: { lines: owns.many('line') },
  },
  line: { fields: { title: Type.String() }, relations: { note: ownedBy('note') } },
})

type NoteFilter = Filter<typeof resources, 'note'>

const NOTES = 300

/** A database that counts how often it makes the lower case of a text. */
interface Counting {
  readonly db: TestKysely
  calls(): Promise<number>
}

async function sqlite(): Promise<Counting> {
  const database = new SqliteDriver(':memory:')
  const db = openSqlite<TestTables>(database)
  let calls = 0
  database.function('crud_lower', { deterministic: true, directOnly: true }, (text) => {
    calls += 1
    return typeof text === 'string' ? text.toLowerCase() : null
  })
  onTestFinished(() => db.destroy())
  return { db, calls: async () => calls }
}

async function postgres(): Promise<Counting> {
  const { url, giveBack } = await takePostgresDatabase()
  // A function of this name in a schema that comes first.
  const db = openPostgres<TestTables>(url, { max: 1, options: '-c search_path=public,pg_catalog' })
  onTestFinished(async () => {
    await db.destroy()
    await giveBack()
  })
  await sql`create sequence calls`.execute(db)
  // The planner takes it for what it takes the real one for.
  await sql`create function lower(given text) returns text immutable strict language plpgsql
    as $$ begin perform nextval('calls'); return pg_catalog.lower(given); end $$`.execute(db)
  return {
    db,
    async calls() {
      const { rows } = await sql<{ calls: number }>`select nextval('calls') as calls`.execute(db)
      return Number(rows[0]?.calls)
    },
  }
}

type TestTables = Record<string, Record<string, unknown>>

const words = Array.from({ length: 10 }, (_, n) => `Word ${n}`)

/** One condition for each word. */
const each = (path: string, operator = 'icontains') => words.map((word) => ({ [path]: { [operator]: word } }))

const filters: Readonly<Record<string, object>> = {
  or: { or: each('title') },
  not: { not: { or: each('title') } },
  and: { and: [...each('title').map((not) => ({ not })), { id: { gte: 1 } }] },
  'in two operators': { or: [...each('title'), ...each('title', 'istartsWith')] },
  'at the other end of a relation': { lines: { some: { or: each('title') } } },
  'along a path': { or: [{ lines: { some: { or: each('title') } } }, { lines: { none: { or: each('title') } } }] },
  'inside of JSON': { or: each('data.place') },
  'of a computed field': { or: each('both') },
}

describe.each([
  ['sqlite', sqlite],
  ['postgres', postgres],
])('many conditions on a text whose case does not count (%s)', (_, open) => {
  test.each(Object.entries(filters))('make its lower case once for each row: %s', async (name, filter) => {
    const { db, calls } = await open()
    await createTables(db, resources)
    const store = createStore({ db, resources, limits: { maxCost: 1_000 } })
    const ids = Array.from({ length: NOTES }, (_, n) => n + 1)
    const data = JSON.stringify({ place: 'there' })
    await db
      .insertInto('note')
      .values(ids.map((id) => ({ id, title: `Title ${id}`, text: 'Text', data })))
      .execute()
    await db
      .insertInto('line')
      .values(ids.map((id) => ({ id, title: `Line ${id}`, noteId: id })))
      .execute()
    const before = await calls()
    const { rows } = await store.note.list({ filter: filter as NoteFilter, count: 'none', limit: NOTES })
    expect(rows).toHaveLength(/not|and|path/.test(name) ? NOTES : 0)
    const made = (await calls()) - before
    const passes = name === 'along a path' ? 2 : 1
    expect(made).toBeGreaterThanOrEqual(NOTES)
    expect(made).toBeLessThan((passes + 0.5) * NOTES)
  })
})
