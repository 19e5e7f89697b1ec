import type { Pool } from 'pg'
import { noRecord, notItsChild } from './hand-written.ts'
import { inTransaction } from './in-transaction.ts'
import type { PostgresWrites } from './postgres-by-hand.ts'
import { statements } from './postgres-statements.ts'
import { type Create, checkReplace, type Patch, type Replace } from './schemas.ts'

/**
 * The writes. Those that read before they write do so in a transaction, under the record's lock: a statement of its own,
 * so that the next one sees what other writers did before. What need not wait is sent at once.
 */
export function rawWrites(pool: Pool): PostgresWrites {
  return {
    async create({ name, quantity, children = [] }: Create['Body']): Promise<{ id: number; json: string }> {
      const { rows } = await pool.query(statements.create.with(name, quantity, JSON.stringify(children)))
      return rows[0]
    },

    async replace(id: number, body: Replace['Body']): Promise<string> {
      const { listed, added } = checkReplace(id, body)
      const { name, quantity } = body
      return inTransaction(pool, async (client) => {
        const [, , { rows }] = await Promise.all([
          client.query('begin'),
          client.query(statements.lock.with(id)),
          client.query(statements.replace.with(id, name, quantity, JSON.stringify(listed), JSON.stringify(added))),
        ])
        const [replaced] = rows
        if (replaced === undefined) throw noRecord(id)
        if (replaced.found < listed.length) throw notItsChild()
        await client.query('commit')
        return replaced.json
      })
    },

    async patch(id: number, { name, quantity }: Patch['Body']): Promise<string> {
      const { rows } = await pool.query(statements.patch.with(id, name, quantity))
      if (rows.length === 0) throw noRecord(id)
      return rows[0].json
    },

    async remove(id: number): Promise<void> {
      const [, , removed] = await inTransaction(pool, (client) =>
        Promise.all([
          client.query('begin'),
          client.query(statements.lock.with(id)),
          client.query(statements.remove.with(id)),
          client.query('commit'),
        ]),
      )
      if (removed.rowCount === 0) throw noRecord(id)
    },
  }
}
