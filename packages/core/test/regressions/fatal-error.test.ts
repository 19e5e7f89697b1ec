import { createStore, defineResources } from '@fastify-crud/core'
import { createTables } from '@fastify-crud/tables'
import { Type } from '@sinclair/typebox'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { databases, type TestDatabase } from '../../../../test/support/databases.ts'
import { isFatal } from '../../src/session/postgres/pipeline/index.ts'

test.each([
  { severity: 'FATAL', code: '57P01', ends: true },
  { severity: 'FATAL', code: '25P04', ends: true },
  { severity: 'PANIC', code: 'XX000', ends: true },
  { severity: 'ERROR', code: '57P01', ends: false },
  { severity: 'ERROR', code: '08006', ends: false },
  { severity: 'ВАЖНО', code: '57P01', ends: true },
  { severity: 'FEHLER', code: '08006', ends: false },
  { severity: undefined, code: 'ECONNRESET', ends: false },
])('$severity $code ends the session: $ends', ({ ends, ...error }) => {
  expect(isFatal(error)).toBe(ends)
})

const postgres = databases.find(({ name }) => name === 'postgres') as TestDatabase

const resources = defineResources({ thing: { fields: { name: Type.String() } } })

test('a session that the server has lost with another server leaves the caller a transaction to go on with', async () => {
  const open = await postgres.open()
  try {
    await createTables(open.db, resources)
    await sql`create function lose() returns trigger language plpgsql as $$
        begin raise exception using errcode = '08006', message = 'the other server is gone'; end $$`.execute(open.db)
    await sql`create trigger lose before insert on thing for each row when (new.name = 'elsewhere')
        execute function lose()`.execute(open.db)
    await open.db.transaction().execute(async (trx) => {
      const things = createStore({ db: trx, resources }).resource('thing')
      await expect(things.create({ name: 'elsewhere' })).rejects.toMatchObject({ code: '08006' })
      await things.create({ name: 'here' })
    })
    const stored = await createStore({ db: open.db, resources }).resource('thing').list()
    expect(stored).toMatchObject({ rows: [{ name: 'here' }], count: 1 })
  } finally {
    await open.close()
  }
})
