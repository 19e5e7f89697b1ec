import type { Generated, Kysely, Transaction } from 'kysely'
import type { jsonArrayFrom as JsonArrayFrom } from 'kysely/helpers/sqlite'
import { noRecord, notItsChild } from './hand-written.ts'
import { byId, type Create, checkReplace, type Parent, type Patch, type Replace } from './schemas.ts'

export interface Tables {
  parent: { id: Generated<number>; name: string; quantity: number }
  child: { id: Generated<number>; name: string; quantity: number; parentId: number }
}

export type Db = Kysely<Tables>

/** The queries as Kysely's documentation shows them: built by each request, relations by `jsonArrayFrom`. */
export function kyselyQueries(db: Db, jsonArrayFrom: typeof JsonArrayFrom) {
  const records = (on: Db | Transaction<Tables>) =>
    on
      .selectFrom('parent')
      .select((eb) => [
        'parent.id',
        'parent.name',
        'parent.quantity',
        jsonArrayFrom(
          eb
            .selectFrom('child')
            .select(['child.id', 'child.name', 'child.quantity'])
            .whereRef('child.parentId', '=', 'parent.id')
            .orderBy('child.id'),
        ).as('children'),
      ])

  const find = (on: Db | Transaction<Tables>, id: number) =>
    records(on)
      .where('parent.id', '=', id)
      .executeTakeFirstOrThrow(() => noRecord(id))

  const insertChildren = (
    trx: Transaction<Tables>,
    parentId: number,
    children: NonNullable<Create['Body']['children']>,
  ) =>
    children.length === 0
      ? Promise.resolve([])
      : trx
          .insertInto('child')
          .values(children.map(({ name, quantity }) => ({ name, quantity, parentId })))
          .returning(['id', 'name', 'quantity'])
          .execute()

  return {
    find: (id: number): Promise<Parent> => find(db, id),

    async list(limit: number, offset: number) {
      const rows = await records(db).orderBy('parent.id').limit(limit).offset(offset).execute()
      const { count } = await db
        .selectFrom('parent')
        .select((eb) => eb.fn.countAll<number>().as('count'))
        .executeTakeFirstOrThrow()
      return { rows, count }
    },

    create: ({ name, quantity, children = [] }: Create['Body']): Promise<Parent> =>
      db.transaction().execute(async (trx) => {
        const parent = await trx
          .insertInto('parent')
          .values({ name, quantity })
          .returning(['id', 'name', 'quantity'])
          .executeTakeFirstOrThrow()
        const added = await insertChildren(trx, parent.id, children)
        return { ...parent, children: added.sort(byId) }
      }),

    replace: (id: number, body: Replace['Body']): Promise<Parent> => {
      const { listed, added } = checkReplace(id, body)
      const { name, quantity } = body
      return db.transaction().execute(async (trx) => {
        // The update locks the record before its children are read.
        const parent = await trx
          .updateTable('parent')
          .set({ name, quantity })
          .where('id', '=', id)
          .returning(['id', 'name', 'quantity'])
          .executeTakeFirstOrThrow(() => noRecord(id))
        const present = await trx.selectFrom('child').select('id').where('parentId', '=', id).execute()
        const ids = new Set(present.map((child) => child.id))
        for (const child of listed) if (!ids.delete(child.id)) throw notItsChild()
        if (ids.size > 0)
          await trx
            .deleteFrom('child')
            .where('id', 'in', [...ids])
            .execute()
        for (const { id: childId, ...values } of listed) {
          await trx.updateTable('child').set(values).where('id', '=', childId).execute()
        }
        const inserted = await insertChildren(trx, id, added)
        return { ...parent, children: [...listed, ...inserted].sort(byId) }
      })
    },

    patch: (id: number, { name, quantity }: Patch['Body']): Promise<Parent> =>
      db.transaction().execute(async (trx) => {
        const changes = { ...(name !== undefined && { name }), ...(quantity !== undefined && { quantity }) }
        if (Object.keys(changes).length > 0) {
          await trx.updateTable('parent').set(changes).where('id', '=', id).execute()
        }
        return find(trx, id)
      }),

    remove: (id: number): Promise<void> =>
      db.transaction().execute(async (trx) => {
        await trx.deleteFrom('child').where('parentId', '=', id).execute()
        const { numDeletedRows } = await trx.deleteFrom('parent').where('id', '=', id).executeTakeFirstOrThrow()
        if (numDeletedRows === 0n) throw noRecord(id)
      }),
  }
}

export type KyselyQueries = ReturnType<typeof kyselyQueries>
