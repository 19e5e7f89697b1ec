import type { Resource } from '@fastify-crud/core/internal'
import SqliteDriver from 'better-sqlite3'
import type { Model } from 'fastify-crud'
import { type RawBuilder, sql } from 'kysely'
import type { OpenDatabase } from '../../../../test/support/databases.ts'
import { tableNames } from '../../../../test/support/tables.ts'

/** A row, by column. */
export type StoredRow = Readonly<Record<string, unknown>>

/** All rows of a database but those of deleted records: by table, then by id, each as the text of a JSON object. A link is its own id. */
export type StoredRows = ReadonlyMap<string, ReadonlyMap<string, string>>

/** How many rows of a table a request has added, removed and changed. */
export interface TableChange {
  readonly table: string
  readonly added: number
  readonly removed: number
  readonly changed: number
}

/** What became of one row. */
export interface RowChange {
  readonly table: string
  readonly before: StoredRow | undefined
  readonly after: StoredRow | undefined
}

/** The column that tells a resource's rows apart. Beside the owner's there is one at most: see `withIdsOf`. */
export function keyColumnOf({ idColumns, ownedBy }: Resource): string {
  return idColumns.find((column) => !ownedBy.some((owner) => owner.column === column)) ?? idColumns[0]
}

/** Makes a function that reads all rows. */
export async function rowsReader(
  { name, db, location }: OpenDatabase,
  model: Model,
): Promise<() => Promise<StoredRows>> {
  const keyColumns = new Map([...model.resources.values()].map((one) => [one.table, keyColumnOf(one)]))
  const goneColumns = new Map([...model.resources.values()].map((one) => [one.table, one.softDelete?.column]))
  // What the history keeps is no row of a resource.
  const tables = (await tableNames(name, db)).filter((table) => !table.startsWith('crud_history'))
  if (name === 'sqlite') return async () => rowsOfSqlite(location, tables, { keyColumns, goneColumns })
  const found = await sql<{ table: string; column: string }>`
    select table_name as table, column_name as column from information_schema.columns
    where table_schema = current_schema() and data_type = 'bigint'`.execute(db)
  const large = Map.groupBy(found.rows, ({ table }) => table)
  // One statement, as a fuzzer asks after every request.
  const parts = tables.map((table) => {
    const id = keyColumns.get(table)
    const key = id === undefined ? sql`to_jsonb(t)::text` : sql`${sql.ref(id)}::text`
    const gone = goneColumns.get(table)
    const isThere = gone === undefined ? sql`true` : sql`${sql.ref(gone)} is null`
    return sql`select ${sql.lit(table)} as table, ${key} as key, ${lineOf((large.get(table) ?? []).map(({ column }) => column))} as line from ${sql.table(table)} as t where ${isThere}`
  })
  const query = sql<{ table: string; key: string; line: string }>`${sql.join(parts, sql` union all `)}`
  return async () => {
    const rows = new Map<string, Map<string, string>>(tables.map((table) => [table, new Map()]))
    for (const { table, key, line } of (await query.execute(db)).rows) rows.get(table)?.set(key, line)
    return rows
  }
}

/** JSON of a row `t`, in which 8-byte integers are texts: a number of JavaScript may not hold them. */
function lineOf(large: readonly string[]): RawBuilder<unknown> {
  const texts = large.map((column) => sql`${sql.lit(column)}, ${sql.ref(`t.${column}`)}::text`)
  return sql`(to_jsonb(t) || jsonb_build_object(${sql.join(texts)}))::text`
}

/** By table. */
interface Columns {
  readonly keyColumns: ReadonlyMap<string, string>
  /** Those of the moment at which a record was deleted. */
  readonly goneColumns: ReadonlyMap<string, string | undefined>
}

function rowsOfSqlite(location: string, tables: readonly string[], { keyColumns, goneColumns }: Columns): StoredRows {
  // A driver that reads no integer as another one.
  const database = new SqliteDriver(location, { readonly: true }).defaultSafeIntegers()
  try {
    return new Map(
      tables.map((table) => {
        const column = keyColumns.get(table)
        const gone = goneColumns.get(table)
        const isThere = gone === undefined ? 'true' : `"${gone}" is null`
        const query = `select * from "${table}" where ${isThere}`
        const all = database.prepare<[], Record<string, unknown>>(query).all()
        const lines = all.map((row): [string, string] => {
          const line = JSON.stringify(row, withoutBigints)
          return [column === undefined ? line : String(row[column]), line]
        })
        return [table, new Map(lines)]
      }),
    )
  } finally {
    database.close()
  }
}

function withoutBigints(_: string, value: unknown): unknown {
  if (typeof value !== 'bigint') return value
  return String(value).length < 16 ? Number(value) : String(value)
}

/** The tables whose rows are others than before. */
export function changesBetween(before: StoredRows, after: StoredRows): TableChange[] {
  return [...after].flatMap(([table, rows]) => {
    const old = before.get(table) ?? new Map<string, string>()
    const keys = [...rows.keys()]
    const added = keys.filter((key) => !old.has(key)).length
    const removed = [...old.keys()].filter((key) => !rows.has(key)).length
    const changed = keys.filter((key) => old.has(key) && old.get(key) !== rows.get(key)).length
    return added + removed + changed === 0 ? [] : [{ table, added, removed, changed }]
  })
}

/** The rows that are others than before. */
export function rowChangesBetween(before: StoredRows, after: StoredRows): RowChange[] {
  return [...after].flatMap(([table, rows]) => {
    const old = before.get(table)
    const keys = new Set([...(old?.keys() ?? []), ...rows.keys()])
    return [...keys].flatMap((key) => {
      const [was, is] = [old?.get(key), rows.get(key)]
      return was === is ? [] : [{ table, before: rowOf(was), after: rowOf(is) }]
    })
  })
}

function rowOf(line: string | undefined): StoredRow | undefined {
  return line === undefined ? undefined : JSON.parse(line)
}
