import type { Pool } from 'pg'
import { type Changes, changesOfReplace } from './changes.ts'
import { noRecord } from './hand-written.ts'
import { inTransaction } from './in-transaction.ts'
import type { PostgresWrites } from './postgres-by-hand.ts'
import { children, named, newChildren, recordJson, statements } from './postgres-statements.ts'
import type { Parent } from './schemas.ts'

/** What a failing cast to an integer is. */
const CHANGED = '22P02'

const writes = {
  insert: named(
    'insert',
    `with created as (insert into parent (name, quantity) values ($1, $2) returning id)
     ${newChildren('(select id from created)', '$3')}`,
  ),

  createdRecord: named(
    'created-record',
    `select id, ${recordJson(children)}::text as json from parent where id = (select currval('parent_id_seq'))`,
  ),

  /** Fails if the record would not be read as the same JSON. What is cast depends on it, so it is not cast beforehand. */
  unchanged: named(
    'unchanged',
    `select case when found.json is distinct from $2 then cast('changed' || left(coalesce(found.json, ''), 0) as integer) end
     from (select) as one left join (select ${recordJson(children)}::text as json from parent where id = $1) as found on true`,
  ),

  patch: named(
    'patch',
    `update parent set name = coalesce($2, name), quantity = coalesce($3, quantity)
     where id = $1 and (name, quantity) is distinct from (coalesce($2, name), coalesce($3, quantity))`,
  ),

  change: named(
    'change',
    `with updated_parent as (update parent set name = $2, quantity = $3 where id = $1 and $2::text is not null),
          removed as (delete from child where id = any ($4::bigint[])),
          updated as (
            update child set name = listed.name, quantity = listed.quantity
            from jsonb_to_recordset($5::jsonb) as listed (id bigint, name text, quantity bigint)
            where child.id = listed.id and child."parentId" = $1)
     ${newChildren('$1', '$6')}`,
  ),

  removeAll: named(
    'remove-all',
    'with children as (delete from child where "parentId" = $1) delete from parent where id = $1',
  ),
}

/**
 * Writes with this library's guarantees. PUT looks at the record first and begins only if something changes; then all goes
 * at once, the lock, the look whether it is still so, what differs, and the record as the database has it then. PATCH and
 * DELETE need no look: they write under the lock.
 */
export function guardedWrites(pool: Pool): PostgresWrites {
  async function update(id: number, decide: (before: Parent) => Changes | undefined): Promise<string> {
    for (;;) {
      const { rows } = await pool.query(statements.record.with(id))
      if (rows.length === 0) throw noRecord(id)
      const { json } = rows[0]
      const changes = decide(JSON.parse(json))
      if (changes === undefined) return json
      try {
        return await apply(id, json, changes)
      } catch (error) {
        if ((error as { code?: unknown }).code !== CHANGED) throw error
      }
    }
  }

  function apply(id: number, before: string, { parent, updated, added, removed }: Changes): Promise<string> {
    return inTransaction(pool, async (client) => {
      const changed = writes.change.with(
        id,
        parent?.name,
        parent?.quantity,
        removed,
        JSON.stringify(updated),
        JSON.stringify(added),
      )
      const answers = await Promise.all([
        client.query('begin'),
        client.query(statements.lock.with(id)),
        client.query(writes.unchanged.with(id, before)),
        client.query(changed),
        client.query(statements.record.with(id)),
        client.query('commit'),
      ])
      return answers[4].rows[0].json
    })
  }

  return {
    create: ({ name, quantity, children = [] }) =>
      inTransaction(pool, async (client) => {
        const [, , { rows }] = await Promise.all([
          client.query('begin'),
          client.query(writes.insert.with(name, quantity, JSON.stringify(children))),
          client.query(writes.createdRecord.with()),
          client.query('commit'),
        ])
        return rows[0]
      }),

    replace: (id, body) => update(id, (before) => changesOfReplace(before, body)),

    patch: (id, { name, quantity }) =>
      inTransaction(pool, async (client) => {
        const answers = await Promise.all([
          client.query('begin'),
          client.query(statements.lock.with(id)),
          client.query(writes.patch.with(id, name, quantity)),
          client.query(statements.record.with(id)),
          client.query('commit'),
        ])
        const [row] = answers[3].rows
        if (row === undefined) throw noRecord(id)
        return row.json
      }),

    remove: (id) =>
      inTransaction(pool, async (client) => {
        const [, , removed] = await Promise.all([
          client.query('begin'),
          client.query(statements.lock.with(id)),
          client.query(writes.removeAll.with(id)),
          client.query('commit'),
        ])
        if (removed.rowCount === 0) throw noRecord(id)
      }),
  }
}
