import { defineResources, knows, type Model, needs, ownedBy, owns } from '@fastify-crud/core'
import { checkTables, type TableProblem } from '@fastify-crud/tables'
import { Type } from '@sinclair/typebox'
import { sql } from 'kysely'
import type { OpenDatabase } from '../../../test/support/databases.ts'
import type { TestKysely } from '../../../test/support/tables.ts'

/** What {@link handMade} is the database of. */
export const shop = defineResources({
  vendor: { fields: { name: Type.String() } },
  product: {
    fields: { title: Type.String(), code: Type.Optional(Type.String()) },
    relations: {
      vendor: needs.one('vendor'),
      maker: knows.one('vendor'),
      parts: owns.many('part'),
      tags: knows.many('tag'),
      shops: needs.many('shop'),
    },
    unique: [['code'], ['vendor', 'title']],
  },
  part: { relations: { product: ownedBy('product') } },
  tag: {},
  shop: {},
  category: { relations: { parent: ownedBy('category', { optional: true }), categories: owns.many('category') } },
})

/** SQL in which `ID` stands for an id column's type and `KEY` for a foreign key's. */
export type HandMade = Readonly<Record<string, string>>

/** Tables as somebody could have made them by hand: nothing is wrong with them. */
export const handMade: HandMade = {
  vendor: 'create table vendor (id ID, name varchar not null)',
  product: `create table product (id ID, title text not null, code text unique,
    "vendorId" KEY not null references vendor (id), "makerId" KEY references vendor (id) on delete set null,
    unique ("vendorId", title))`,
  productMaker: 'create index product_maker on product ("makerId")',
  part: 'create table part (id ID, "productId" KEY not null references product (id) on delete cascade)',
  partProduct: 'create index part_product on part ("productId")',
  tag: 'create table tag (id ID)',
  product_tags: `create table product_tags ("productId" KEY not null references product (id) on delete cascade,
    "tagId" KEY not null references tag (id) on delete cascade, note text default 'none',
    primary key ("tagId", "productId"))`,
  product_tags_product: 'create index product_tags_product on product_tags ("productId")',
  shop: 'create table shop (id ID)',
  product_shops: `create table product_shops (id ID, "productId" KEY not null references product (id),
    "shopId" KEY not null references shop (id), unique ("productId", "shopId"))`,
  product_shops_shop: 'create index product_shops_shop on product_shops ("shopId")',
  category: 'create table category (id ID, "parentId" KEY references category (id))',
  category_parent: 'create index category_parent on category ("parentId")',
}

/** The same tables, with one piece of one statement replaced. */
export function alter(statement: string, piece: string, by: string): HandMade {
  const changed = handMade[statement]?.replace(piece, by)
  if (changed === undefined || changed === handMade[statement]) throw new Error(`no '${piece}' in '${statement}'`)
  return { ...handMade, [statement]: changed }
}

/** The same tables without one statement. */
export function leaveOut(statement: string): HandMade {
  const { [statement]: left, ...rest } = handMade
  if (left === undefined) throw new Error(`no '${statement}'`)
  return rest
}

/** Runs these statements and then `checkTables`, and takes them back. */
export function checkHandMade(
  open: OpenDatabase,
  statements: HandMade,
  model: Model = shop,
): Promise<readonly TableProblem[]> {
  return withHandMade(open, statements, (db) => checkTables(db, model))
}

/** Runs these statements and then the function, and takes everything back. */
export async function withHandMade<Result>(
  { name, db }: OpenDatabase,
  statements: HandMade,
  run: (db: TestKysely) => Promise<Result>,
): Promise<Result> {
  const isSqlite = name === 'sqlite'
  const id = isSqlite ? 'integer primary key autoincrement' : 'serial primary key'
  const transaction = await db.startTransaction().execute()
  try {
    for (const statement of Object.values(statements)) {
      const text = statement.replaceAll(/\bID\b/g, id).replaceAll(/\bKEY\b/g, isSqlite ? 'integer' : 'int')
      await sql.raw(text).execute(transaction)
    }
    return await run(transaction)
  } finally {
    await transaction.rollback().execute()
  }
}
