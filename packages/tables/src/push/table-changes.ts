import type { AnyKysely } from '@fastify-crud/core'
import type { DatabaseName } from '@fastify-crud/core/internal'
import { sql } from 'kysely'
import type { FoundTable } from '../catalogs/found-tables.ts'
import { columnMisfit } from '../check/columns/column-misfit.ts'
import { addColumn } from '../check/columns/missing-column.ts'
import type { ComparedTable } from '../check/comparison.ts'
import { renameColumn, renamedColumns } from '../check/comparison.ts'
import { type FoundProblem, qualifiedColumn } from '../check/table-problem.ts'
import type { TableChange } from '../create/run-alone.ts'
import { isIdColumn, qualifiedName, type TableLayout } from '../layout/table-layout.ts'
import { quotedTable } from '../quoted-names.ts'

/** What tables lack beside a model. */
export interface TableChanges {
  /** They lose no value. */
  readonly statements: readonly TableChange[]
  /** Why the model's requests would fail, where no statement helps. */
  readonly refused: readonly string[]
  /** Whether tables or indexes are missing. */
  readonly areMissing: boolean
}

export function isUpToDate({ statements, refused, areMissing }: TableChanges): boolean {
  return statements.length === 0 && refused.length === 0 && !areMissing
}

/** The statements that mend what is wrong with the structure of tables. */
export async function changesOf(
  db: AnyKysely,
  comparison: ComparedTable,
  problems: readonly FoundProblem[],
): Promise<Omit<TableChanges, 'areMissing'>> {
  const renamed = renames(comparison)
  const statements: TableChange[] = [...new Set(renamed.values())]
  const refused: string[] = []
  for (const problem of problems) {
    if (problem.severity !== 'error' || isLater(problem, comparison) || isRenamed(problem, renamed)) continue
    const former = formerNames(problem, layoutOf(comparison, problem.table), comparison.database)
    const fix = problem.statements ?? (await addToEmptyTable(db, problem, comparison))
    if (fix === undefined) refused.push(problem.message + adviceOn(problem, former))
    else statements.push(...fix.map((statement) => toChange(problem, statement, former)))
  }
  return { statements, refused }
}

function toChange(
  { table = '', column, what }: FoundProblem,
  statement: string,
  former: readonly string[],
): TableChange {
  return {
    table,
    ...(column !== undefined && { column }),
    reason: what,
    statement,
    ...(former.length > 0 && {
      hint: `if ${table}.${column} is ${former.join(' or ')} under a new name, drop it, and say ${wasOneOf(former)} in its field`,
    }),
  }
}

/** What the author of the descriptors can do if rows lack a value. */
function adviceOn({ kind, wanted }: FoundProblem, former: readonly string[]): string {
  if (kind === 'column') {
    const was = former.length > 0 ? `say ${wasOneOf(former)}` : "say by 'was' what its column was called"
    return `. Give the field a default, make it optional, or ${was}`
  }
  return kind === 'null' && wanted === 'not null' ? '. Give the field a default, or make it optional' : ''
}

function wasOneOf(names: readonly string[]): string {
  return names.map((name) => `was: '${name}'`).join(' or ')
}

/**
 * Missing tables, keys over columns that are there, and settings of the connection are no changes of a table. What the
 * service only reads is for others to change.
 */
function isLater({ kind, table }: FoundProblem, comparison: ComparedTable): boolean {
  if (kind === 'connection') return true
  const known = layoutOf(comparison, table)
  return known?.table.isWritable === false || (kind === 'table' && known?.found === undefined)
}

/** By the table and the column's old and new name. */
function renames(comparison: ComparedTable): ReadonlyMap<string, TableChange> {
  return new Map(
    renamedColumns(comparison).flatMap(({ table, from, to }) => {
      const statement = renameColumn(table, from, to)
      const reason = `column ${qualifiedColumn(table, from)} has the new name ${to}`
      const change = { table: qualifiedName(table), column: to, reason, statement }
      return [from, to].map((name) => [keyOf(qualifiedName(table), name), change] as const)
    }),
  )
}

function isRenamed({ table, column }: FoundProblem, renamed: ReadonlyMap<string, TableChange>): boolean {
  return table !== undefined && column !== undefined && renamed.has(keyOf(table, column))
}

function keyOf(table: string, column: string): string {
  return JSON.stringify([table, column])
}

/** A column that needs a value can be added where there are no rows. */
async function addToEmptyTable(
  db: AnyKysely,
  { kind, table, column }: FoundProblem,
  comparison: ComparedTable,
): Promise<readonly string[] | undefined> {
  const layout = kind === 'column' ? layoutOf(comparison, table)?.table : undefined
  const missing = layout?.columns.find(({ name, kind: of }) => name === column && of !== 'id')
  if (layout === undefined || missing === undefined) return undefined
  const { rows } = await sql`select 1 from ${sql.raw(quotedTable(layout))} limit 1`.execute(db)
  return rows.length === 0 ? [addColumn(layout, missing, comparison)] : undefined
}

interface LaidOut {
  readonly table: TableLayout
  readonly found: FoundTable | undefined
}

function layoutOf({ layout, found }: ComparedTable, name: string | undefined): LaidOut | undefined {
  const table = [...layout.values()].find((one) => qualifiedName(one) === name)
  return table && { table, found: found.tables.get(table.key) }
}

/** What a missing column may have been called before: the columns that could hold its values, and that no descriptor
 * names. */
function formerNames(
  { kind, column: name }: FoundProblem,
  place: { readonly table: TableLayout; readonly found: FoundTable | undefined } | undefined,
  database: DatabaseName,
): readonly string[] {
  const column = place?.table.columns.find((one) => one.name === name)
  if (kind !== 'column' || place?.found === undefined || column === undefined || isIdColumn(column)) return []
  const { table, found } = place
  const known = new Set(table.columns.flatMap((one) => (isIdColumn(one) ? [one.name] : [one.name, one.was])))
  const others = [...found.columns.values()].filter((one) => !known.has(one.name) && !one.isComputed)
  return others
    .filter((one) => columnMisfit(database, column, one, found.isStrict)?.severity !== 'error')
    .map((one) => one.name)
}
