import { createStore } from '@fastify-crud/core'
import { checkTables, introspect } from '@fastify-crud/tables'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { describeOnOpened } from '../../../../test/support/describe-on-databases.ts'
import { useDatabase } from '../use-database.ts'

describeOnOpened('introspect leaves out no more than it has to', (setup) => {
  const database = useDatabase(setup)
  const isPostgres = setup.name === 'postgres'
  const id = isPostgres ? 'id bigserial primary key' : 'id integer primary key autoincrement'

  async function introspected(...statements: readonly string[]) {
    const { db } = database()
    for (const statement of statements) await sql.raw(statement).execute(db)
    const { resources, source, tables } = await introspect(db)
    const found = await checkTables(db, resources)
    expect(found.filter(({ severity }) => severity === 'error')).toEqual([])
    const store = createStore({ db, resources: resources as never }) as never as {
      resource(key: string): Record<'create' | 'list' | 'find', (...given: unknown[]) => Promise<{ rows: unknown[] }>>
    }
    return { source, store, tables: Object.fromEntries(tables) }
  }

  const KEYS = isPostgres ? ['bytea', 'text[]', 'jsonb'] : ['blob', 'varbinary(20)', 'json']

  test.each(KEYS)('a unique key over %s, whose violation is 409 without a field', async (type) => {
    const value = type === 'text[]' ? ['a'] : /json/.test(type) ? { a: 1 } : 'AAAA'
    const { source, store, tables } = await introspected(
      `create table thing (${id}, name text not null unique, data ${type} not null, other integer not null)`,
      'create unique index thing_data on thing (data)',
      'create unique index thing_other on thing (other, data)',
    )
    expect(tables).toEqual({ thing: { resource: 'thing' } })
    expect(source).toContain("unique: [['name']]")
    expect(source).toContain('// The unique index "thing_data" stays the database\'s own: ')
    expect(source).toContain('// The unique index "thing_other" stays the database\'s own: ')
    const body = { data: value, other: 1 }
    await store.resource('thing').create({ ...body, name: 'a' })
    const again = store.resource('thing').create({ ...body, name: 'b' })
    await expect(again).rejects.toMatchObject({ code: 'CRUD_ERR_NOT_UNIQUE', status: 409 })
  })

  const ODD = isPostgres ? 'point' : 'something'

  test('a column that no field can have, where it may be null or has a default', async () => {
    const { source, tables, store } = await introspected(
      `create table place (${id}, name text not null, at ${ODD}, home ${ODD} not null default '(1,2)')`,
    )
    expect(tables).toEqual({ place: { resource: 'place' } })
    expect(source).toContain('// The column "at" is left out: ')
    expect(source).toContain('// The column "home" is left out: ')
    expect(await store.resource('place').create({ name: 'x' })).toEqual({ id: 1, name: 'x' })
  })

  test('only the writes of a table with such a column that each new row needs', async () => {
    const { source, tables, store } = await introspected(
      `create table city (${id}, name text not null unique, at ${ODD} not null)`,
      `create table house (${id}, city_id integer not null references city on delete cascade, street text not null)`,
      `create table mayor (${id}, name text not null, house_id integer references house, at ${ODD} not null)`,
      `create table twin (city_id integer not null references city, other_id integer not null references city, primary key (city_id, other_id))`,
      "insert into city (name, at) values ('Graz', '(1,2)')",
      "insert into house (city_id, street) values (1, 'Sackstrasse')",
      "insert into mayor (name, house_id, at) values ('Eva', 1, '(1,2)')",
    )
    expect(source.match(/writable: false/g)).toHaveLength(2)
    expect(source).toContain('// Requests only read it: of its column "at", ')
    expect(tables).toMatchObject({
      city: { resource: 'city' },
      house: { resource: 'house' },
      mayor: { resource: 'mayor' },
    })
    expect((await store.resource('city').list()).rows).toEqual([expect.objectContaining({ id: 1, name: 'Graz' })])
    expect(await store.resource('mayor').find(1)).toMatchObject({ name: 'Eva', house: { street: 'Sackstrasse' } })
    expect(store.resource('city').create).toBeUndefined()
    const house = { city_id: 1, street: 'Herrengasse' }
    const created = store
      .resource('house')
      .create({ ...house, cityId: 1 })
      .catch(() => store.resource('house').create(house))
    expect(await created).toMatchObject({ street: 'Herrengasse' })
  })

  test('but a table whose id cannot be spelled', async () => {
    const { tables } = await introspected(
      `create table place (at ${isPostgres ? 'point' : 'something'} not null, name text)`,
      `create table key (data ${isPostgres ? 'bytea' : 'binary(16)'} not null primary key, name text)`,
    )
    expect(tables.key).toEqual({ reason: expect.any(String) })
  })

  if (!isPostgres) {
    test.each(['binary(16)', 'varbinary(4)', 'bytea', 'BYTEA', 'image'])('a column of bytes: %s', async (type) => {
      const { source, store } = await introspected(`create table file (${id}, data ${type} not null)`)
      expect(source).toContain("contentEncoding: 'base64'")
      await store.resource('file').create({ data: 'AAECAw==' })
      expect(await store.resource('file').find(1)).toEqual({ id: 1, data: 'AAECAw==' })
    })
  }
})
