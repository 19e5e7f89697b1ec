import type { AnyKysely } from '@fastify-crud/core'
import { sql } from 'kysely'
import { anyNull } from '../check/columns/null-statements.ts'
import type { TableLayout } from '../layout/table-layout.ts'
import { quotedTable } from '../quoted-names.ts'
import { regclass } from './changes/exists.ts'

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

  /** PostgreSQL: whether the statistics know more rows than others can wait for. If not, it reads that many at most. */
  async isLarge(table: TableLayout): Promise<boolean> {
    const known = `SELECT 1 FROM pg_class WHERE oid = ${regclass(table)} AND reltuples > ${LARGE}`
    return (await this.finds(known)) || this.finds(`SELECT 1 FROM ${quotedTable(table)} LIMIT 1 OFFSET ${LARGE}`)
  }

  hasNulls(table: TableLayout, column: string): Promise<boolean> {
    return this.finds(anyNull(table, column))
  }

  /** Whether a query finds a row. */
  finds(query: string): Promise<boolean> {
    const known = this.#answers.get(query)
    if (known !== undefined) return known
    const answer = this.read(query).then((rows) => rows.length > 0)
    this.#answers.set(query, answer)
    return answer
  }

  async read<Row>(query: string): Promise<readonly Row[]> {
    return (await sql.raw<Row>(query).execute(this.#db)).rows
  }
}
