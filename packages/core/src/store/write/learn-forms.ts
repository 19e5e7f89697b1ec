import { sql } from 'kysely'
import type { Field, Model, Resource } from '../../model/model.ts'
import { textFormat } from '../../model/values/text-format.ts'
import type { QueryContext } from '../../query/context.ts'
import { databaseOf } from '../../query/dialect/database.ts'
import { arrayForm, utcForm } from '../../query/dialect/postgres/postgres-forms.ts'
import type { Table } from '../../query/text/sql-text.ts'
import { tableOf } from '../../query/text/stored-rows.ts'

/**
 * Makes a function that asks PostgreSQL once which columns of the model need a form to be written: to be awaited before something is.
 * Undefined where there is nothing to ask.
 */
export function formsLearner(context: QueryContext, model: Model): (() => Promise<void>) | undefined {
  if (databaseOf(context.db) !== 'postgres') return undefined
  const tables = [...model.resources.values()].filter(mayNeedForms).map((resource) => tableOf(context, resource))
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

function mayNeedForms({ fields }: Resource): boolean {
  return fields.some((field) => isMoment(field) || field.storage === 'json')
}

function isMoment({ storage, schema }: Field): boolean {
  return storage === 'string' && textFormat(schema) === 'date-time'
}

async function learn({ db, learnedForms }: QueryContext, tables: readonly Table[]): Promise<void> {
  const unknown = tables.filter((table) => !learnedForms.knows(table))
  if (unknown.length === 0) return
  const names = JSON.stringify(unknown.map(({ text }) => text))
  const { rows } = await sql<{ name: string; column: string; array: string | null }>`
    select t.name, a.attname as column, case when y.typcategory = 'A' then format_type(y.oid, null) end as array
    from json_array_elements_text(${names}::text::json) as t(name)
    join pg_attribute a on a.attrelid = to_regclass(t.name) and a.attnum > 0 and not a.attisdropped
    join pg_type y on y.oid = coalesce((select nullif(d.typbasetype, 0) from pg_type d where d.oid = a.atttypid), a.atttypid)
    where y.oid = 'timestamp'::regtype or y.typcategory = 'A'`.execute(db.withoutPlugins())
  const found = Map.groupBy(rows, ({ name }) => name)
  for (const table of unknown) {
    const forms = (found.get(table.text) ?? []).map(
      ({ column, array }) => [column, array === null ? utcForm : arrayForm(array)] as const,
    )
    learnedForms.learn(table, new Map(forms))
  }
}
