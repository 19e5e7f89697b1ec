import { Type } from '@sinclair/typebox'
import { createTables, defineResources, knows, type Model, neededBy, needs, ownedBy, owns } from 'fastify-crud'
import { sql } from 'kysely'
import type { OpenDatabase } from '../../../../../test/support/databases.ts'

/** Books, and views of them. */
export const shelf = defineResources({
  author: {
    fields: { name: Type.String() },
    relations: { offers: neededBy.many('offer') },
  },
  book: {
    fields: { title: Type.String(), price: Type.Number() },
    relations: { author: knows.one('author') },
  },
  offer: {
    writable: false,
    fields: { title: Type.String(), price: Type.Number() },
    relations: { author: needs.one('author') },
  },
  /** For each author, one row: whether the author has books or not. */
  sale: {
    writable: false,
    fields: { books: Type.Integer() },
    relations: { author: knows.one('author'), parts: owns.many('part') },
  },
  part: { writable: false, fields: { title: Type.String() }, relations: { sale: ownedBy('sale') } },
  review: {
    fields: { text: Type.String() },
    relations: { offer: needs.one('offer'), other: knows.one('offer'), others: knows.many('offer') },
  },
}) as Model

const VIEWS = [
  `create view "offer" as select "id", "title", "price", "authorId" from "book" where "price" <= 10 and "authorId" is not null`,
  `create view "sale" as select a."id", count(b."id") as "books", a."id" as "authorId"
    from "author" a left join "book" b on b."authorId" = a."id" group by a."id"`,
  `create view "part" as select "id", "title", "authorId" as "saleId" from "book" where "authorId" is not null`,
]

export async function makeShelf({ db }: Pick<OpenDatabase, 'db'>): Promise<void> {
  await createTables(db, shelf)
  for (const view of VIEWS) await sql.raw(view).execute(db)
}
