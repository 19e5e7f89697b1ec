import type { Model } from 'fastify-crud'
import { sql } from 'kysely'
import type { OpenDatabase } from '../../../../test/support/databases.ts'
import { tableNames } from '../../../../test/support/tables.ts'

/** A row, by column. */
export type StoredRow = Readonly<Record<string, unknown>>

/** All rows of a database: by table, then by id, each as the text of a JSON object. A link is its own id. */
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

/** Makes a function that reads all rows. */
export async function rowsReader({ name, db }: OpenDatabase, model: Model): Promise<() => Promise<StoredRows>> {
  const idColumns = new Map([...model.resources.values()].map((one) => [one.table, one.idColumns[0]]))
  const tables = await tableNames(name, db)
  if (name === 'sqlite') {
    return async () => {
      const rows = new Map<string, Map<string, string>>()
      for (const table of tables) {
        const { rows: all } = await sql<Record<string, unknown>>`select * from ${sql.table(table)}`.execute(db)
        const id = idColumns.get(table)
        rows.set(
          table,
          new Map(
            all.map((row) => {
              const line = JSON.stringify(row)
              return [id === undefined ? line : String(row[id]), line]
            }),
          ),
        )
      }
      return rows
    }
  }
  // One statement, as a fuzzer asks after every request.
  const parts = tables.map((table) => {
    const id = idColumns.get(table)
    const key = id === undefined ? sql`to_jsonb(t)::text` : sql`${sql.ref(id)}::text`
    return sql`select ${sql.lit(table)} as table, ${key} as key, to_jsonb(t)::text as line from ${sql.table(table)} as t`
  })
  const query = sql<{ table: string; key: string; line: string }>`${sql.join(parts, sql` union all `)}`
  return async () => {
    const rows = new Map<string, Map<string, string>>(tables.map((table) => [table, new Map()]))
    for (const { table, key, line } of (await query.execute(db)).rows) rows.get(table)?.set(key, line)
    return rows
  }
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
