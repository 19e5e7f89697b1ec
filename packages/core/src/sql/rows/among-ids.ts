import { sql } from 'kysely'
import type { Resource } from '../../model/model.ts'
import type { QueryContext } from '../context.ts'
import { idSqlOf, listedId, rowId } from '../text/id-sql-of.ts'
import type { Source } from '../text/source.ts'
import type { Sql } from '../text/sql-text.ts'

/**
 * The rows of a source, which go by `t`, whose ids are in a parameter that `encodeList` made: to stand behind FROM. Each row is
 * looked up by its id.
 */
export function amongIds(context: QueryContext, resource: Resource, ids: Sql, rows: Source): Sql {
  const asked = sql`(${idSqlOf(context, resource).list(ids)}) as ${sql.id('x')}`
  const isAsked = sql`${rowId(resource, 't')} = ${listedId(resource, 'x')}`
  return context.dialect.joinRowByRow(asked, rows, isAsked)
}
