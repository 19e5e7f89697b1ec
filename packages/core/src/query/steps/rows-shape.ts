import type { Field, ForeignKey, Link, Resource } from '../../model/model.ts'
import type { QueryContext } from '../context.ts'
import type { RowsColumn, RowsTable } from '../dialect/dialect.ts'
import { tableOf } from '../source.ts'
import type { Names } from '../sql-text.ts'

/** Rows of a resource that carry their ids, if `withId`, and these columns. */
export function rowsOf(
  context: QueryContext,
  resource: Resource,
  withId: boolean,
  columns: readonly (Field | ForeignKey)[],
): RowsTable {
  const { names } = context
  const id = withId ? [idColumn(names, resource.idColumn)] : []
  const others = columns.map((one): RowsColumn => {
    return one.kind === 'field'
      ? { name: one.column, inDatabase: names.column(one.column), storage: one.storage }
      : idColumn(names, one.column)
  })
  return { table: tableOf(context, resource), columns: [...id, ...others] }
}

/** Rows of a link table. */
export function pairsOf(context: QueryContext, link: Link): RowsTable {
  const { names } = context
  return { table: tableOf(context, link), columns: [idColumn(names, link.from), idColumn(names, link.to)] }
}

function idColumn(names: Names, name: string): RowsColumn {
  return { name, inDatabase: names.column(name), storage: 'id' }
}
