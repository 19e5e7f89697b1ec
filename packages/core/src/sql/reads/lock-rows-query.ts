import { sql } from 'kysely'
import type { Resource } from '../../model/model.ts'
import type { QueryContext } from '../context.ts'
import type { RowLock } from '../dialect/dialect.ts'
import { idSqlOf, rowId } from '../text/id-sql-of.ts'
import { type Prepared, prepare } from '../text/prepare.ts'
import { slot } from '../text/sql-text.ts'
import { storedRows } from '../text/stored-rows.ts'
import { lockedBy, type Waiting } from './read-queries.ts'

/** Locks rows by their ids (slot 0), one after the other in the order of their ids. Gives a row for each that is locked. */
export function lockRowsQuery(context: QueryContext, resource: Resource, lock: RowLock, waiting: Waiting): Prepared {
  const { list, orderAsCompared } = idSqlOf(context, resource)
  const id = rowId(resource, 't')
  const rows = storedRows(context, resource, 't').from(sql`${id} in (${list(slot(0))})`)
  return prepare(context.db, sql`select 1 ${rows} order by ${orderAsCompared(id)}${lockedBy(context, lock, waiting)}`)
}
