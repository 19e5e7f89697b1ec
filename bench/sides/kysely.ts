import { type ExpressionBuilder, type Generated, Kysely, ParseJSONResultsPlugin, type SelectQueryBuilder } from 'kysely'
import { jsonArrayFrom as postgresArrayFrom } from 'kysely/helpers/postgres'
import { jsonArrayFrom as sqliteArrayFrom } from 'kysely/helpers/sqlite'
import pg from 'pg'
import { dialectOf, isPostgres } from '../src/databases.ts'
import { PAGE } from '../src/works.ts'
import { type NewChild, notItsChild } from './bodies.ts'
import { type Queries, serveByHand } from './serve-by-hand.ts'

interface Tables {
  parent: { id: Generated<number>; name: string; quantity: number }
  child: { id: Generated<number>; name: string; quantity: number; parent_id: number }
}

type ParentBuilder = ExpressionBuilder<Tables, 'parent'>

const FIELDS = ['id', 'name', 'quantity'] as const

/** As Kysely's documentation has it: queries built by each request, relations by `jsonArrayFrom`. */
export const start = (location: string): Promise<number> => {
  // Kysely's recipe for bigint columns.
  pg.types.setTypeParser(pg.types.builtins.INT8, Number)
  const plugins = isPostgres(location) ? [] : [new ParseJSONResultsPlugin()]
  const db = new Kysely<Tables>({ dialect: dialectOf(location), plugins })
  return serveByHand(queriesOf(db, isPostgres(location) ? postgresArrayFrom : sqliteArrayFrom))
}

function queriesOf(db: Kysely<Tables>, jsonArrayFrom: typeof sqliteArrayFrom): Queries {
  const parents = (on = db) => on.selectFrom('parent')
  const records = (on?: Kysely<Tables>) =>
    parents(on)
      .select(FIELDS)
      .select((eb) =>
        jsonArrayFrom(
          eb.selectFrom('child').select(FIELDS).whereRef('child.parent_id', '=', 'parent.id').orderBy('id'),
        ).as('children'),
      )

  const counted = async <Tables, Name extends keyof Tables>(rows: SelectQueryBuilder<Tables, Name, object>) =>
    rows.select((eb) => eb.fn.countAll<number>().as('count')).executeTakeFirstOrThrow()

  const find = (on: Kysely<Tables>, id: number) => records(on).where('parent.id', '=', id).executeTakeFirst()

  const insertChildren = async (trx: Kysely<Tables>, parent_id: number, children: readonly NewChild[]) => {
    if (children.length === 0) return []
    const rows = children.map((child) => ({ ...child, parent_id }))
    const inserted = await trx.insertInto('child').values(rows).returning(FIELDS).execute()
    return inserted.sort((a, b) => a.id - b.id)
  }

  return {
    find: (id) => find(db, id),

    list: async (limit, offset) => {
      const rows = await records().orderBy('id').limit(limit).offset(offset).execute()
      return { rows, ...(await counted(parents())) }
    },

    pages: {
      async filtered(from) {
        const isFound = (eb: ParentBuilder) => eb('quantity', '>=', from)
        const rows = records().where(isFound).orderBy('quantity', 'desc').orderBy('id', 'desc')
        return { ...(await pageOf(rows, 'quantity')), ...(await counted(parents().where(isFound))) }
      },
      async related(from) {
        const isFound = (eb: ParentBuilder) =>
          eb('id', 'in', db.selectFrom('child').select('parent_id').where('quantity', '=', from))
        return {
          ...(await pageOf(records().where(isFound).orderBy('id'))),
          ...(await counted(parents().where(isFound))),
        }
      },
      async fields(from) {
        const rows = parents()
          .select(FIELDS)
          .orderBy('id')
          .offset(from % 100)
        return { ...(await pageOf(rows)), ...(await counted(parents())) }
      },
      cursor(from) {
        const rows = records().where((eb) => eb(eb.refTuple('quantity', 'id'), '>', eb.tuple(from, from)))
        return pageOf(rows.orderBy('quantity').orderBy('id'), 'quantity')
      },
      async counted(from) {
        const rows = records()
          .orderBy('id')
          .offset(from % 100)
        const some = db.selectFrom(parents().select('id').limit(1000).as('some'))
        return { ...(await pageOf(rows)), ...(await counted(some)) }
      },
    },

    create: ({ children = [], ...fields }) =>
      db.transaction().execute(async (trx) => {
        const parent = await trx.insertInto('parent').values(fields).returningAll().executeTakeFirstOrThrow()
        return { id: parent.id, record: { ...parent, children: await insertChildren(trx, parent.id, children) } }
      }),

    replace: (id, { listed, added, ...fields }) =>
      db.transaction().execute(async (trx) => {
        // The update locks the record before its children are read.
        const parent = await trx
          .updateTable('parent')
          .set(fields)
          .where('id', '=', id)
          .returningAll()
          .executeTakeFirst()
        if (parent === undefined) return undefined
        const present = await trx.selectFrom('child').select('id').where('parent_id', '=', id).execute()
        const removed = new Set(present.map((child) => child.id))
        for (const child of listed) if (!removed.delete(child.id)) throw notItsChild()
        const ids = [...removed]
        if (ids.length > 0) await trx.deleteFrom('child').where('id', 'in', ids).execute()
        for (const { id: childId, ...values } of listed) {
          await trx.updateTable('child').set(values).where('id', '=', childId).execute()
        }
        // New ids are above the ones that are there.
        return { ...parent, children: [...listed, ...(await insertChildren(trx, id, added))] }
      }),

    patch: (id, { id: _, ...changes }) =>
      db.transaction().execute(async (trx) => {
        const isEmpty = Object.keys(changes).length === 0
        if (!isEmpty) await trx.updateTable('parent').set(changes).where('id', '=', id).execute()
        return find(trx, id)
      }),

    remove: (id) =>
      db.transaction().execute(async (trx) => {
        await trx.deleteFrom('child').where('parent_id', '=', id).execute()
        const { numDeletedRows } = await trx.deleteFrom('parent').where('id', '=', id).executeTakeFirstOrThrow()
        return Number(numDeletedRows)
      }),
  }
}

/** Reads one record more than the page has: that tells whether there are more, and where the next page begins. */
async function pageOf<Row extends { id: number; quantity: number }>(
  rows: SelectQueryBuilder<Tables, 'parent', Row>,
  ...sort: 'quantity'[]
) {
  const found = await rows.limit(PAGE + 1).execute()
  const page = found.slice(0, PAGE)
  const last = page.at(-1)
  if (found.length === page.length || last === undefined) return { rows: page }
  const keys = JSON.stringify([...sort.map((key) => last[key]), last.id])
  return { rows: page, next: Buffer.from(keys).toString('base64url') }
}
