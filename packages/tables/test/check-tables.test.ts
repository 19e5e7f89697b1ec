import { defineResources } from '@fastify-crud/core'
import { checkTables, createTables, type TableProblem } from '@fastify-crud/tables'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { OpenDatabase } from '../../../test/support/databases.ts'
import { describeOnBoth } from '../../../test/support/describe-on-databases.ts'
import { alter, checkHandMade, type HandMade, handMade, leaveOut } from './hand-made.ts'
import { library } from './library.ts'

describeOnBoth('checkTables', (database) => {
  const isSqlite = database.name === 'sqlite'
  let open: OpenDatabase

  beforeAll(async () => {
    open = await database.open()
  })
  afterAll(() => open.close())

  const check = (statements: HandMade) => checkHandMade(open, statements)

  /** An error of one column; the SQL that mends it is told where the database can alter a table so. */
  const error = (table: string, column: string, message: string, alteration?: string): Partial<TableProblem> => ({
    table,
    column,
    message: alteration === undefined || isSqlite ? message : `${message}: ${alteration}`,
    severity: 'error',
  })

  test('finds nothing wrong with tables that were made well by hand', async () => {
    expect(await check(handMade)).toEqual([])
  })

  test('finds missing tables, sorted', async () => {
    expect(await check({})).toMatchObject(
      ['category', 'part', 'product', 'product_shops', 'product_tags', 'shop', 'tag', 'vendor'].map((table) => ({
        table,
        message: `the table ${table} is missing: createTables creates it`,
        severity: 'error',
      })),
    )
  })

  test('finds a view in the place of a table', async () => {
    const statements = { ...leaveOut('vendor'), vendor: "create view vendor as select 1 as id, 'one' as name" }
    const product = alter('product', 'not null references vendor (id)', 'not null').product ?? ''
    const problems = await check({
      ...statements,
      product: product.replace('references vendor (id) on delete set null', ''),
    })
    expect(problems.filter(({ table }) => table === 'vendor')).toMatchObject([
      {
        message: 'vendor is a view, where a table is needed: declare writable: false, if requests only read it',
        severity: 'error',
      },
    ])
  })

  test('finds a missing column', async () => {
    const type = database.name === 'postgres' ? 'text COLLATE "C"' : 'text'
    expect(await check(alter('vendor', ', name varchar not null', ''))).toMatchObject([
      error(
        'vendor',
        'name',
        `column vendor.name is missing: ALTER TABLE "vendor" ADD COLUMN "name" ${type} NOT NULL, with a DEFAULT for the rows that exist`,
      ),
    ])
  })

  test('finds a column that may be null where the model says no', async () => {
    expect(await check(alter('vendor', 'varchar not null', 'text'))).toMatchObject([
      error(
        'vendor',
        'name',
        'column vendor.name allows null, but the model does not: ALTER TABLE "vendor" ALTER COLUMN "name" SET NOT NULL',
      ),
    ])
  })

  test('finds a foreign key that may be null where the model says no', async () => {
    expect(await check(alter('part', 'not null', ''))).toMatchObject([
      error(
        'part',
        'productId',
        'column part.productId of relation part.product allows null, but the model does not: ALTER TABLE "part" ALTER COLUMN "productId" SET NOT NULL',
      ),
    ])
  })

  test('finds NOT NULL where the model allows null, default or not', async () => {
    const message = 'column product.code is NOT NULL, but the model allows null'
    const fix = 'ALTER TABLE "product" ALTER COLUMN "code" DROP NOT NULL'
    const expected = [error('product', 'code', `${message}: ${fix}`)]
    expect(await check(alter('product', 'code text', 'code text not null'))).toMatchObject(expected)
    expect(await check(alter('product', 'code text', "code text not null default ''"))).toMatchObject(expected)
  })

  test('finds an unknown column that no insert can fill', async () => {
    expect(await check(alter('vendor', 'name', 'since text not null, name'))).toMatchObject([
      error(
        'vendor',
        'since',
        'column vendor.since is NOT NULL, has no default, and is not in the model: no row can be inserted; give it a default, or let it be null: ALTER TABLE "vendor" ALTER COLUMN "since" DROP NOT NULL',
      ),
    ])
    expect(await check(alter('product_shops', 'id ID', 'since text not null'))).toMatchObject([
      { table: 'product_shops', column: 'since' },
    ])
    expect(await check(alter('vendor', 'name', "since text not null default '', name"))).toEqual([])
    expect(await check(alter('vendor', 'name', 'since text, name'))).toEqual([])
  })

  test('finds a column that the database computes', async () => {
    expect(await check(alter('vendor', 'not null', "not null generated always as ('one') stored"))).toMatchObject([
      error('vendor', 'name', 'column vendor.name is computed by the database, but the service writes it'),
    ])
  })

  test('finds a missing unique constraint', async () => {
    const message = 'no unique constraint keeps product (code) unique'
    const create = 'CREATE UNIQUE INDEX "product_code_key" ON "product" ("code")'
    const expected = (why = '') => [error('product', 'code', `${message}${why}: ${create}`)]
    const without = alter('product', 'code text unique', 'code text')
    expect(await check(without)).toMatchObject(expected())
    expect(await check({ ...without, index: 'create index one on product (code)' })).toMatchObject(expected())
    expect(await check({ ...without, index: 'create unique index one on product (lower(code))' })).toMatchObject(
      expected(),
    )
    expect(
      await check({ ...without, index: "create unique index one on product (code) where title <> ''" }),
    ).toMatchObject(expected(' (one is partial)'))
    expect(await check({ ...without, index: 'create unique index one on product (code)' })).toEqual([])
  })

  test('finds a missing unique constraint over several columns, in whatever order they are', async () => {
    const without = alter('product', ',\n    unique ("vendorId", title)', '')
    const index = { index: 'create index one on product ("vendorId")' }
    // Products may swap their vendors.
    const mend = isSqlite
      ? 'CREATE UNIQUE INDEX "product_vendorId_title_key" ON "product" ("vendorId", "title")'
      : 'ALTER TABLE "product" ADD CONSTRAINT "product_vendorId_title_key" UNIQUE ("vendorId", "title") DEFERRABLE'
    expect(await check({ ...without, ...index })).toMatchObject([
      {
        table: 'product',
        message: `no unique constraint keeps product (vendorId, title) unique: ${mend}`,
        severity: 'error',
      },
    ])
    const turned = { key: 'create unique index two on product (title, "vendorId")' }
    expect(await check({ ...without, ...index, ...turned })).toEqual([])
  })

  test('finds a unique constraint that the model does not know', async () => {
    expect(await check(alter('vendor', 'not null', 'not null, constraint one unique (name)'))).toMatchObject([
      {
        table: 'vendor',
        column: 'name',
        message: expect.stringMatching(/^the unique constraint \w+ on vendor \(name\) is not in the model: a request/),
        severity: 'warning',
      },
    ])
    const index = 'create unique index one on product (title, code)'
    expect(await check({ ...handMade, index }), 'implied by a known one').toEqual([])
    const column = alter('vendor', 'name', 'number int unique, name')
    expect(await check(column), 'of a column that the model does not know').toEqual([])
  })

  test('finds a missing primary key', async () => {
    const problems = await check(alter('part', 'id ID', isSqlite ? 'id integer not null' : 'id serial not null'))
    expect(problems.filter(({ kind }) => kind === 'key')).toMatchObject([
      error('part', 'id', 'part has no primary key (id)', 'ALTER TABLE "part" ADD PRIMARY KEY ("id")'),
    ])
  })

  test('finds a link table without a key over both columns', async () => {
    const message = 'product_shops has no primary key (productId, shopId)'
    const index = 'CREATE UNIQUE INDEX "product_shops_productId_shopId_key" ON "product_shops" ("productId", "shopId")'
    const statements = alter('product_shops', ', unique ("productId", "shopId")', '')
    expect(await check({ ...statements, index: 'create index one on product_shops ("productId")' })).toMatchObject([
      { table: 'product_shops', message: `${message}: ${index}`, severity: 'error' },
    ])
  })

  test('finds a missing foreign key', async () => {
    expect(await check(alter('part', 'references product (id) on delete cascade', ''))).toMatchObject([
      error(
        'part',
        'productId',
        'part.productId has no foreign key to product.id, for which part.product would have to say constraint: false',
        'ALTER TABLE "part" ADD CONSTRAINT "part_productId_fkey" FOREIGN KEY ("productId") REFERENCES "product" ("id")',
      ),
    ])
  })

  test('finds a foreign key to the wrong table', async () => {
    expect(await check(alter('part', 'references product (id)', 'references vendor (id)'))).toMatchObject([
      error('part', 'productId', 'part.productId references vendor (id), but part.product names product.id'),
    ])
  })

  test('finds a foreign key without an index', async () => {
    const expected = [
      {
        ...error(
          'part',
          'productId',
          'part.productId has no index: reads of related records and deletes read the whole table: CREATE INDEX "part_productId_idx" ON "part" ("productId")',
        ),
        severity: 'warning',
      },
    ]
    const without = leaveOut('partProduct')
    expect(await check(without)).toMatchObject(expected)
    expect(await check({ ...without, index: 'create index one on part (id, "productId")' })).toMatchObject(expected)
    expect(await check({ ...without, index: 'create index one on part ("productId") where id > 5' })).toMatchObject(
      expected,
    )
    expect(await check({ ...without, index: 'create index one on part ("productId", id)' })).toEqual([])
  })

  test('finds ON DELETE actions that do what the model does not say', async () => {
    const statements = {
      ...handMade,
      product: (handMade.product ?? '').replace('(id),', '(id) on delete cascade,').replace('set null', 'cascade'),
      part: (handMade.part ?? '').replace('cascade', 'set null'),
      product_shops: (handMade.product_shops ?? '').replace('shop (id)', 'shop (id) on delete cascade'),
      category: (handMade.category ?? '').replace('(id)', '(id) on delete restrict'),
      product_tags: (handMade.product_tags ?? '').replace('cascade', 'set default'),
    }
    const stay = (table: string) => `rows of ${table} would be deleted that have to stay; use NO ACTION`
    const needed =
      'the service refuses to delete what is needed, but another program that deletes it deletes the row that needs it, too; use NO ACTION'
    const found = (await check(statements)).map((one) => ({ ...one, message: one.message.split(': ALTER TABLE')[0] }))
    expect(found).toMatchObject([
      error(
        'category',
        'parentId',
        'category.parentId is ON DELETE RESTRICT: records of one tree cannot be deleted together; use NO ACTION',
      ),
      error('part', 'productId', 'part.productId is ON DELETE SET NULL: part.product would be lost; use NO ACTION'),
      error('product', 'makerId', `product.makerId is ON DELETE CASCADE: ${stay('product')}`),
      { ...error('product', 'vendorId', `product.vendorId is ON DELETE CASCADE: ${needed}`), severity: 'warning' },
      {
        ...error('product_shops', 'shopId', `product_shops.shopId is ON DELETE CASCADE: ${needed}`),
        severity: 'warning',
      },
      error(
        'product_tags',
        'productId',
        'product_tags.productId is ON DELETE SET DEFAULT: product.tags would become another record; use NO ACTION',
      ),
    ])
  })

  test('finds foreign keys that the model does not know and that keep records from being deleted', async () => {
    const loan = 'create table loan (id ID, part KEY references part (id))'
    expect(await check({ ...handMade, loan })).toMatchObject([
      {
        table: 'part',
        message:
          'loan (part) references part, but the model does not declare it: a record that it names cannot be deleted',
        severity: 'warning',
      },
    ])
    expect(await check({ ...handMade, loan: loan.replace('(id))', '(id) on delete cascade)') })).toEqual([])
  })

  test('finds rows of the model that the database deletes for a reason that the model does not know', async () => {
    const { tag: _tag, product_tags, product_tags_product, ...others } = handMade
    const tag = 'create table tag (id ID, part KEY references part (id) on delete cascade)'
    const problems = await check({ ...others, tag, product_tags, product_tags_product } as HandMade)
    expect(problems).toMatchObject([
      {
        kind: 'extra foreign key',
        severity: 'warning',
        table: 'tag',
        column: 'part',
        found: 'ON DELETE CASCADE to part',
        message:
          'tag (part) references part ON DELETE CASCADE, but the model does not declare it: with a row of part, the database deletes rows of tag that no rule and no policy has seen',
      },
    ])
  })

  test('finds that foreign keys are not enforced on the connection', async () => {
    const message = isSqlite
      ? 'foreign keys are not enforced on this connection: PRAGMA foreign_keys = ON'
      : "foreign keys are not enforced on this connection: SET session_replication_role = 'origin'"
    const other = await database.open()
    const [off] = isSqlite ? ['pragma foreign_keys = off'] : ["set session_replication_role = 'replica'"]
    const problems = await other.db.connection().execute(async (connection) => {
      await createTables(connection, library)
      await sql.raw(off).execute(connection)
      return checkTables(connection, library)
    })
    await other.close()
    expect(problems).toMatchObject([{ kind: 'connection', message, severity: 'error' }])
  })

  test('finds that PostgreSQL rounds the numbers that it prints', async () => {
    const other = await database.open()
    const problems = await other.db.connection().execute(async (connection) => {
      await createTables(connection, library)
      if (!isSqlite) await sql`set extra_float_digits = 0`.execute(connection)
      return checkTables(connection, library)
    })
    await other.close()
    const message = expect.stringMatching(/^extra_float_digits is below 1, .* ALTER ROLE/)
    expect(problems).toMatchObject(isSqlite ? [] : [{ kind: 'connection', message, severity: 'error' }])
  })

  test('asks as often for many tables as for one', async () => {
    const many = defineResources(Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`table${index}`, {}])))
    const asked = (model: typeof many) => open.statements.record(() => checkTables(open.db, model))
    const one = await asked(defineResources({ table: {} }))
    expect(one.length).toBeLessThan(8)
    expect(await asked(many)).toHaveLength(one.length)
  })
})
