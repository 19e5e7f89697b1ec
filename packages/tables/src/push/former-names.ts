import type { DatabaseName } from '@fastify-crud/core/internal'
import type { FoundTable } from '../catalogs/found-tables.ts'
import { columnMisfit } from '../check/columns/column-misfit.ts'
import type { FoundProblem } from '../check/table-problem.ts'
import { isIdColumn, type TableLayout } from '../layout/table-layout.ts'

/** What a missing column may have been called before: the columns that could hold its values, and that no descriptor names. */
export function formerNames(
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
