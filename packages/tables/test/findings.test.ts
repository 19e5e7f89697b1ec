import { defineResources } from '@fastify-crud/core'
import { checkTables, type TableProblem } from '@fastify-crud/tables'
import { Type } from '@sinclair/typebox'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { OpenDatabase } from '../../../test/support/databases.ts'
import { describeOnBoth } from '../../../test/support/describe-on-databases.ts'
import { alter, checkHandMade, type HandMade, handMade, leaveOut, shop, withHandMade } from './hand-made.ts'

/** What is wrong with one statement of tables made by hand, and what `checkTables` says of it on each database. */
interface Case {
  readonly name: string
  readonly only?: OpenDatabase['name']
  readonly statements: (isSqlite: boolean) => HandMade
  readonly expected: Partial<TableProblem> & Pick<TableProblem, 'kind'>
  /** The databases that have SQL to fix it. */
  readonly fixedOn: readonly OpenDatabase['name'][]
}

const both = ['sqlite', 'postgres'] as const
const linkKey = ', unique ("productId", "shopId")'

const cases: readonly Case[] = [
  {
    name: 'a missing column that may be null',
    statements: () => alter('product', ' code text unique,', ''),
    expected: { kind: 'column', table: 'product', column: 'code', wanted: 'text' },
    fixedOn: both,
  },
  {
    name: 'a missing column that needs a value',
    statements: () => alter('vendor', ', name varchar not null', ''),
    expected: { kind: 'column', table: 'vendor', column: 'name', wanted: 'text not null' },
    fixedOn: [],
  },
  {
    name: 'null where it may not be',
    statements: () => alter('vendor', 'varchar not null', 'varchar'),
    expected: { kind: 'null', table: 'vendor', column: 'name', wanted: 'not null', found: 'null' },
    fixedOn: both,
  },
  {
    name: 'no null where the model has it',
    statements: () => alter('product', 'code text', "code text not null default ''"),
    expected: { kind: 'null', table: 'product', column: 'code', wanted: 'null', found: 'not null' },
    fixedOn: both,
  },
  {
    name: 'a missing unique key',
    statements: () => alter('product', 'code text unique', 'code text'),
    expected: { kind: 'unique', table: 'product', column: 'code', wanted: 'unique (code)' },
    fixedOn: both,
  },
  {
    name: 'a unique key with the name of the wanted one that is checked too late',
    only: 'postgres',
    statements: () => alter('product', 'code text unique', 'code text unique deferrable initially deferred'),
    expected: { kind: 'unique', wanted: 'unique (code)', found: 'initially deferred' },
    fixedOn: ['postgres'],
  },
  {
    name: 'a partial index with the name of the wanted key',
    statements: () => ({
      ...alter('product', 'code text unique', 'code text'),
      partial: `create unique index "product_code_key" on product (code) where title <> ''`,
    }),
    expected: { kind: 'unique', wanted: 'unique (code)', found: 'partial' },
    fixedOn: [],
  },
  {
    name: 'a missing primary key',
    only: 'postgres',
    statements: () => ({
      ...handMade,
      tag: 'create table tag (id serial not null)',
      product_tags:
        'create table product_tags ("productId" int not null, "tagId" int not null, primary key ("productId", "tagId"))',
    }),
    expected: { kind: 'key', table: 'tag', column: 'id', wanted: '(id)' },
    fixedOn: ['postgres'],
  },
  {
    name: 'a link table without a key over both columns, whose primary key is another one',
    statements: () => ({
      ...alter('product_shops', linkKey, ''),
      index: 'create index one on product_shops ("productId")',
    }),
    expected: { kind: 'key', table: 'product_shops', wanted: '(productId, shopId)' },
    fixedOn: both,
  },
  {
    name: 'ids that the database does not give',
    only: 'postgres',
    statements: () => alter('part', 'id ID', 'id bigint primary key'),
    expected: { kind: 'id', table: 'part', column: 'id', wanted: 'a sequence' },
    fixedOn: ['postgres'],
  },
  {
    name: 'a missing foreign key',
    statements: () => alter('part', 'references product (id) on delete cascade', ''),
    expected: { kind: 'foreign key', table: 'part', column: 'productId', wanted: 'product.id' },
    fixedOn: ['postgres'],
  },
  {
    name: 'a foreign key to another table',
    statements: () => alter('part', 'references product (id)', 'references vendor (id)'),
    expected: { kind: 'foreign key', column: 'productId', wanted: 'product.id', found: 'vendor.id' },
    fixedOn: [],
  },
  {
    name: 'an action that the model does not say',
    statements: () => alter('part', 'cascade', 'set null'),
    expected: { kind: 'on delete', column: 'productId', wanted: 'NO ACTION', found: 'SET NULL' },
    fixedOn: ['postgres'],
  },
  {
    name: 'a foreign key without an index',
    statements: () => leaveOut('partProduct'),
    expected: { kind: 'index', table: 'part', column: 'productId', wanted: 'an index over (productId)' },
    fixedOn: both,
  },
  {
    name: 'a column of another type',
    statements: (isSqlite) => alter('vendor', 'varchar', isSqlite ? 'integer' : 'jsonb'),
    expected: { kind: 'type', table: 'vendor', column: 'name', wanted: 'text' },
    fixedOn: [],
  },
  {
    name: 'a column of integers for texts',
    statements: () => alter('vendor', 'varchar', 'integer'),
    expected: { kind: 'type', table: 'vendor', column: 'name', wanted: 'text' },
    fixedOn: ['postgres'],
  },
  {
    name: 'a column of dates for texts',
    only: 'postgres',
    statements: () => alter('vendor', 'varchar', 'date'),
    expected: { kind: 'type', table: 'vendor', column: 'name', wanted: 'text' },
    fixedOn: ['postgres'],
  },
  {
    name: 'a column of texts that are shorter than the model allows',
    only: 'postgres',
    statements: () => alter('vendor', 'varchar', 'varchar(10)'),
    expected: { kind: 'type', table: 'vendor', column: 'name', wanted: 'text', found: 'character varying(10)' },
    fixedOn: ['postgres'],
  },
  {
    name: 'a column that the model does not know and every row needs',
    statements: () => alter('product_tags', '"tagId"', 'since text not null, "tagId"'),
    expected: { kind: 'extra column', table: 'product_tags', column: 'since', found: 'not null without a default' },
    fixedOn: both,
  },
  {
    name: 'a unique key that the model does not know',
    statements: () => ({ ...handMade, index: 'create unique index one on vendor (name)' }),
    expected: { kind: 'extra unique', table: 'vendor', column: 'name', found: 'unique (name)' },
    fixedOn: [],
  },
  {
    name: 'a foreign key that the model does not know',
    statements: () => ({ ...handMade, loan: 'create table loan (id ID, part KEY references part (id))' }),
    expected: { kind: 'extra foreign key', table: 'part', found: 'loan (part)' },
    fixedOn: [],
  },
  {
    name: 'a column that the database computes',
    statements: () => alter('vendor', 'not null', "not null generated always as ('one') stored"),
    expected: { kind: 'computed', table: 'vendor', column: 'name' },
    fixedOn: [],
  },
  {
    name: 'a missing table',
    statements: () => {
      const { product_shops: _table, product_shops_shop: _index, ...others } = handMade
      return others
    },
    expected: { kind: 'table', table: 'product_shops', wanted: 'table' },
    fixedOn: [],
  },
]

