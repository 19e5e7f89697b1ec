import { createStore, defineResources, type Model } from '@fastify-crud/core'
import { checkTables, createTables, generateMigrations, introspect, pushTables } from '@fastify-crud/tables'
import { Type } from '@sinclair/typebox'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { OpenDatabase } from '../../../test/support/databases.ts'
import { describeOnBoth } from '../../../test/support/describe-on-databases.ts'

describeOnBoth('The tables of the library', (database) => {
  const own = ['crud_idempotency', 'crud_numbers']
  const library = defineResources({ book: { fields: { title: Type.String() } } }) as Model
  let open: OpenDatabase
  beforeEach(async () => {
    open = await database.open()
  })
  afterEach(() => open.close())
  const tablesThere = async () => {
    const there: string[] = []
    for (const table of own) {
      await open.db
        .selectFrom(table)
        .selectAll()
        .execute()
        .then(
          () => there.push(table),
          () => {},
        )
    }
    return there
  }

  test('are created by createTables, and checkTables and introspect say nothing of them', async () => {
    await createTables(open.db, library)
    expect(await tablesThere()).toEqual(own)
    await createTables(open.db, library)
    expect(await checkTables(open.db, library)).toEqual([])
    const { source, tables } = await introspect(open.db)
    expect([...tables.keys()]).toEqual(['book'])
    expect(source).not.toContain('crud_')
  })

  test('of a history are as the model has them, too', async () => {
    const kept = defineResources({ book: { fields: { title: Type.String() }, history: true } }) as Model
    await createTables(open.db, kept)
    expect(await checkTables(open.db, kept)).toEqual([])
    expect(await pushTables(open.db, kept)).toEqual([])
    const { files } = await generateMigrations(open.db, kept)
    expect(files).toEqual([])
    expect([...(await introspect(open.db)).tables.keys()]).toEqual(['book'])
  })

  test('are created by pushTables, once', async () => {
    const made = await pushTables(open.db, library)
    expect(made.map(({ table }) => table)).toEqual(['book', 'crud_numbers', 'crud_idempotency', 'crud_idempotency'])
    expect(await pushTables(open.db, library)).toEqual([])
  })

  test('are in a migration that generate writes, once', async () => {
    const { files } = await generateMigrations(open.db, library)
    const changes = files.flatMap((file) => file.changes)
    for (const table of own) expect(changes).toContain(`the table ${table} is missing`)
    await createTables(open.db, library)
    expect((await generateMigrations(open.db, library)).files).toEqual([])
  })

  test('are missed by nobody who needs none', async () => {
    await createTables(open.db, library)
    for (const table of own) await open.db.schema.dropTable(table).execute()
    expect(await checkTables(open.db, library)).toEqual([])
    const store = createStore({ db: open.db, resources: library }).resource('book')
    expect(await store.create({ title: 'Ink' })).toMatchObject({ title: 'Ink' })
  })
})
