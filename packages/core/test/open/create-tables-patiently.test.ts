import { setTimeout as wait } from 'node:timers/promises'
import type { AnyKysely } from '@fastify-crud/core'
import { openPostgres } from '@fastify-crud/core/postgres'
import { checkTables, createTables } from '@fastify-crud/tables'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { databases, type TestDatabase } from '../../../../test/support/databases.ts'
import { otherWriter } from '../../../../test/support/other-writer.ts'
import { library } from './library.ts'

const postgres = databases.find(({ name }) => name === 'postgres') as TestDatabase

/** When the transaction began that waits for a lock. */
async function beginOfWaiting(db: AnyKysely): Promise<unknown> {
  const { rows } = await sql`select xact_start from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`.execute(db)
  return rows
}

test.each([
  { statement_timeout: 1_000, lock_timeout: 0 },
  { statement_timeout: 0, lock_timeout: 50 },
])(
  'createTables waits for another process that creates tables, however short the timeouts are: %j',
  async (timeouts) => {
    const open = await postgres.open()
    const db = openPostgres(open.location, timeouts)
    try {
      const before = await timeoutsOf(db)
      const other = await otherWriter(open)
      await other.run(`select pg_advisory_xact_lock(${0x66637264})`)
      const created = createTables(db, library)
      await other.untilAwaited()
      const begun = await beginOfWaiting(open.db)
      await wait(1_200)
      expect(await beginOfWaiting(open.db)).toEqual(begun)
      await other.end('commit')
      await created
      expect(await checkTables(open.db, library)).toEqual([])
      expect(await timeoutsOf(db)).toEqual(before)
    } finally {
      await db.destroy()
      await open.close()
    }
  },
)

async function timeoutsOf(db: AnyKysely): Promise<unknown> {
  const { rows } = await sql`select current_setting('statement_timeout') as statement,
    current_setting('lock_timeout') as lock`.execute(db)
  return rows
}

test('createTables gives up with CRUD_ERR_BUSY where others use a table that it has to change', async () => {
  const open = await postgres.open()
  const db = openPostgres(open.location, { lock_timeout: 50 })
  try {
    await createTables(db, library)
    await sql`drop index "chapter_bookId_idx"`.execute(db)
    const other = await otherWriter(open)
    await other.run('lock table chapter in row exclusive mode')
    await expect(createTables(db, library)).rejects.toMatchObject({ code: 'CRUD_ERR_BUSY' })
    await other.end('rollback')
  } finally {
    await db.destroy()
    await open.close()
  }
})
