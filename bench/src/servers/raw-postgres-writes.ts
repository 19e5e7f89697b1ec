import type { Pool } from 'pg'
import { noRecord, notItsChild } from './hand-written.ts'
import { inTransaction } from './in-transaction.ts'
import type { PostgresWrites } from './postgres-by-hand.ts'
import { childJson, children, named, newChildren, recordJson, statements } from './postgres-statements.ts'
import { type Create, checkReplace, type Patch, type Replace } from './schemas.ts'

const collected = (rows: string) => `coalesce((select json_agg(${childJson} order by id) from ${rows}), '[]')`

const writes = {
  create: named(
    'create',
    `with created as (insert into parent (name, quantity) values ($1, $2) returning id, name, quantity),
          added as (${newChildren('(select id from created)', '$3')})
     select id, ${recordJson(collected('added'))}::text as json from created`,
  ),

  /** Runs under the lock. `found` is how many of the listed children are this parent's. */
  replace: named(
    'replace',
    `with listed as (
            select * from jsonb_to_recordset($4::jsonb) as given (id bigint, name text, quantity bigint)),
          replaced as (update parent set name = $2, quantity = $3 where id = $1 returning id, name, quantity),
          updated as (
            update child set name = listed.name, quantity = listed.quantity
            from listed where child.id = listed.id and child."parentId" = $1
            returning child.id, child.name, child.quantity),
          added as (${newChildren('$1', '$5')}),
          removed as (delete from child where "parentId" = $1 and id not in (select id from listed))
     select (select count(*) from updated)::int as found,
            ${recordJson(collected('(table updated union all table added) as kept'))}::text as json
     from replaced`,
  ),

  patch: named(
    'patch',
    `update parent set name = coalesce($2, name), quantity = coalesce($3, quantity) where id = $1
     returning ${recordJson(children)}::text as json`,
  ),

  remove: named('remove', `with gone as (delete from child where "parentId" = $1) delete from parent where id = $1`),
}

/**
 * The writes. Those that read before they write do so in a transaction, under the record's lock: a statement of its own,
 * so that the next one sees what other writers did before. What need not wait is sent at once.
 */
export function rawWrites(pool: Pool): PostgresWrites {
  return {
    async create({ name, quantity, children = [] }: Create['Body']): Promise<{ id: number; json: string }> {
      const { rows } = await pool.query(writes.create.with(name, quantity, JSON.stringify(children)))
      return rows[0]
    },

    async replace(id: number, body: Replace['Body']): Promise<string> {
      const { listed, added } = checkReplace(id, body)
      const { name, quantity } = body
      return inTransaction(pool, async (client) => {
        const [, , { rows }] = await Promise.all([
          client.query('begin'),
          client.query(statements.lock.with(id)),
          client.query(writes.replace.with(id, name, quantity, JSON.stringify(listed), JSON.stringify(added))),
        ])
        const [replaced] = rows
        if (replaced === undefined) throw noRecord(id)
        if (replaced.found < listed.length) throw notItsChild()
        await client.query('commit')
        return replaced.json
      })
    },

    async patch(id: number, { name, quantity }: Patch['Body']): Promise<string> {
      const { rows } = await pool.query(writes.patch.with(id, name, quantity))
      if (rows.length === 0) throw noRecord(id)
      return rows[0].json
    },

    async remove(id: number): Promise<void> {
      const [, , removed] = await inTransaction(pool, (client) =>
        Promise.all([
          client.query('begin'),
          client.query(statements.lock.with(id)),
          client.query(writes.remove.with(id)),
          client.query('commit'),
        ]),
      )
      if (removed.rowCount === 0) throw noRecord(id)
    },
  }
}
