import { sql } from 'kysely'
import type { Resource } from '../../model/model.ts'
import type { QueryContext } from '../context.ts'
import { idSqlOf, rowId } from '../text/id-sql-of.ts'
import { constant, type Sql } from '../text/sql-text.ts'

/**
 * A setting of PostgreSQL's transaction, which keeps the id of the only new row of a resource. Later statements find it there, so
 * they can be sent before the INSERT is answered. The id can come from a sequence, a default or a trigger.
 */
function settingOf({ key }: Resource): Sql {
  // The case of letters does not tell PostgreSQL's settings apart, but it does tell resources apart.
  return constant(`fastify_crud.${key.replaceAll(/[A-Z_]/g, (letter) => `_${letter.toLowerCase()}`)}`)
}

/** Of the only row of a table. Returns the id as text, also where the transaction can keep none. */
export function keepId(context: QueryContext, resource: Resource, table: string): Sql {
  const id = sql`(select ${idSqlOf(context, resource).text(rowId(resource))} from ${sql.id(table)})`
  return context.dialect.pipelining?.keepsIds ? sql`set_config(${settingOf(resource)}, ${id}, true)` : id
}

export function keptId(context: QueryContext, resource: Resource): Sql {
  return idSqlOf(context, resource).typed(sql`current_setting(${settingOf(resource)})`)
}

/** The same for all new rows of a resource (`NewIds.keptByTransaction`), which a query gives. */
export function keepAllIds(context: QueryContext, resource: Resource, ids: Sql): Sql {
  const { text } = idSqlOf(context, resource)
  return sql`set_config(${settingOf(resource)}, (select array_agg(${text(sql.id('id'))})::text from (${ids}) as ${sql.id('crud_new')} (id)), true)`
}

/** As a parameter that `encodeList` made. */
export function allKeptIds(resource: Resource): Sql {
  return sql`current_setting(${settingOf(resource)})`
}
