import { createStore } from '@fastify-crud/core'
import { checkTables, introspect } from '@fastify-crud/tables'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { databases, type TestDatabase } from '../../../../test/support/databases.ts'
import { useDatabase } from '../use-database.ts'

const postgres = databases[1] as TestDatabase

const TYPES = [
  ...[
    'char(3)',
    'varchar(9)',
    'text',
    'uuid',
    'inet',
    'cidr',
    'macaddr',
    'macaddr8',
    'bit(4)',
    'varbit(3)',
    'tsvector',
    'xml',
  ],
  ...[
    'int4range',
    'numrange',
    'nummultirange',
    'tstzrange',
    'tsrange',
    'daterange',
    'numeric(5, 2)',
    'numeric',
    'money',
  ],
  ...['timestamp', 'timestamp(3)', 'timestamptz(4)', 'time(3)', 'timetz(5)', 'interval(3)', 'date', 'jsonb', 'bytea'],
  ...['smallint', 'bigint', 'double precision', 'boolean', 'text[]'],
]

describe('checkTables of a database that was just described (postgres)', () => {
  const database = useDatabase(postgres)

  test.each(TYPES)('finds nothing to say of %s', async (type) => {
    const { db } = database()
    await sql.raw(`create table t (id serial primary key, x ${type}, y ${type} not null)`).execute(db)
    const { resources } = await introspect(db)
    expect(await checkTables(db, resources)).toEqual([])
  })

  test.each(['timestamp(0)', 'time(2)', 'real'])('warns of %s, which rounds what JavaScript prints', async (type) => {
    const { db } = database()
    await sql.raw(`create table t (id serial primary key, x ${type} not null)`).execute(db)
    const { resources } = await introspect(db)
    expect(await checkTables(db, resources)).toMatchObject([{ severity: 'warning', kind: 'type', column: 'x' }])
  })

  test('refuses more digits than a time keeps, and takes those of JavaScript', async () => {
    const { db } = database()
    await sql.raw('create table t (id serial primary key, x timestamp(3), y time(4), z interval(3))').execute(db)
    const { resources } = await introspect(db)
    const store = createStore({ db, resources }).resource('t')
    const body = { x: '2026-01-31T12:00:00.125Z', y: '12:00:00.1234', z: 'PT1.125S' }
    expect(await store.create(body)).toMatchObject(body)
    const whole = { x: '2026-01-31T12:00:00+02:00', y: '12:00:00', z: 'P1D' }
    expect(await store.create(whole)).toMatchObject({ ...whole, x: '2026-01-31T10:00:00Z' })
    for (const wrong of [{ x: '2026-01-31T12:00:00.1254Z' }, { y: '12:00:00.12345' }, { z: 'PT1.1255S' }])
      await expect(store.create({ ...body, ...wrong })).rejects.toMatchObject({ code: 'CRUD_ERR_INVALID' })
  })
})
