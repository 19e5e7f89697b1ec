import { sql } from 'kysely'
import type { Resource } from '../../model/model.ts'
import type { QueryContext } from '../context.ts'
import { column, join, type Sql } from '../text/sql-text.ts'
import { LISTED } from '../text/tenant-sql.ts'
import { visibleInLists } from './visible-rows.ts'

/**
 * The rows of a resource that a request may know of, as a query to stand behind FROM. It has the columns of the table that the model names, but
 * for write-only ones. One that the caller may not see is null in each row.
 */
export function visibleTable(context: QueryContext, resource: Resource): Sql {
  const { idColumns, hasId, fields, references, ownedBy } = resource
  const shown = [
    ...(hasId ? idColumns : []),
    ...fields.filter(context.fieldRights.sees).map((field) => field.column),
    ...[...references, ...ownedBy].map((key) => key.column),
  ]
  const hidden = fields.filter(({ writeOnly, column: name }) => !writeOnly && !shown.includes(name))
  const columns = [
    ...[...new Set(shown)].map((name) => column(LISTED, name)),
    // With the type of the column.
    ...hidden.map(({ column: name }) => sql`case when false then ${column(LISTED, name)} end as ${sql.id(name)}`),
  ]
  return sql`(select ${join(columns)} ${visibleInLists(context, resource, LISTED).from()})`
}
