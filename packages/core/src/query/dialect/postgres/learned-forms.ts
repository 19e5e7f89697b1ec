import type { DialectAdapter } from 'kysely'
import type { Table } from '../../text/sql-text.ts'
import type { ColumnForm } from '../column-form.ts'
import type { AnyKysely } from '../database.ts'

/**
 * Columns whose types take values otherwise than the dialect writes them, as far as PostgreSQL was asked: `timestamp`, which would lose the
 * offset of a text, and arrays. To read and to compare them, nothing has to be known.
 */
export interface LearnedForms {
  formOf(table: Table, column: string): ColumnForm | undefined
  /** Whether the database was asked about the table. */
  knows(table: Table): boolean
  /** `forms`: of all such columns, by their names in the database. */
  learn(table: Table, forms: ReadonlyMap<string, ColumnForm>): void
}

/** By the adapter, which an instance shares with its transactions and copies. */
const known = new WeakMap<DialectAdapter, LearnedForms>()

export function learnedFormsOf(db: AnyKysely): LearnedForms {
  const { adapter } = db.getExecutor()
  let forms = known.get(adapter)
  if (forms === undefined) {
    const tables = new Map<string, ReadonlyMap<string, ColumnForm>>()
    forms = {
      formOf: ({ text }, column) => tables.get(text)?.get(column),
      knows: ({ text }) => tables.has(text),
      learn: ({ text }, found) => void tables.set(text, found),
    }
    known.set(adapter, forms)
  }
  return forms
}
