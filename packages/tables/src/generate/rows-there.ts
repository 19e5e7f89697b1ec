import type { AnyKysely } from '@fastify-crud/core'
import { sql } from 'kysely'
import { anyNull } from '../check/columns/null-statements.ts'
import type { TableLayout } from '../layout/table-layout.ts'
import { quotedTable } from '../quoted-names.ts'

/** What there is in the tables that are to change. Names of columns are those that they have now. */
export class RowsThere {
  readonly #db: AnyKysely
  readonly #answers = new Map<string, Promise<boolean>>()

  constructor(db: AnyKysely) {
    this.#db = db
  }

  hasRows(table: TableLayout): Promise<boolean> {
    return this.finds(`SELECT 1 FROM ${quotedTable(table)} LIMIT 1`)
  }

  hasNulls(table: TableLayout, column: string): Promise<boolean> {
    return this.finds(anyNull(table, column))
  }

  /** Whether a query finds a row. */
  finds(query: string): Promise<boolean> {
    const known = this.#answers.get(query)
    if (known !== undefined) return known
    const answer = sql
      .raw(query)
      .execute(this.#db)
      .then(({ rows }) => rows.length > 0)
    this.#answers.set(query, answer)
    return answer
  }
}
