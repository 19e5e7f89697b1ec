import { sql } from 'kysely'
import type { Field, Model } from '../model/model.ts'
import { textFormat } from '../model/values/text-format.ts'
import type { QueryContext } from '../query/context.ts'
import { databaseOf } from '../query/dialect/database.ts'
import type { LearnedType } from '../query/dialect/postgres/learned-types.ts'
import { tableOf } from '../query/text/stored-rows.ts'

/** A field, and where its column is: the quoted name of the table, and the column as the database spells it. */
interface Place {
  readonly field: Field
  readonly table: string
  readonly column: string
}

/**
 * Makes a function that asks PostgreSQL once for the types of those columns for which they matter. To be awaited before something is
 * written, and before moments are compared. Undefined where there is nothing to ask.
 */
export function typesLearner(context: QueryContext, model: Model): (() => Promise<void>) | undefined {
  if (databaseOf(context.db) !== 'postgres') return undefined
  const places = [...model.resources.values()].flatMap((resource) => {
    const table = tableOf(context, resource).text
    const fields = resource.fields.filter((field) => field.storage === 'json' || isMoment(field))
    return fields.map((field): Place => ({ field, table, column: context.names.column(field.column) }))
  })
  if (places.length === 0) return undefined
  let asked: Promise<void> | undefined
  return () => {
    asked ??= learn(context, places).catch((error: unknown) => {
      // A server that could not be asked is asked again.
      asked = undefined
      throw error
    })
    return asked
  }
}

function isMoment({ storage, schema }: Field): boolean {
  return storage === 'string' && textFormat(schema) === 'date-time'
}

async function learn({ db, learnedTypes }: QueryContext, places: readonly Place[]): Promise<void> {
  const unknown = places.filter(({ field }) => !learnedTypes.knows(field))
  if (unknown.length === 0) return
  const asked = JSON.stringify(unknown.map(({ table, column }, number) => ({ number, table, column })))
  const { rows } = await sql<{ number: number; type: string; isArray: boolean }>`
    select p.number, format_type(y.oid, null) as type, y.typcategory = 'A' as "isArray"
    from json_to_recordset(${asked}::text::json) as p(number int, "table" text, "column" text)
    join pg_attribute a on a.attrelid = to_regclass(p."table") and a.attname = p."column"
    join pg_type y on y.oid = coalesce((select nullif(d.typbasetype, 0) from pg_type d where d.oid = a.atttypid), a.atttypid)
    where y.oid = 'timestamp'::regtype or y.oid = 'timestamptz'::regtype or y.typcategory = 'A'`.execute(
    db.withoutPlugins(),
  )
  const types = new Map(rows.map(({ number, type, isArray }) => [number, learnedType(type, isArray)]))
  for (const [number, { field }] of unknown.entries()) learnedTypes.learn(field, types.get(number))
}

function learnedType(type: string, isArray: boolean): LearnedType {
  if (isArray) return { array: type }
  return type.endsWith('with time zone') ? 'timestamptz' : 'timestamp'
}
