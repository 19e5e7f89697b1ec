import type { AnyKysely, Model } from '@fastify-crud/core'
import {
  anySession,
  causeOf,
  type Dialect,
  databaseErrorKind,
  databaseOf,
  type Field,
  idSqlOf,
  join,
  jsonArrayOfSortedQuery,
  NO_TYPES,
  ofHeld,
  prepare,
  type QueryContext,
  queryContext,
  type Resource,
  readUnshown,
  recordJson,
  rowId,
  type Selection,
  type Sql,
  selection,
  servesBytes,
  storedRows,
  UNSHOWN,
  type WithUnshown,
} from '@fastify-crud/core/internal'
import { sql } from 'kysely'

/** So many rows of each table are looked at: those with the highest ids, or of what is only read, any. */
const MOST_ROWS = 100

/** So many tables are read by one statement. */
const MOST_TABLES = 100

/** Values in a column that no answer can show, or that no body could have. */
export interface UnfitValues {
  readonly resource: Resource
  readonly field: Field
  /** How many there are, of how many rows. */
  readonly count: number
  readonly rows: number
  /** The row of the first of them, and why it does not fit. */
  readonly id: unknown
  readonly reason: string
}

/** What is only read, such as a view, may fail by itself: a materialized one that is not populated, or a division by
 * zero. */
export interface Unreadable {
  readonly resource: Resource
  readonly error: Error
}

/** Reads some rows as answers show them, and compares their values with the schemas. `reads`: whether a field can be
 * read at all. */
export async function findUnfitValues(
  db: AnyKysely,
  model: Model,
  reads: (resource: Resource, field: Field) => boolean,
): Promise<readonly (UnfitValues | Unreadable)[]> {
  const context = carefully(queryContext(db, { model, reach: 'all tenants' }))
  const isShown = ({ storage }: Field) => storage !== 'bytes' || servesBytes(db)
  const selections = [...model.resources.values()].flatMap((resource) => {
    const fields = resource.fields.filter((field) => !field.writeOnly && isShown(field) && reads(resource, field))
    const properties = fields.map((field) => ({ kind: 'field', field }) as const)
    return fields.length === 0 ? [] : [selection({ resource, ignoresPolicies: true, properties })]
  })
  const found: (UnfitValues | Unreadable)[] = []
  const written = selections.filter(({ resource }) => resource.isWritable)
  for (const one of selections) {
    if (one.resource.isWritable) continue
    const sample = sql`select (${sampleOf(context, one)}) as ${sql.id('sample')}`
    try {
      const [row] = await anySession(db).rows(prepare(db, sample), {})
      found.push(...unfitIn(one, Object.values(row ?? {})[0] as string))
    } catch (error) {
      if (databaseErrorKind(causeOf(error)) === 'forbidden') continue
      found.push({ resource: one.resource, error: causeOf(error) as Error })
    }
  }
  for (let at = 0; at < written.length; at += MOST_TABLES) {
    const some = written.slice(at, at + MOST_TABLES)
    const samples = some.map((one, index) => sql`(${sampleOf(context, one)}) as ${sql.id(`sample${index}`)}`)
    const statement = prepare(db, sql`select ${join(samples)}`)
    // Not `db.executeQuery`: the application's plugins would change the result.
    const [row] = await anySession(db).rows(statement, {})
    const jsons = Object.values(row ?? {})
    for (const [index, one] of some.entries()) found.push(...unfitIn(one, jsons[index] as string))
  }
  return found
}

/**
 * The lowest text of each resource that begins with `$` and is an id in paths: these are the library's. In the order of
 * characters such texts are a range, which an index of the column has if the column has no other collation. Other
 * orders may leave punctuation out of account, so that they are among all ids.
 */
export async function findReservedIds(
  db: AnyKysely,
  model: Model,
  resources: readonly Resource[],
): Promise<readonly (readonly [Resource, string])[]> {
  if (resources.length === 0) return []
  const context = ofHeld(queryContext(db, { model, reach: 'all tenants' }))
  const lowest = resources.map((resource, index) => {
    const id = idSqlOf(context, resource, 'short').orderAsCompared(rowId(resource, 't', 'short'))
    const rows = storedRows(context, resource, 't').from(sql`${id} >= '$' and ${id} < '%'`)
    return sql`(select min(${id}) ${rows}) as ${sql.id(`lowest${index}`)}`
  })
  const [row = {}] = await anySession(db).rows(prepare(db, sql`select ${join(lowest)}`), {})
  const ids = Object.values(row)
  return resources.flatMap((resource, index) => {
    const id = ids[index] ?? undefined
    return id === undefined ? [] : [[resource, String(id)] as const]
  })
}

/** Also finds what answers take for granted, so that they need not look at each value: a boolean is 0 or 1. The tables
 * may be others than those whose types were learned. */
function carefully(context: QueryContext): QueryContext {
  if (databaseOf(context.db) === 'postgres') return { ...context, learnedTypes: NO_TYPES }
  const unshown = sql`char(${sql.lit(UNSHOWN.charCodeAt(0))})`
  const dialect: Dialect = {
    ...context.dialect,
    jsonField(value, field) {
      const json = context.dialect.jsonField(value, field)
      if (field.storage !== 'boolean') return json
      return sql`case when ${value} is null or +${value} in (0, 1) then ${json} else ${unshown} end`
    },
  }
  return { ...context, dialect }
}

function sampleOf(context: QueryContext, selection: Selection): Sql {
  const { resource } = selection
  const id = idSqlOf(context, resource).order(rowId(resource, 't'))
  // Sorted, a view would have to compute all of its rows.
  const order = resource.isWritable ? sql` order by ${id} desc` : sql``
  const rows = sql`select ${sql.id('t')}.* ${storedRows(ofHeld(context), resource, 't').from()}${order} limit ${sql.lit(MOST_ROWS)}`
  return jsonArrayOfSortedQuery(recordJson(context, selection, 't', 'whole'), sql`from (${rows}) as ${sql.id('t')}`)
}

type ShownRecord = Parameters<WithUnshown['leaveOut']>[1]

function unfitIn(selection: Selection, json: string): readonly UnfitValues[] {
  const { resource } = selection
  const unshown = readUnshown(json)
  const records = (unshown?.data ?? JSON.parse(json)) as readonly ShownRecord[]
  if (unshown !== undefined) for (const record of records) unshown.leaveOut(selection, record)
  return selection.properties.flatMap((property) => {
    if (property.kind !== 'field') return []
    const { field } = property
    const unfit = records.flatMap((record) => {
      const value = record[field.name]
      // Of what is written here, the columns say whether they may be null.
      const lacksValue = value === null && !field.nullable && !resource.isWritable
      const reason = lacksValue ? 'it is null' : reasonOf(field, value)
      return reason === undefined ? [] : [{ id: record.id, reason }]
    })
    const [first] = unfit
    return first === undefined ? [] : [{ resource, field, count: unfit.length, rows: records.length, ...first }]
  })
}

function reasonOf(field: Field, value: unknown): string | undefined {
  if (value === undefined) return 'it cannot be shown'
  if (value === null) return undefined
  try {
    return field.check(value)[0]?.message
  } catch (error) {
    return `the check of its schema fails: ${(error as Error).message}`
  }
}
