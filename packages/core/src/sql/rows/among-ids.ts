import { sql } from 'kysely'
import type { Resource } from '../../model/model.ts'
import type { QueryContext } from '../context.ts'
import { ROW_INDEX } from '../dialect/dialect.ts'
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

/** The ids in a parameter that `encodeList` made, each with its index in the column {@link ROW_INDEX}: to stand behind FROM. They go by `x`. */
export function numberedIds(context: QueryContext, resource: Resource, ids: Sql): Sql {
  const [index, given] = [sql.id(ROW_INDEX), sql.id('crud_ids')]
  return sql`(select row_number() over () - 1 as ${index}, ${given}.* from (${idSqlOf(context, resource).list(ids)}) as ${given}) as ${sql.id('x')}`
}
