import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { createStore } from '@fastify-crud/core'
import { openSqlite } from '@fastify-crud/core/sqlite'
import { createTables } from '@fastify-crud/tables'
import SqliteDriver from 'better-sqlite3'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import type { TestKysely } from '../support/tables.ts'
import { resources, writeMany } from './write-many.ts'

/** A step of a plan: those with one parent are loops, each inside of the one before it. */
interface Step {
  readonly parent: number
  readonly detail: string
}

/** Whether a loop over the rows of a table has one over all of the JSON in a parameter inside of it. */
function readsJsonAgain(steps: readonly Step[]): boolean {
  const loops = steps.filter(({ detail }) => /^(SCAN|SEARCH) /.test(detail) && detail !== 'SCAN CONSTANT ROW')
  return loops.some(
    ({ parent, detail }, index) =>
      detail.startsWith('SCAN json_each') && loops.slice(0, index).some((one) => one.parent === parent),
  )
}

describe.each(['no statistics', 'statistics'])('the rows that SQLite reads with %s', (statistics) => {
  let folder: string
  let db: TestKysely
  let explaining: SqliteDriver.Database
  const statements = new Set<string>()

  beforeAll(async () => {
    folder = await mkdtemp(join(inject('sqliteFolder'), 'database-'))
    const location = join(folder, 'test.sqlite')
    db = openSqlite(location, { verbose: (text: unknown) => statements.add(String(text)) })
    await createTables(db, resources)
    await sql`insert into org (id, name) values (1, 'a'), (2, 'b'), (3, 'c')`.execute(db)
    explaining = new SqliteDriver(location)
    explaining.function('crud_lower', { deterministic: true, directOnly: true }, (text) => String(text).toLowerCase())
  })
  afterAll(async () => {
    explaining?.close()
    await db?.destroy()
    await rm(folder, { recursive: true, force: true })
  })

  test('grow with the records of a write, not with their square: no JSON is read once for each row of a tenant', async () => {
    const ofTenant = (tenant: number) => createStore({ db, resources }).asSystem({ tenant })
    if (statistics === 'statistics') {
      await writeMany(ofTenant(2), 20, (_, write) => write())
      await sql`analyze`.execute(db)
    }
    const found: string[] = []
    let explained = 0
    await writeMany(ofTenant(1), 30, async (title, write) => {
      statements.clear()
      const result = await write()
      for (const statement of statements) {
        if (!statement.includes('json_each')) continue
        explained++
        if (readsJsonAgain(plan(statement))) found.push(`${title}: ${statement}`)
      }
      return result
    })
    expect(found).toEqual([])
    expect(explained).toBeGreaterThan(40)
  })

  function plan(statement: string): readonly Step[] {
    const explain = explaining.prepare<unknown[], Step>(`explain query plan ${statement}`)
    return explain.all(...Array(statement.split('?').length - 1).fill(null))
  }
})
