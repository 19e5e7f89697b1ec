import { sql } from 'kysely'
import type { Model, Resource } from '../../model/model.ts'
import { textFormat } from '../../model/values/text-format.ts'
import type { QueryContext } from '../../query/context.ts'
import { databaseOf } from '../../query/dialect/database.ts'
import type { Table } from '../../query/text/sql-text.ts'
import { tableOf } from '../../query/text/stored-rows.ts'

/**
 * Makes a function that asks PostgreSQL which columns of the model are of the type `timestamp`, once: to be awaited before something is
 * written. Undefined where there is nothing to ask.
 */
export function zonelessLearner(context: QueryContext, model: Model): (() => Promise<void>) | undefined {
  if (databaseOf(context.db) !== 'postgres') return undefined
  const tables = [...model.resources.values()].filter(hasMoments).map((resource) => tableOf(context, resource))
  if (tables.length === 0) return undefined
  let asked: Promise<void> | undefined
  return () => {
    asked ??= learn(context, tables).catch((error: unknown) => {
      // A server that could not be asked is asked again.
      asked = undefined
      throw error
    })
    return asked
  }
}

function hasMoments({ fields }: Resource): boolean {
  return fields.some(({ storage, schema }) => storage === 'string' && textFormat(schema) === 'date-time')
}

async function learn({ db, zoneless }: QueryContext, tables: readonly Table[]): Promise<void> {
  const unknown = tables.filter((table) => !zoneless.knows(table))
  if (unknown.length === 0) return
  const names = JSON.stringify(unknown.map(({ text }) => text))
  const { rows } = await sql<{ name: string; column: string }>`
    select t.name, a.attname as column
    from json_array_elements_text(${names}::text::json) as t(name)
    join pg_attribute a on a.attrelid = to_regclass(t.name) and a.attnum > 0 and not a.attisdropped
    join pg_type y on y.oid = a.atttypid
    where coalesce(nullif(y.typbasetype, 0), y.oid) = 'timestamp'::regtype`.execute(db.withoutPlugins())
  const found = Map.groupBy(rows, ({ name }) => name)
  for (const table of unknown) {
    zoneless.learn(table, new Set(found.get(table.text)?.map(({ column }) => column)))
  }
}
