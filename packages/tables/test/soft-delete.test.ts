import { defineResources, neededBy, needs, ownedBy, owns } from '@fastify-crud/core'
import { checkTables, createTables, pushTables } from '@fastify-crud/tables'
import { Type } from '@sinclair/typebox'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { describeOnBoth } from '../../../test/support/describe-on-databases.ts'
import { useDatabase } from './use-database.ts'

const desk = (softDelete: object) =>
  defineResources({
    invoice: {
      ...softDelete,
      fields: { number: Type.String(), kind: Type.Optional(Type.String()) },
      relations: { address: owns.one('address'), slot: needs.one('slot', { unique: true }) },
      unique: [['number']],
    },
    address: { ...softDelete, fields: { city: Type.String() }, relations: { invoice: ownedBy('invoice') } },
    slot: { fields: { name: Type.String() }, relations: { invoice: neededBy.one('invoice') } },
  })

const plain = desk({})
const soft = desk({ softDelete: 'deletedAt', columns: { deletedAt: 'deleted_at' } })

describeOnBoth('the tables of resources with softDelete', (setup) => {
  const database = useDatabase(setup)
  const run = (text: string) => sql.raw(text).execute(database().db)
  /** The partial ones of invoices. */
  const indexes = async () => {
    const text =
      setup.name === 'sqlite'
        ? `select name from sqlite_master where type = 'index' and tbl_name = 'invoice' and sql like '% WHERE %'`
        : `select indexname as name from pg_indexes where tablename = 'invoice' and indexdef like '% WHERE %' and schemaname = current_schema()`
    return (await sql.raw<{ name: string }>(text).execute(database().db)).rows
  }
  const findings = async () =>
    (await checkTables(database().db, soft)).map(({ kind, table, column, wanted }) => [kind, table, column, wanted])

  test('have the column and partial unique indexes, and nothing is found in them', async () => {
    await createTables(database().db, soft)
    expect(await findings()).toEqual([])
    await run(`insert into slot (name) values ('a')`)
    const add = `insert into invoice (number, "slotId", deleted_at) select '1', min(id)`
    await run(`${add}, '2026-01-01T00:00:00.000Z' from slot`)
    await run(`${add}, '2026-01-02T00:00:00.000Z' from slot`)
    await run(`${add}, null from slot`)
    await expect(run(`${add}, null from slot`)).rejects.toThrow(/unique/i)
  })

  test('checkTables finds that the column is missing', async () => {
    await createTables(database().db, plain)
    const found = await findings()
    const moment = setup.name === 'sqlite' ? 'text' : 'timestamptz'
    expect(found.filter(([kind]) => kind === 'column')).toEqual([
      ['column', 'address', 'deleted_at', moment],
      ['column', 'invoice', 'deleted_at', moment],
    ])
  })

  test('checkTables finds a column that may not be null', async () => {
    await createTables(database().db, plain)
    await run(`alter table invoice add column deleted_at text not null default ''`)
    expect(await findings()).toContainEqual(['null', 'invoice', 'deleted_at', 'null'])
  })

  test('checkTables finds unique keys that hold for deleted records, too', async () => {
    await createTables(database().db, plain)
    for (const table of ['invoice', 'address']) await run(`alter table ${table} add column deleted_at text`)
    expect(await findings()).toEqual([
      ['unique', 'address', 'invoiceId', 'unique (invoiceId) where "deleted_at" IS NULL'],
      ['extra unique', 'address', 'invoiceId', 'unique (invoiceId) where "deleted_at" IS NULL'],
      ['unique', 'invoice', 'number', 'unique (number) where "deleted_at" IS NULL'],
      ['extra unique', 'invoice', 'number', 'unique (number) where "deleted_at" IS NULL'],
      ['unique', 'invoice', 'slotId', 'unique (slotId) where "deleted_at" IS NULL'],
      ['extra unique', 'invoice', 'slotId', 'unique (slotId) where "deleted_at" IS NULL'],
    ])
    const [, extra] = await checkTables(database().db, soft)
    expect(extra).toMatchObject({ severity: 'error', found: 'unique (invoiceId)' })
    expect(extra?.message).toContain('holds for deleted records, too, so nobody else can have their values')
  })

  test('the fixes of checkTables mend unique indexes that are not those of a table', async () => {
    await createTables(database().db, soft)
    for (const { name } of await indexes()) await run(`drop index "${name}"`)
    await run('create unique index numbers on invoice (number)')
    const found = await checkTables(database().db, soft)
    expect(found.map(({ kind }) => kind).sort()).toContain('extra unique')
    for (const { fix = '' } of found) for (const text of fix.split(';\n')) await run(text)
    expect(await findings()).toEqual([])
  })

  test('pushTables adds the column to tables with rows, and changes unique keys if they are no part of a table', async () => {
    const { db, name } = database()
    await createTables(db, plain)
    await run(`insert into slot (name) values ('a')`)
    await run(`insert into invoice (number, "slotId") select '1', id from slot`)
    if (name === 'sqlite') {
      await expect(pushTables(db, soft)).rejects.toThrow(/holds for deleted records, too/)
      return
    }
    await pushTables(db, soft)
    expect(await findings()).toEqual([])
    expect((await sql`select number, deleted_at from invoice`.execute(db)).rows).toEqual([
      { number: '1', deleted_at: null },
    ])
  })
})
