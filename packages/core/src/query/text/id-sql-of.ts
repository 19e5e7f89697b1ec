import { sql } from 'kysely'
import type { Resource } from '../../model/model.ts'
import type { QueryContext } from '../context.ts'
import type { IdSql } from '../dialect/id-sql.ts'
import { rowValue } from './row-value.ts'
import { column, type Sql, slot } from './sql-text.ts'

/** How the ids of a resource stand in SQL. Foreign keys and link columns have the ids of their target. */
export function idSqlOf({ dialect }: QueryContext, { id }: Resource): IdSql {
  return dialect.ids[id.stored]
}

/** The slot of an id of a resource. */
export function idSlot(context: QueryContext, resource: Resource, name: string | number = 'id'): Sql {
  return idSqlOf(context, resource).typed(slot(name))
}

/** The id of a row. `alias`: what the row goes by; undefined in a query of one table. */
export function rowId({ idColumns }: Resource, alias?: string): Sql {
  const [first, ...others] = idColumns
  const inRow = (name: string): Sql => (alias === undefined ? sql`${sql.id(name)}` : column(alias, name))
  return rowValue([inRow(first), ...others.map(inRow)])
}
