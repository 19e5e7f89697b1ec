import type { Field, ForeignKey, Link, Resource } from '../../model/model.ts'
import type { QueryContext } from '../context.ts'
import type { RowsColumn, RowsTable } from '../dialect/dialect.ts'
import type { Names } from '../sql-text.ts'

/** Rows of a resource that carry their ids, if `withId`, and these columns. */
export function rowsOf(
  { names }: QueryContext,
  resource: Resource,
  withId: boolean,
  columns: readonly (Field | ForeignKey)[],
): RowsTable {
  const id = withId ? [idColumn(names, resource.idColumn)] : []
  const others = columns.map((one): RowsColumn => {
    return one.kind === 'field'
      ? { name: one.column, inDatabase: names.column(one.column), storage: one.storage }
      : idColumn(names, one.column)
  })
  return { table: names.table(resource.table), columns: [...id, ...others] }
}

/** Rows of a link table. */
export function pairsOf({ names }: QueryContext, { table, from, to }: Link): RowsTable {
  return { table: names.table(table), columns: [idColumn(names, from), idColumn(names, to)] }
}

function idColumn(names: Names, name: string): RowsColumn {
  return { name, inDatabase: names.column(name), storage: 'id' }
}
