import { sql } from 'kysely'
import type { Resource } from '../../model/model.ts'
import type { QueryContext } from '../context.ts'
import { rowId } from '../text/id-sql-of.ts'
import type { Source } from '../text/source.ts'
import { column, join, type Sql } from '../text/sql-text.ts'

/** The name of {@link ancestors}. */
export const UP = 'crud_up'

export const ANCESTOR = 'a'

/**
 * A common table expression of the ids and foreign keys of a record of a tree and of all records above it. It ends even if the owners
 * form a circle, which no request can make. It goes no further than `rows`, which go by {@link ANCESTOR}.
 */
export function ancestors(context: QueryContext, resource: Resource, id: Sql, rows: Source): Sql {
  const up = sql.id(UP)
  const columns = join(
    [...resource.idColumns, ...resource.ownedBy.map((owner) => owner.column)].map((one) => column(ANCESTOR, one)),
  )
  const foreignKeys = resource.recursive.map((owns) => column(UP, owns.inverse.column))
  const parent = foreignKeys.length === 1 ? join(foreignKeys) : sql`coalesce(${join(foreignKeys)})`
  const hasId = (one: Sql) => sql`${rowId(resource, ANCESTOR)} = ${one}`
  const above = context.dialect.joinRowByRow(up, rows, hasId(parent))
  return sql`with recursive ${up} as (select ${columns} ${rows.from(hasId(id))} union select ${columns} from ${above})`
}
