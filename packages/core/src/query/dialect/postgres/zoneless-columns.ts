import type { DialectAdapter } from 'kysely'
import type { Table } from '../../text/sql-text.ts'
import type { AnyKysely } from '../database.ts'

/**
 * Which columns are of the type `timestamp`, as far as the database was asked. PostgreSQL reads a text for one without regard to its
 * offset, so the values of a body are turned to UTC before. To read and to compare them, nothing has to be known.
 */
export interface ZonelessColumns {
  has(table: Table, column: string): boolean
  /** Whether the database was asked about the table. */
  knows(table: Table): boolean
  /** `columns`: all of that type, as the database spells them. */
  learn(table: Table, columns: ReadonlySet<string>): void
}

/** By the adapter, which an instance shares with its transactions and copies. */
const known = new WeakMap<DialectAdapter, ZonelessColumns>()

export function zonelessColumnsOf(db: AnyKysely): ZonelessColumns {
  const { adapter } = db.getExecutor()
  let columns = known.get(adapter)
  if (columns === undefined) {
    const tables = new Map<string, ReadonlySet<string>>()
    columns = {
      has: ({ text }, column) => tables.get(text)?.has(column) === true,
      knows: ({ text }) => tables.has(text),
      learn: ({ text }, found) => void tables.set(text, found),
    }
    known.set(adapter, columns)
  }
  return columns
}
