import { createStore, defineResources, ownedBy, owns } from '@fastify-crud/core'
import { createTables } from '@fastify-crud/tables'
import { Type } from '@sinclair/typebox'
import Sqlite from 'better-sqlite3'
import Fastify from 'fastify'
import { crudPlugin } from 'fastify-crud'
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  Kysely,
  PostgresDialect,
  type QueryResult,
  SqliteDialect,
} from 'kysely'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { databases, type OpenDatabase } from '../../../../test/support/databases.ts'

const resources = defineResources({
  book: { fields: { title: Type.String() }, relations: { pages: owns.many('page') } },
  page: { fields: { text: Type.String() }, relations: { book: ownedBy('book') } },
})

/** Runs a statement on a connection of its own, as a server does that is asked over HTTP. */
type RunAlone = (query: CompiledQuery) => Promise<QueryResult<unknown>>

class StatementDriver implements Driver {
  readonly #connection: DatabaseConnection

  constructor(run: RunAlone) {
    this.#connection = {
      executeQuery: async <Row>(query: CompiledQuery) => (await run(query)) as QueryResult<Row>,
      streamQuery: () => {
        throw new Error('nothing is streamed')
      },
    }
  }

  async init(): Promise<void> {}
  acquireConnection = async () => this.#connection
  async beginTransaction(): Promise<void> {}
  async commitTransaction(): Promise<void> {}
  async rollbackTransaction(): Promise<void> {}
  async releaseConnection(): Promise<void> {}
  async destroy(): Promise<void> {}
}

/** The dialect of a database, but each statement is sent by itself. */
function sendsAlone(dialect: Dialect, run: RunAlone): Dialect {
  return {
    createAdapter: () => dialect.createAdapter(),
    createDriver: () => new StatementDriver(run),
    createIntrospector: (db) => dialect.createIntrospector(db),
    createQueryCompiler: () => dialect.createQueryCompiler(),
  }
}

const OPEN = {
  postgres(location: string) {
    const pool = new pg.Pool({ connectionString: location })
    const db = new Kysely<Record<string, unknown>>({
      dialect: sendsAlone(new PostgresDialect({ pool }), async ({ sql, parameters }) => {
        const client = new pg.Client({ connectionString: location })
        await client.connect()
        try {
          const { rows } = await client.query(sql, [...parameters])
          return { rows }
        } finally {
          await client.end()
        }
      }),
    })
    return { db, close: () => pool.end() }
  },
  sqlite(location: string) {
    const own = new Sqlite(location)
    const db = new Kysely<Record<string, unknown>>({
      dialect: sendsAlone(new SqliteDialect({ database: own }), async ({ sql, parameters }) => {
        const database = new Sqlite(location)
        try {
          const statement = database.prepare(sql)
          if (statement.reader) return { rows: statement.all(...parameters) }
          const { changes, lastInsertRowid } = statement.run(...parameters)
          return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) }
        } finally {
          database.close()
        }
      }),
    })
    return { db, close: async () => void own.close() }
  },
}

describe.each(databases)('a driver of $name that sends each statement by itself', (database) => {
  let tables: OpenDatabase
  let alone: ReturnType<(typeof OPEN)[keyof typeof OPEN]>

  beforeAll(async () => {
    tables = await database.open()
    await createTables(tables.db, resources)
    alone = OPEN[database.name](tables.location)
  })
  afterAll(async () => {
    await alone?.close()
    await tables?.close()
  })

  test('reads, and refuses every write before it stores anything', async () => {
    const kept = await createStore({ db: tables.db, resources }).resource('book').create({ title: 'a' })
    const books = createStore({ db: alone.db, resources }).resource('book')
    expect(await books.find(kept.id)).toEqual(kept)
    for (const write of [
      () => books.create({ title: 'b', pages: [{ text: 'p' }] }),
      () => books.patch(kept.id, { title: 'b' }),
      () => books.delete(kept.id),
      () => books.delete(kept.id, { dryRun: true }),
      () => books.createMany([{ title: 'b' }]),
    ])
      await expect(write()).rejects.toThrow(/^the driver has no transactions: .* Use one that keeps a connection/)
    expect((await books.list()).rows).toEqual([kept])
  })

  test('is refused when the service starts', async () => {
    const fastify = Fastify()
    fastify.register(crudPlugin, { db: alone.db, resources })
    await expect(fastify.ready()).rejects.toThrow('the driver has no transactions')
    await fastify.close()
  })
})

test('a connection that is kept has transactions', async () => {
  for (const database of databases) {
    const open = await database.open({ kept: false })
    await createTables(open.db, resources)
    const books = createStore({ db: open.db, resources }).resource('book')
    expect(await books.create({ title: 'a' })).toMatchObject({ title: 'a' })
    await open.close()
  }
})
