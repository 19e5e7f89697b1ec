import { createStore, defineResources, knows, needs } from '@fastify-crud/core'
import { checkTables, createTables, type TableProblem } from '@fastify-crud/tables'
import { Type } from '@sinclair/typebox'
import { sql } from 'kysely'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { OpenDatabase } from '../../../test/support/databases.ts'
import { describeOnBoth } from '../../../test/support/describe-on-databases.ts'

const before = defineResources({ shop: {}, product: { table: 't_product' } })

const after = defineResources({
  shop: {},
  product: {
    table: 't_product',
    columns: { colour: 'p_colour' },
    fields: {
      count: Type.Integer({ default: 3 }),
      balance: Type.Number({ default: -0.5 }),
      isNew: Type.Boolean({ default: true }),
      colour: Type.String({ default: "it's red" }),
      day: Type.String({ format: 'date', default: '2026-01-31' }),
      tags: Type.Array(Type.String(), { default: ["it's"] }),
      note: Type.Optional(Type.String()),
    },
    relations: { shop: knows.one('shop') },
  },
})

const required = defineResources({
  shop: {},
  product: { table: 't_product', fields: { code: Type.String() }, relations: { shop: needs.one('shop') } },
})

describeOnBoth('What checkTables says of missing columns', (database) => {
  let open: OpenDatabase

  beforeEach(async () => {
    open = await database.open()
    await createTables(open.db, before)
  })
  afterEach(() => open.close())

  /** Runs the SQL at the end of each message. */
  async function mend(problems: readonly TableProblem[], change = (statement: string) => statement): Promise<void> {
    for (const { message } of problems) {
      const statement = message.slice(message.indexOf(': ') + 2)
      await sql.raw(change(statement)).execute(open.db)
    }
  }

  test('mends a table that has rows, where each column has a default or may be null', async () => {
    await createStore({ db: open.db, resources: before }).product.create({})
    const problems = await checkTables(open.db, after)
    expect(
      problems.map(({ message }) =>
        message.replace(/ADD COLUMN "(\w+)" (double precision|text COLLATE "C"|\w+)/, '"$1"'),
      ),
    ).toEqual([
      'column t_product.balance of field product.balance is missing: ALTER TABLE "t_product" "balance" NOT NULL DEFAULT -0.5',
      'column t_product.count of field product.count is missing: ALTER TABLE "t_product" "count" NOT NULL DEFAULT 3',
      `column t_product.day of field product.day is missing: ALTER TABLE "t_product" "day" NOT NULL DEFAULT '2026-01-31'`,
      'column t_product.isNew of field product.isNew is missing: ALTER TABLE "t_product" "isNew" NOT NULL DEFAULT true',
      'column t_product.note of field product.note is missing: ALTER TABLE "t_product" "note"',
      `column t_product.p_colour of field product.colour is missing: ALTER TABLE "t_product" "p_colour" NOT NULL DEFAULT 'it''s red'`,
      'column t_product.shopId of relation product.shop is missing: ALTER TABLE "t_product" "shopId" REFERENCES "shop" ("id")',
      `column t_product.tags of field product.tags is missing: ALTER TABLE "t_product" "tags" NOT NULL DEFAULT '["it''s"]'`,
    ])
    await mend(problems)
    await createTables(open.db, after)
    expect(await checkTables(open.db, after)).toEqual([])
    expect(await createStore({ db: open.db, resources: after }).product.find(1)).toEqual({
      id: 1,
      count: 3,
      balance: -0.5,
      isNew: true,
      colour: "it's red",
      day: '2026-01-31',
      tags: ["it's"],
      note: null,
      shopId: null,
      shop: null,
    })
  })

  test('mends an empty table without defaults, and says what rows would need', async () => {
    const problems = await checkTables(open.db, required)
    const needed =
      database.name === 'sqlite' ? ', which needs an empty table' : ', with a DEFAULT for the rows that exist'
    expect(problems.map(({ message }) => message.slice(message.indexOf(',')))).toEqual([
      ', with a DEFAULT for the rows that exist',
      needed,
    ])
    await mend(problems, (statement) => statement.slice(0, statement.indexOf(', ')))
    await createTables(open.db, required)
    expect(await checkTables(open.db, required)).toEqual([])
  })

  test('says which id is missing, without SQL', async () => {
    const model = defineResources({ shop: { columns: { id: 'shop_no' } }, product: { table: 't_product' } })
    expect((await checkTables(open.db, model)).map(({ message }) => message)).toContain(
      'column shop.shop_no of shop.id is missing',
    )
  })
})
