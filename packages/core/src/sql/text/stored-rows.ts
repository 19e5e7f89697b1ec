import { sql } from 'kysely'
import type { Link, Resource } from '../../model/model.ts'
import { ofHeld, type QueryContext } from '../context.ts'
import { isOfTenant, isThere, tenantSlot } from '../rows/of-tenant.ts'
import { constantSql } from './field-column.ts'
import type { Source } from './sql-text.ts'
import { join, LISTED, type Sql, type Table } from './sql-text.ts'

/**
 * All rows of a resource, or all links, that there are, but for deleted ones unless the context sees these: for what
 * the database itself will hold a write against (unique values, foreign keys), for locks, and for the rows that a plan
 * has chosen already. What a request names, or is answered with, comes from `visibleRows`.
 */
export function storedRows(context: QueryContext, of: Resource | Link, alias?: string): Source {
  return rowsThat(context, of, alias, undefined)
}

/** All of them that the database holds: for rows that a plan has chosen, and for foreign keys. */
export function heldRows(context: QueryContext, of: Resource | Link, alias?: string): Source {
  return storedRows(ofHeld(context), of, alias)
}

/** The rows that fulfil a condition; undefined: all. In a model with tenants, they are those of the tenant who asks. */
export function rowsThat(
  context: QueryContext,
  of: Resource | Link,
  alias: string | undefined,
  condition: Sql | undefined,
): Source {
  const table = context.names.table(of.table).sql
  const row = alias === undefined ? table : sql.id(alias)
  const fixed = fixedColumns(context, of).map(({ column, value }) => sql`${row}.${sql.id(column)} = ${value}`)
  const always = [isOfTenant(context, of, alias), ...fixed, isKept(context, of, row, alias), condition]
  return sourceOf(
    table,
    alias,
    always.filter((one) => one !== undefined),
  )
}

/** That a row is not deleted; undefined where no row is kept that is, or where it counts all the same. The column
 * stands alone for partial indexes. */
function isKept(context: QueryContext, of: Resource | Link, row: Sql, alias: string | undefined): Sql | undefined {
  if (context.seesDeleted || !('softDelete' in of) || of.softDelete === undefined) return undefined
  const isListed = alias === LISTED && context.listsDeleted === of
  return isListed ? sql`${row}.${sql.id(of.softDelete.column)} is not null` : isThere(context, of, row)
}

/** The rows of a resource's table, also deleted ones and those of other resources: for what holds for the table, such
 * as that its ids are there once. */
export function tableRows(context: QueryContext, of: Resource | Link, alias?: string): Source {
  const ofTenant = isOfTenant(context, of, alias)
  return sourceOf(context.names.table(of.table).sql, alias, ofTenant === undefined ? [] : [ofTenant])
}

/** A column that has one value in all rows of a resource: each query asks for it, and each INSERT writes it. */
interface FixedColumn {
  readonly column: string
  readonly value: Sql
}

function fixedColumns(context: QueryContext, of: Resource | Link): readonly FixedColumn[] {
  if (!('where' in of) || of.where === undefined) return []
  return [{ column: of.where.column, value: constantSql(context, of.where.value) }]
}

/** What each INSERT writes besides the values of its rows. */
export function ownColumns(context: QueryContext, into: Resource | Link): readonly FixedColumn[] {
  const { tenant } = into
  const fixed = fixedColumns(context, into)
  if (tenant === undefined || tenant.isOwnId) return fixed
  return [{ column: tenant.column, value: tenantSlot(context, tenant) }, ...fixed]
}

/** `insert into … (…)`. The values of the columns are {@link insertedValues}. */
export function insertInto(context: QueryContext, into: Resource | Link, columns: readonly string[]): Sql {
  const table = context.names.table(into.table).sql
  const all = [...columns, ...ownColumns(context, into).map(({ column }) => column)]
  // `default values` stands behind the table itself.
  if (all.length === 0) return sql`insert into ${table}`
  return sql`insert into ${table} (${join(all.map((name) => sql.id(name)))})`
}

/** The values of a row for the columns of {@link insertInto}, of which `values` has those of the columns that were
 * given. */
export function insertedValues(context: QueryContext, into: Resource | Link, values: readonly Sql[]): Sql {
  return join([...values, ...ownColumns(context, into).map(({ value }) => value)])
}

/** The table itself, for what is no query of its rows: their type, and the sequence of their ids. */
export function tableOf(context: QueryContext, of: Resource | Link): Table {
  return context.names.table(of.table)
}

/** `always`: the conditions that the rows fulfil in every query. */
export function sourceOf(table: Sql, alias: string | undefined, always: readonly Sql[] = []): Source {
  const name = alias === undefined ? table : sql.id(alias)
  const rows = alias === undefined ? table : sql`${table} as ${name}`
  const where = (conditions: readonly Sql[]) => {
    const all = [...conditions, ...always]
    return all.length === 0 ? sql`` : sql` where ${allOf(all)}`
  }
  return {
    name,
    from: (...conditions) => sql`from ${rows}${where(conditions)}`,
    fromWith: (joins, ...conditions) => sql`from ${join([rows, ...joins], sql` `)}${where(conditions)}`,
    joinedOn: (...conditions) => sql`${rows} on ${allOf([...conditions, ...always])}`,
    update: (assignments, ...conditions) => sql`update ${rows} set ${assignments}${where(conditions)}`,
    delete: (...conditions) => sql`delete from ${rows}${where(conditions)}`,
  }
}

function allOf(conditions: readonly Sql[]): Sql {
  return join(conditions, sql` and `)
}

/** The tables that belong to the library itself, and to no resource. `createTables` makes them. */
export const NUMBERS_TABLE = 'crud_numbers'
export const REPEATS_TABLE = 'crud_idempotency'

export const HISTORY_TABLE = 'crud_history'
export const HISTORY_RECORDS_TABLE = 'crud_history_records'

/** The operation of the row that stands for all writes up to its position which were removed as too old. */
export const PRUNED = '$pruned'

export const OWN_TABLES: readonly string[] = [NUMBERS_TABLE, REPEATS_TABLE]
export const HISTORY_TABLES: readonly string[] = [HISTORY_RECORDS_TABLE, HISTORY_TABLE]

/** Why a request fails that needs such a table, and what to do. */
export function ownTableMissing(table: string): string {
  return `the table ${table} is missing: createTables creates it, and so does the migration that \`fastify-crud generate\` writes`
}

/** The names of all that an index for searches has on SQLite begin with it. */
export const SEARCH_PREFIX = 'crud_search_'

/** SQLite: what an index for searches consists of. */
interface SearchNames {
  /** The virtual table of FTS5, with the words of each row under a number. */
  readonly words: string
  /** Tells which row a number means: a table without an integer as its key gives its rows other numbers now and
   * then. */
  readonly rows: string
  /** What keeps both right, whoever writes to the table. */
  readonly triggers: { readonly insert: string; readonly update: string; readonly delete: string }
}

/** By the name of the table that is searched, as the database has it. */
export function searchNames(table: string): SearchNames {
  const name = `${SEARCH_PREFIX}${table}`
  const triggers = { insert: `${name}_insert`, update: `${name}_update`, delete: `${name}_delete` }
  return { words: `${name}_fts`, rows: `${name}_rows`, triggers }
}

/** The column of FTS5 for the words of a column. It takes some names for its own. */
export function wordsColumn(column: string): string {
  return `t_${column}`
}

/** The columns that tell which row a number means. */
export function keyColumns(key: readonly string[]): readonly string[] {
  return key.map((_, position) => `key${position}`)
}

/** The column with that number. */
export const NUMBER = 'number'
