import pg from 'pg'
import { forPages } from '../src/works.ts'
import { notItsChild } from './bodies.ts'
import { libraryPages, withCursor } from './library-pages.ts'
import { serveByHand } from './serve-by-hand.ts'

const OWN = `json_build_object('id', id, 'name', name, 'quantity', quantity)`
const childrenFrom = (rows: string) => `coalesce((select json_agg(${OWN} order by id) from ${rows}), '[]')`
const recordWith = (children: string) =>
  `json_build_object('id', id, 'name', name, 'quantity', quantity, 'children', ${children})`
const RECORD = recordWith(childrenFrom('child where parent_id = parent.id'))

/** Adds the children in a JSON array, with ids in their order. */
const insertChildren = (parentId: string, children: string) => `
  insert into child (parent_id, name, quantity)
  select ${parentId}, value ->> 'name', (value ->> 'quantity')::bigint
  from jsonb_array_elements(${children}::jsonb) with ordinality as given (value, number) order by number
  returning id, name, quantity`

const statements = {
  find: `select ${RECORD}::text as json from parent where id = $1`,

  list: `
    select json_build_object(
      'rows', (select coalesce(json_agg(${RECORD}), '[]') from (select * from parent order by id limit $1 offset $2) as parent),
      'count', (select count(*) from parent))::text as json`,

  create: `
    with created as (insert into parent (name, quantity) values ($1, $2) returning id, name, quantity),
         added as (${insertChildren('(select id from created)', '$3')})
    select id, ${recordWith(childrenFrom('added'))}::text as record from created`,

  /** On its own, so that the next statement sees what other writers did before. */
  lock: 'select 1 from parent where id = $1 for update',

  /** `found` is how many of the listed children are this parent's. */
  replace: `
    with listed as (select * from jsonb_to_recordset($4::jsonb) as given (id bigint, name text, quantity bigint)),
         replaced as (update parent set name = $2, quantity = $3 where id = $1 returning id, name, quantity),
         updated as (
           update child set name = listed.name, quantity = listed.quantity
           from listed where child.id = listed.id and child.parent_id = $1
           returning child.id, child.name, child.quantity),
         added as (${insertChildren('$1', '$5')}),
         removed as (delete from child where parent_id = $1 and id not in (select id from listed))
    select (select count(*) from updated)::int as found,
           ${recordWith(childrenFrom('(table updated union all table added) as kept'))}::text as json
    from replaced`,

  patch: `
    update parent set name = coalesce($2, name), quantity = coalesce($3, quantity) where id = $1
    returning ${RECORD}::text as json`,

  remove: 'with gone as (delete from child where parent_id = $1) delete from parent where id = $1',
}

/** By its name, a connection prepares a statement once. */
const kept = (name: keyof typeof statements, ...values: unknown[]) => ({ name, text: statements[name], values })

/**
 * pg, tuned by hand: the database builds the JSON, and what need not wait is sent at once. Where a write reads first, it does so
 * under the record's lock. Pages have the SQL of this library.
 */
export async function start(location: string): Promise<number> {
  const libraryStatements = await libraryPages(location)
  const pool = new pg.Pool({ connectionString: location, pipeline: true })

  async function inTransaction<Result>(work: (client: pg.PoolClient) => Promise<Result>): Promise<Result> {
    const client = await pool.connect()
    try {
      return await work(client)
    } catch (error) {
      await client.query('rollback')
      throw error
    } finally {
      client.release()
    }
  }

  const firstRow = async (statement: pg.QueryConfig) => (await pool.query(statement)).rows[0]

  return serveByHand({
    find: async (id) => (await firstRow(kept('find', id)))?.json,
    list: async (limit, offset) => (await firstRow(kept('list', limit, offset))).json,
    pages: forPages((name) => {
      const { sql, toValues } = libraryStatements[name]
      return async (number) => withCursor((await firstRow({ name, text: sql, values: toValues(number) })).json)
    }),
    create: ({ name, quantity, children = [] }) => firstRow(kept('create', name, quantity, JSON.stringify(children))),
    patch: async (id, { name, quantity }) => (await firstRow(kept('patch', id, name, quantity)))?.json,

    async replace(id, { name, quantity, listed, added }) {
      const changes = [name, quantity, JSON.stringify(listed), JSON.stringify(added)]
      return inTransaction(async (client) => {
        const statements = ['begin', kept('lock', id), kept('replace', id, ...changes)]
        const replaced = (await Promise.all(statements.map((one) => client.query(one))))[2]?.rows[0]
        if (replaced?.found < listed.length) throw notItsChild()
        await client.query('commit')
        return replaced?.json
      })
    },

    async remove(id) {
      const statements = ['begin', kept('lock', id), kept('remove', id), 'commit']
      const results = await inTransaction((client) => Promise.all(statements.map((one) => client.query(one))))
      return results[2]?.rowCount ?? 0
    },
  })
}
