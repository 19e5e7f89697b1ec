import { createStore } from '@fastify-crud/core'
import { checkTables, introspect } from '@fastify-crud/tables'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import { useDatabase } from '../use-database.ts'

describeOnBoth('introspect describes keys of dates, moments and codes', (setup) => {
  const database = useDatabase(setup)
  const isSqlite = setup.name === 'sqlite'

  test('so that the tables fit, and what is read can be written back', async () => {
    const { db } = database()
    for (const statement of [
      'create table calendar (day date not null primary key, name text not null)',
      `create table reading (sensor varchar(20) not null, at ${isSqlite ? 'datetime' : 'timestamp'} not null, value integer not null, primary key (sensor, at))`,
      'create table country (code char(2) not null primary key, name text not null)',
      `create table event (id ${isSqlite ? 'integer primary key autoincrement' : 'bigserial primary key'}, day date not null references calendar, country char(2) not null references country, name text not null)`,
      'create table slot (day date not null references calendar on delete cascade, number integer not null, note text not null, primary key (day, number))',
    ])
      await sql.raw(statement).execute(db)
    const { resources } = await introspect(db)
    const found = await checkTables(db, resources)
    expect(found.filter(({ severity }) => severity === 'error')).toEqual([])
    const store = createStore({ db, resources })
    const add = (resource: string, body: object) =>
      store.resource(resource as never).create(body as never) as Promise<Record<string, never>>
    const day = '2026-11-28'
    await add('calendar', { day, name: 'd' })
    await add('country', { id: 'at', name: 'c' })
    const reading = await add('reading', { sensor: 's,1', at: `${day}T10:00:00Z`, value: 1 })
    expect(reading.id).toBe(`s~11,${day}T10:00:00Z`)
    await add('event', { name: 'e', day, country: 'at' })
    for (const resource of ['calendar', 'reading', 'country', 'event']) {
      const records = store.resource(resource as never)
      const { rows } = (await records.list()) as unknown as { rows: { id: never }[] }
      expect(rows, resource).toHaveLength(1)
      for (const row of rows) {
        expect(await records.find(row.id)).toEqual(row)
        expect(await records.replace(row.id, row as never)).toEqual(row)
      }
    }
  })
})
