import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { createStore, defineResources } from '@fastify-crud/core'
import { openNodeSqlite } from '@fastify-crud/core/node-sqlite'
import { openSqlite } from '@fastify-crud/core/sqlite'
import { checkTables, createTables } from '@fastify-crud/tables'
import { Type } from '@sinclair/typebox'
import { sql } from 'kysely'
import { expect, inject, test } from 'vitest'
import { library } from './library.ts'

test.each([
  ['openSqlite', openSqlite],
  ['openNodeSqlite', openNodeSqlite as typeof openSqlite],
])('a DatabaseSync of node:sqlite is served by %s', async (_, open) => {
  const file = join(mkdtempSync(join(inject('sqliteFolder'), 'node-')), 'test.sqlite')
  const db = open(new DatabaseSync(file, { timeout: 500 }), { resources: library })
  await createTables(db, library)
  expect(await checkTables(db, library)).toEqual([])
  const store = createStore({ db, resources: library })
  const author = await store.author.create({ name: 'Ada' })
  const book = await store.book.create({
    title: 'Plans',
    pages: 12,
    inPrint: true,
    authors: [{ id: author.id }],
    chapters: [{ title: 'One' }],
  })
  expect(await store.book.find(book.id)).toEqual(book)
  expect(await db.selectFrom('books').select(['id', 'book_title']).execute()).toEqual([{ id: 1, book_title: 'Plans' }])
  await expect(store.author.delete(author.id)).rejects.toMatchObject({ code: 'CRUD_ERR_STILL_NEEDED' })
  await db.destroy()
})

test('functions of our own are there: decimals, bytes and lower case', async () => {
  const resources = defineResources({
    thing: {
      fields: {
        name: Type.String(),
        price: Type.String({ format: 'decimal' }),
        data: Type.String({ contentEncoding: 'base64' }),
      },
      search: { fields: ['name'], index: true },
      groups: true,
    },
  })
  const db = openNodeSqlite(new DatabaseSync(':memory:'), { resources })
  await createTables(db, resources)
  const store = createStore({ db, resources })
  await store.thing.createMany([
    { name: 'ÄRGER', price: '10.10', data: 'AAEC' },
    { name: 'b', price: '9.9', data: '' },
  ])
  const { rows } = await store.thing.list({ search: 'ärger', sort: ['price'] } as never)
  expect(rows).toEqual([{ id: 1, name: 'ÄRGER', price: '10.10', data: 'AAEC' }])
  expect((await store.thing.group({ values: ['sum(price)'] } as never)).rows).toEqual([{ 'sum(price)': '20.00' }])
  await db.destroy()
})

test('its errors mean what those of better-sqlite3 mean', async () => {
  const db = openNodeSqlite(new DatabaseSync(':memory:'))
  await sql`create table a (id integer primary key, b integer not null unique check (b > 0))`.execute(db)
  await sql`insert into a values (1, 1)`.execute(db)
  const codes: unknown[] = []
  for (const values of ['(1, 2)', '(2, 1)', '(3, null)', '(4, 0)', '(5)']) {
    await sql
      .raw(`insert into a values ${values}`)
      .execute(db)
      .catch(({ code }) => codes.push(code))
  }
  expect(codes).toEqual([
    ...[
      'SQLITE_CONSTRAINT_PRIMARYKEY',
      'SQLITE_CONSTRAINT_UNIQUE',
      'SQLITE_CONSTRAINT_NOTNULL',
      'SQLITE_CONSTRAINT_CHECK',
    ],
    'SQLITE_ERROR',
  ])
  await db.destroy()
})

test('keeps its settings, and takes none', async () => {
  const database = new DatabaseSync(':memory:')
  expect(() => openSqlite(database, { timeout: 1 })).toThrow(
    "openSqlite: a database that is open already keeps its settings, so it does not accept 'timeout'",
  )
  database.close()
})

/** What resembles a driver. */
class Database {
  prepare(): void {}
}

test('another driver is refused by its name', () => {
  expect(() => openSqlite(new Database() as never)).toThrow(
    "openSqlite: needs the path of a file, ':memory:', a better-sqlite3 database, or a DatabaseSync of node:sqlite, not the Database of another driver",
  )
})
