import type { AnyKysely } from '@fastify-crud/core'
import type { DatabaseName } from '@fastify-crud/core/internal'
import { sql } from 'kysely'
import { anyNull } from '../check/columns/missing-column.ts'
import type { NameNow } from '../check/keys/whole-keys.ts'
import type { ColumnLayout, TableLayout } from '../layout/table-layout.ts'
import { quoted, quotedTable, quotedText } from '../quoted-names.ts'
import type { Fills } from './fills.ts'
import type { PlannedChanges } from './planned.ts'
import type { TableTexts } from './rebuild/cut-keys.ts'

/** What the functions know that make changes of differences. */
export interface Setting {
  readonly database: DatabaseName
  readonly planned: PlannedChanges
  readonly fills: Fills
  readonly rows: RowsThere
  /** Whether rows are changed in portions, while others write. Undefined: those of large tables are. */
  readonly online: boolean | undefined
  /** SQLite: how the tables were created. */
  readonly texts: TableTexts
  /** What the database calls a column before the migration. */
  readonly nameNow: NameNow
}

/** What is known before the differences are. */
export type EarlySetting = Omit<Setting, 'planned' | 'nameNow'>

/**
 * PostgreSQL: whether a table has rows that others may write meanwhile, so that indexes are built and keys are checked
 * beside them. It cannot do that for partitioned tables.
 */
export async function isBusy({ database, planned, rows }: Setting, table: TableLayout): Promise<boolean> {
  const isPartitioned = planned.comparison.found.tables.get(table.key)?.isPartitioned === true
  return database === 'postgres' && !isPartitioned && (await rows.hasRows(table))
}

/** PostgreSQL: whether the rows of a table are changed in portions, so that nobody waits until all are done. */
export async function isOnline({ database, online, rows }: Setting, table: TableLayout): Promise<boolean> {
  if (database === 'sqlite' || online === false) return false
  return online === true ? rows.hasRows(table) : rows.isLarge(table)
}

/** Columns that are missing or of another type, which the migration leaves to a person: nothing else can be done with
 * them. */
export type AbsentColumns = ReadonlySet<ColumnLayout>

export function areAbsent(absent: AbsentColumns, table: TableLayout | undefined, names: readonly string[]): boolean {
  return table?.columns.some((column) => absent.has(column) && names.includes(column.name)) === true
}

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

/** Queries that find a row if something is there. */
export function columnExists(database: DatabaseName, table: TableLayout, column: string): string {
  return database === 'sqlite'
    ? `SELECT 1 FROM pragma_table_xinfo(${quotedText(table.name)}) WHERE name = ${quotedText(column)} COLLATE NOCASE`
    : `SELECT 1 FROM pg_attribute WHERE attrelid = ${regclass(table)} AND attname = ${quotedText(column)} AND NOT attisdropped`
}

/** PostgreSQL. */
export function constraintExists(table: TableLayout, name: string): string {
  return `SELECT 1 FROM pg_constraint WHERE conrelid = ${regclass(table)} AND conname = ${quotedText(name)}`
}

/** PostgreSQL. */
export function primaryKeyExists(table: TableLayout): string {
  return `SELECT 1 FROM pg_constraint WHERE conrelid = ${regclass(table)} AND contype = 'p'`
}

/** PostgreSQL: an identity or a default. */
export function idIsAssigned(table: TableLayout, column: string): string {
  return `SELECT 1 FROM pg_attribute WHERE attrelid = ${regclass(table)} AND attname = ${quotedText(column)} AND (attidentity <> '' OR atthasdef)`
}

/** PostgreSQL: an index that was left behind as its making failed. */
export function invalidIndexExists(table: TableLayout, name: string): string {
  const index = quotedText(indexPath(table, name))
  return `SELECT 1 FROM pg_index WHERE indexrelid = to_regclass(${index}) AND NOT indisvalid`
}

/** An index as SQL calls it. It is in the schema of its table. */
export function indexPath({ schema }: TableLayout, name: string): string {
  return schema === undefined ? quoted(name) : `${quoted(schema)}.${quoted(name)}`
}

export function regclass(table: TableLayout): string {
  return `${quotedText(quotedTable(table))}::regclass`
}
