import type { TestRules } from './rules.ts'

/** A new line takes from the stock of its product, which cannot go below zero. */
export const stock: TestRules = {
  line: {
    async validate({ after, db, lock, refuse }) {
      await lock('product', [after.productId])
      const { stock } = await db
        .selectFrom('product')
        .select('stock')
        .where('id', '=', after.productId)
        .executeTakeFirstOrThrow()
      if (Number(stock) < after.amount) refuse(`only ${stock} are left`)
    },
    async afterWrite({ after, db }) {
      await db
        .updateTable('product')
        .set(({ eb }) => ({ stock: eb('stock', '-', after.amount) }))
        .where('id', '=', after.productId)
        .execute()
    },
  },
}