/** A row in each table that a fix alters. The name is a value of each type of column. */
const rows = (name: string): HandMade => ({
  aVendor: `insert into vendor (id, name) values (7, '${name}')`,
  aProduct: `insert into product (id, title, "vendorId") values (7, 'Pen', 7)`,
  aPart: `insert into part (id, "productId") values (7, 7)`,
  aTag: 'insert into tag (id) values (7)',
  aShop: 'insert into shop (id) values (7)',
  aLink: 'insert into product_shops ("productId", "shopId") values (7, 7)',
})

describeOnBoth('A finding of checkTables', (database) => {
  let open: OpenDatabase

  beforeAll(async () => {
    open = await database.open()
  })
  afterAll(() => open.close())

  const here = cases.filter(({ only = database.name }) => only === database.name)

  test.each(here)('says as data what is wanted and what is there: $name', async ({ statements, expected, fixedOn }) => {
    const problems = await checkHandMade(open, statements(database.name === 'sqlite'))
    const [one, ...others] = problems.filter(({ kind }) => kind === expected.kind)
    expect(one).toMatchObject(expected)
    expect(others).toEqual([])
    expect(Object.keys(one ?? {})).toEqual(
      ['kind', 'severity', 'table', 'column', 'wanted', 'found', 'message', 'fix'].filter((key) => key in (one ?? {})),
    )
    if (expected.wanted === undefined) expect(one).not.toHaveProperty('wanted')
    const { fix, message } = one as TableProblem
    expect(fix !== undefined).toBe(fixedOn.includes(database.name))
    if (fix !== undefined) expect(message.endsWith(`: ${fix.replaceAll(';\n', '; ')}`)).toBe(true)
  })

  test.each(here.filter(({ fixedOn }) => fixedOn.includes(database.name)))(
    'has SQL that fixes it in a table with rows: $name',
    async ({ statements, expected }) => {
      const made = statements(database.name === 'sqlite')
      const type = /name (\w+)/.exec(made.vendor ?? '')?.[1] ?? ''
      const tables = { ...made, ...rows({ integer: '7', date: '2026-01-31' }[type] ?? 'Ann') }
      await withHandMade(open, tables, async (db) => {
        const find = async () => (await checkTables(db, shop)).filter(({ kind }) => kind === expected.kind)
        const [problem] = await find()
        for (const statement of problem?.fix?.split(';\n') ?? []) await sql.raw(statement).execute(db)
        expect(await find()).toEqual([])
        await sql`insert into part ("productId") values (7)`.execute(db)
        const parts = await sql<{ id: number }>`select id from part order by id`.execute(db)
        expect(parts.rows.map(({ id }) => Number(id))).toEqual(
          expected.kind === 'id' ? [7, 8] : expect.arrayContaining([7]),
        )
      })
    },
  )

  test('fills nulls with the default of the field before it forbids them', async () => {
    const model = defineResources({ tag: { fields: { colour: Type.String({ default: "it's red" }) } } })
    const tables = {
      tag: 'create table tag (id ID, colour text)',
      rows: `insert into tag (id, colour) values (1, 'blue'), (2, null)`,
    }
    await withHandMade(open, tables, async (db) => {
      const [problem] = await checkTables(db, model)
      expect(problem).toMatchObject({ kind: 'null', column: 'colour' })
      for (const statement of problem?.fix?.split(';\n') ?? []) await sql.raw(statement).execute(db)
      expect(await checkTables(db, model)).toEqual([])
      const { rows } = await sql`select id, colour from tag order by id`.execute(db)
      expect(rows.map((row) => Object.values(row as object).map(String))).toEqual([
        ['1', 'blue'],
        ['2', "it's red"],
      ])
    })
  })
})
