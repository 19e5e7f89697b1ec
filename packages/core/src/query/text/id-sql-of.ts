import type { Resource } from '../../model/model.ts'
import type { QueryContext } from '../context.ts'
import type { IdSql } from '../dialect/id-sql.ts'
import { type Sql, slot } from './sql-text.ts'

/** How the ids of a resource stand in SQL. Foreign keys and link columns have the ids of their target. */
export function idSqlOf({ dialect }: QueryContext, { id }: Resource): IdSql {
  return dialect.ids[id.stored]
}

/** The slot of an id of a resource. */
export function idSlot(context: QueryContext, resource: Resource, name: string | number = 'id'): Sql {
  return idSqlOf(context, resource).typed(slot(name))
}
