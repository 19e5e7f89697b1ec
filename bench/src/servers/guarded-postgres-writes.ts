import type { Pool } from 'pg'
import { type Changes, changesOfPatch, changesOfReplace } from './changes.ts'
import { noRecord } from './hand-written.ts'
import { inTransaction } from './in-transaction.ts'
import type { PostgresWrites } from './postgres-by-hand.ts'
import { statements } from './postgres-statements.ts'
import type { Parent } from './schemas.ts'

/** What a failing cast to an integer is. */
const CHANGED = '22P02'

/**
 * Writes with this library's guarantees: they look at the record first and begin only if something changes; then all goes
 * at once, the lock, the look whether it is still so, what differs, and the record as the database has it then.
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
      const changed =
        parent !== undefined && updated.length + added.length + removed.length === 0
          ? statements.updateParent.with(id, parent.name, parent.quantity)
          : statements.change.with(
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
        client.query(statements.unchanged.with(id, before)),
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
          client.query(statements.insert.with(name, quantity, JSON.stringify(children))),
          client.query(statements.createdRecord.with()),
          client.query('commit'),
        ])
        return rows[0]
      }),

    replace: (id, body) => update(id, (before) => changesOfReplace(before, body)),

    patch: (id, body) => update(id, (before) => changesOfPatch(before, body)),

    remove: (id) =>
      inTransaction(pool, async (client) => {
        const [, locked, { rows }] = await Promise.all([
          client.query('begin'),
          client.query(statements.lock.with(id)),
          client.query(statements.childIds.with(id)),
        ])
        if (locked.rowCount === 0) throw noRecord(id)
        const children = rows.map((row) => row.id)
        await Promise.all([client.query(statements.removeAll.with(id, children)), client.query('commit')])
      }),
  }
}
