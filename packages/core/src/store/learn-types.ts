import { sql } from 'kysely'
import { hasTextsOfType, type ScalarType, scalarTypeOf } from '../asking/scalar-type.ts'
import type { Field, Model } from '../model/model.ts'
import { storedFields } from '../model/resource-tree.ts'
import { RANGE_FORMATS } from '../model/values/schema-facts.ts'
import type { QueryContext } from '../sql/context.ts'
import { type AnyKysely, databaseOf } from '../sql/dialect/database.ts'
import {
  digitsOf,
  type LearnedColumn,
  type LearnedType,
  typesOfDatabase,
} from '../sql/dialect/postgres/learned-types.ts'
import { isLocalDefault } from '../sql/dialect/postgres/postgres-texts.ts'
import { baseType } from '../sql/dialect/postgres/type-of.ts'
import { tableOf } from '../sql/text/stored-rows.ts'

/** Asks PostgreSQL for the types of columns; undefined: they are known. */
type TypesLearner = () => Promise<void> | undefined

/**
 * Makes a function that asks PostgreSQL for the types of those columns for which they matter, unless it was asked
 * before. To be awaited before something is written, and before moments are read or compared. Undefined for a database
 * that has no such types.
 */
export function typesLearner(context: QueryContext, model: Model): TypesLearner | undefined {
  if (databaseOf(context.db) !== 'postgres') return undefined
  const types = typesOfDatabase(context.db)
  const ask = async () => types.learn(model, await learn(context, model))
  return () => (types.knows(model) ? undefined : ask())
}

/** Whether types have to be known to read records: the type of its column says how a moment in an id is read, and how
 * one is printed in a third of the time. */
export function hasMoments({ resources }: Model): boolean {
  const isUnsaid = (field: Field) => scalarTypeOf(field) === 'date-time' && field.stored === undefined
  return [...resources.values()].some(({ fields }) => fields.some(isUnsaid))
}

async function learn(context: QueryContext, model: Model): Promise<readonly LearnedColumn[]> {
  const { db, names } = context
  const places = [...model.resources.values()].flatMap((resource) =>
    storedFields(resource)
      .filter(needsType)
      .map((field) => ({ field, table: tableOf(context, resource).text })),
  )
  return places.length === 0 ? [] : await columnsOf(places, db, names)
}

/** JSON has no single value, so no scalar type. */
function needsType(field: Field): boolean {
  const type = scalarTypeOf(field)
  return type === undefined || TYPES.includes(type) || hasTextsOfType(field)
}

const TYPES: readonly ScalarType[] = ['date-time', 'decimal', ...RANGE_FORMATS]

/** A field, and the quoted name of its table. */
interface Place {
  readonly field: Field
  readonly table: string
}

async function columnsOf(
  places: readonly Place[],
  db: AnyKysely,
  names: QueryContext['names'],
): Promise<readonly LearnedColumn[]> {
  const asked = places.map(({ field, table }, number) => ({ number, table, column: names.column(field.column) }))
  const { rows } = await sql<FoundType>`
    select p.number, format_type(y.oid, null) as type, y.typcategory = 'A' as "isArray", y.typtype = 'e' as "isEnum", m.modifier,
      (select pg_get_expr(f.adbin, f.adrelid) from pg_attrdef f where f.adrelid = a.attrelid and f.adnum = a.attnum and a.attgenerated = '') as "default"
    from json_to_recordset(${JSON.stringify(asked)}::text::json) as p(number int, "table" text, "column" text)
    join pg_attribute a on a.attrelid = to_regclass(p."table") and a.attname = p."column"
    join pg_type d on d.oid = a.atttypid
    cross join lateral ${baseType(sql`d`)} as b
    join pg_type y on y.oid = b.oid
    cross join lateral (select case when d.typbasetype = 0 then a.atttypmod else b.modifier end) as m(modifier)
    where y.oid = 'timestamp'::regtype or y.oid = 'timestamptz'::regtype or y.oid = 'money'::regtype or y.oid = 'inet'::regtype
      or y.oid = 'time'::regtype or y.oid = 'timetz'::regtype
      or y.typcategory = 'A'
      or y.oid = 'tstzrange'::regtype or y.oid = 'tsrange'::regtype or y.oid = 'daterange'::regtype
      or (y.typtype = 'e' and d.typtype = 'd')
      or (y.oid = 'numeric'::regtype and m.modifier >= 0)
      or ((y.oid = 'json'::regtype or y.oid = 'jsonb'::regtype) and (a.attnotnull or b.required))`.execute(
    db.withoutPlugins(),
  )
  return rows.map((found) => {
    const type = learnedType(found)
    const isLocal = type === 'timestamp' && found.default !== null && isLocalDefault(found.default)
    const localDefault = isLocal ? (found.default as string) : undefined
    return { field: (places[found.number] as Place).field, type, localDefault }
  })
}

interface FoundType {
  readonly number: number
  readonly type: string
  readonly isArray: boolean
  readonly isEnum: boolean
  readonly modifier: number
  readonly default: string | null
}

const TYPES_BY_NAME: Readonly<Record<string, LearnedType>> = {
  'timestamp with time zone': 'timestamptz',
  'time with time zone': 'timetz',
  'time without time zone': 'time',
}

function learnedType({ type, isArray, isEnum, modifier }: FoundType): LearnedType {
  if (isArray) return { array: type }
  if (isEnum) return 'enum domain'
  if (type === 'money' || type === 'inet') return type
  if (type.endsWith('range')) return 'range'
  if (type.startsWith('json')) return 'json not null'
  if (type === 'numeric') return digitsOf(modifier)
  return TYPES_BY_NAME[type] ?? 'timestamp'
}
