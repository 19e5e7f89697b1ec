import type { AnyKysely } from '@fastify-crud/core'
import { sql } from 'kysely'
import { anyNull } from '../check/columns/null-statements.ts'
import type { TableLayout } from '../layout/table-layout.ts'
import { quotedTable } from '../quoted-names.ts'

/** PostgreSQL writes some 100,000 rows in a second. */
const LARGE = 100_000

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

  /** Whether there are more rows than others can wait for. Reads no more than these. */
  isLarge(table: TableLayout): Promise<boolean> {
    return this.finds(`SELECT 1 FROM ${quotedTable(table)} LIMIT 1 OFFSET ${LARGE}`)
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
