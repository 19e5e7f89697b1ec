import { sql } from 'kysely'
import { expect, onTestFinished, test } from 'vitest'
import { type OpenDatabase, type OpenOptions, setups } from '../../../../test/support/databases.ts'
import { otherDrivers } from '../../../../test/support/other-drivers.ts'
import { foldsAllLetters } from '../../src/session/sqlite/folds-all-letters.ts'

async function opened(title: string, options?: OpenOptions): Promise<OpenDatabase> {
  const setup = [...setups, ...otherDrivers].find((one) => one.title === title)
  const database = await setup?.open(options)
  if (database === undefined) throw new Error(`there is no '${title}'`)
  onTestFinished(() => database.close())
  return database
}

test('SQLite folds all letters if openSqlite has opened it, and ASCII only if not', async () => {
  expect(await foldsAllLetters((await opened('sqlite, direct')).db)).toBe(true)
  expect(await foldsAllLetters((await opened('sqlite')).db)).toBe(false)
})

test.each(['postgres', 'PGlite', 'postgres.js'])('PostgreSQL from 17 on folds all letters: %s', async (title) => {
  const { db } = await opened(title)
  const { rows } = await sql<{ version: number }>`
    select current_setting('server_version_num')::int as version`.execute(db)
  expect(await foldsAllLetters(db)).toBe((rows[0]?.version ?? 0) >= 170_000)
})

test('PostgreSQL is asked once, also by transactions', async () => {
  const { db, statements } = await opened('postgres')
  const sent = await statements.record(async () => {
    await foldsAllLetters(db)
    await db.transaction().execute(async (transaction) => await foldsAllLetters(transaction))
    await foldsAllLetters(db.withSchema('public'))
  })
  expect(sent.filter((text) => text.includes('pg_c_utf8'))).toHaveLength(1)
})

test('PostgreSQL is asked again if it could not answer', async () => {
  const { db } = await opened('postgres')
  const failed = db.transaction().execute(async (transaction) => {
    await expect(sql`select 1 / 0`.execute(transaction)).rejects.toThrow()
    await foldsAllLetters(transaction)
  })
  await expect(failed).rejects.toThrow(/aborted/)
  expect(await foldsAllLetters(db)).toBe(true)
})
