import { defineResources } from '@fastify-crud/core'
import { checkTables, createTables } from '@fastify-crud/tables'
import { CamelCasePlugin, sql } from 'kysely'
import { afterEach, describe, expect, test } from 'vitest'
import { databases, type OpenDatabase, type TestDatabase } from '../../../test/support/databases.ts'
import { library } from './library.ts'

const [sqlite, postgres] = databases as [TestDatabase, TestDatabase]

let opened: OpenDatabase | undefined

afterEach(async () => {
  await opened?.close()
  opened = undefined
})

describe('tables in schemas (postgres)', () => {
  test('are created and checked where withSchema says', async () => {
    opened = await postgres.open({ plugins: [new CamelCasePlugin()] })
    const db = opened.db.withSchema('shop')
    await sql`create schema shop`.execute(opened.db)
    await createTables(db, library)
    expect(await checkTables(db, library)).toEqual([])
    const { rows } = await sql<{ schemaname: string }>`
      select distinct schemaname from pg_tables where tablename in ('books', 'series', 'book_tag')`.execute(opened.db)
    expect(rows).toEqual([{ schemaname: 'shop' }])
    expect((await checkTables(opened.db, library))[0]?.message).toContain('is missing')
  })

  test('are created and checked where their own names say', async () => {
    opened = await postgres.open()
    await sql`create schema shop`.execute(opened.db)
    const model = defineResources({ product: { table: 'shop.products' }, vendor: {} })
    await createTables(opened.db, model)
    expect(await checkTables(opened.db, model)).toEqual([])
    await sql`alter table shop.products drop constraint products_pkey`.execute(opened.db)
    expect(await checkTables(opened.db, model)).toMatchObject([
      {
        kind: 'key',
        table: 'shop.products',
        column: 'id',
        severity: 'error',
        message: 'products has no primary key (id): ALTER TABLE "shop"."products" ADD PRIMARY KEY ("id")',
      },
    ])
  })

  test('are found along the search path', async () => {
    opened = await postgres.open()
    const { db } = opened
    await sql`create schema shop`.execute(db)
    const model = defineResources({ product: {} })
    await createTables(db.withSchema('shop'), model)
    await db.connection().execute(async (connection) => {
      await sql`set search_path to public, shop`.execute(connection)
      await createTables(connection, model)
      expect(await checkTables(connection, model)).toEqual([])
      await sql`set search_path to public`.execute(connection)
      expect(await checkTables(connection, model)).toMatchObject([{ table: 'product' }])
      await createTables(connection, model)
      expect(await checkTables(connection, model)).toEqual([])
    })
  })
})

describe('tables in schemas (sqlite)', () => {
  test('are refused, as SQLite has none', async () => {
    opened = await sqlite.open()
    const model = defineResources({ product: {} })
    await expect(createTables(opened.db.withSchema('shop'), model)).rejects.toThrow('SQLite has no schemas')
    await expect(checkTables(opened.db.withSchema('shop'), model)).rejects.toThrow('SQLite has no schemas')
  })
})
