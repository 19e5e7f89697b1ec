import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Model } from '@fastify-crud/core'
import { checkTables, createTables, type GeneratedMigrations, generateMigrations } from '@fastify-crud/tables'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect } from 'vitest'
import type { OpenDatabase, TestDatabase } from '../../../../test/support/databases.ts'
import { takeSnapshot } from '../../../../test/support/tables.ts'
import { useDatabase } from '../use-database.ts'
import { Migrations } from './migrations.ts'

type Rows = Readonly<Record<string, object[]>>

interface Migrated extends GeneratedMigrations {
  readonly rows: Readonly<Record<string, readonly unknown[]>>
}

interface UsedMigrations {
  readonly database: () => OpenDatabase
  /** Where folders of migrations can be. */
  readonly folder: () => string
  /** Makes the tables of a model with rows in them, and migrates them to another model: up, down, and up again. */
  migrate(from: Model, rows: Rows, to: Model, fill?: Readonly<Record<string, unknown>>): Promise<Migrated>
  /** Nothing is missing any more, and another run finds nothing to do. */
  isThere(to: Model): Promise<void>
}

/** A new database for each test of a `describe`, and a folder for all of them. */
export function useMigrations(setup: TestDatabase): UsedMigrations {
  const database = useDatabase(setup)
  let parent: string
  beforeAll(async () => {
    parent = await mkdtemp(join(import.meta.dirname, '.printed-'))
  })
  afterAll(() => rm(parent, { recursive: true }))

  async function isThere(to: Model): Promise<void> {
    expect(await checkTables(database().db, to)).toEqual([])
    expect(await generateMigrations(database().db, to)).toEqual({ files: [], byHand: [], unfilled: [] })
  }

  async function migrate(
    from: Model,
    rows: Rows,
    to: Model,
    fill: Readonly<Record<string, unknown>> = {},
  ): Promise<Migrated> {
    const { db, name } = database()
    await createTables(db, from)
    for (const [table, values] of Object.entries(rows)) await db.insertInto(table).values(values).execute()
    const tables = Object.keys(rows)
    const all = await takeSnapshot(name, db, tables)
    const generated = await generateMigrations(db, to, { fill })
    expect(generated).toMatchObject({ unfilled: [] })
    expect(await takeSnapshot(name, db, tables)).toEqual(all)
    const migrations = await Migrations.in(database(), parent)
    await migrations.add(generated.files)
    await migrations.up()
    await isThere(to)
    await migrations.down()
    expect((await checkTables(db, from)).filter(({ severity }) => severity === 'error')).toEqual([])
    await migrations.up()
    await isThere(to)
    const now: Record<string, readonly unknown[]> = {}
    for (const table of tables) {
      const sorted = sql`select * from ${sql.table(table)} order by 1`
      // As JSON, integers are numbers on every driver for PostgreSQL.
      const query = name === 'sqlite' ? sorted : sql`select row_to_json(sorted) as row from (${sorted}) as sorted`
      const { rows: found } = await query.execute(db)
      now[table] = name === 'sqlite' ? found : found.map((one) => (one as { row: unknown }).row)
    }
    return { ...generated, rows: now }
  }

  return { database, folder: () => parent, migrate, isThere }
}
