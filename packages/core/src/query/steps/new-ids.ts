import { sql } from 'kysely'
import { isInserted } from '../../model/descriptors/field-options.ts'
import type { Id } from '../../model/ids.ts'
import type { Resource } from '../../model/model.ts'
import type { GuardedRows } from '../../plan/decide/guarded-rows.ts'
import type { Insert } from '../../plan/diff/changes.ts'
import { byResource } from '../../plan/group-by.ts'
import type { OrderedChanges } from '../../plan/order/ordered.ts'
import { isNew, type RowId } from '../../plan/row-id.ts'
import type { QueryContext } from '../context.ts'
import { jsonTuple } from '../reads/json-text.ts'
import { idSqlOf } from '../text/id-sql-of.ts'
import { type Prepared, prepare, type Values } from '../text/prepare.ts'
import { constant, type Sql, slot } from '../text/sql-text.ts'
import { tableOf } from '../text/stored-rows.ts'

/** How a plan's new rows get their ids. Only ids that something needs are found out: children, links, or the answer. */
export interface NewIds {
  /** By the row's number; undefined as long as the id is not known. */
  readonly ids: (Id | undefined)[]
  /**
   * The numbers of new rows whose ids are needed, and which are the only new rows of their resource. The database assigns their ids
   * as it inserts them.
   */
  readonly onlyRows: ReadonlyMap<Resource, number>
  /**
   * Resources of which only policies need the ids of several new rows, and only after these are inserted. The transaction keeps all of
   * these ids.
   */
  readonly keptTogether: ReadonlySet<Resource>
  /** Resources whose new rows bring their ids: the client chose an id, or the ids of several rows are needed. */
  readonly bringing: ReadonlySet<Resource>
  /** The rows of these that have no id yet. Their ids are reserved before any row is inserted. */
  readonly toReserve: readonly ToReserve[]
}

export interface ToReserve {
  readonly resource: Resource
  /** The numbers of the rows. */
  readonly numbers: readonly number[]
  /** The ids that the client chose for other new rows of the resource. */
  readonly chosen: readonly Id[]
}

/**
 * `guarded`: rows that policies are asked about when they are stored. `keepsIds`: a transaction of the database can keep ids.
 * `alsoNamed`: the numbers of other rows whose ids are needed.
 */
export function newIdsOf(
  ordered: OrderedChanges,
  guarded: readonly GuardedRows[],
  keepsIds: boolean,
  alsoNamed: ReadonlySet<number> = NONE,
): NewIds {
  const { inserts, rowByRow } = ordered
  if (inserts.length === 0) return NO_NEW_IDS
  const named = namedRows(ordered, alsoNamed)
  const asked = new Set(guarded.filter(({ action }) => action === 'Add').map(({ resource }) => resource))
  const onlyRows = new Map<Resource, number>()
  const split = splitAmongSteps(ordered)
  const keptTogether = new Set<Resource>()
  const bringing = new Set<Resource>()
  const toReserve: ToReserve[] = []
  for (const [resource, rows] of byResource(inserts)) {
    const isNeeded = rows.some(({ row, id }) => id !== undefined || named.has(row.new))
    const isSplit = split.has(resource)
    if (!isNeeded && !asked.has(resource) && !isSplit) continue
    const [first] = rows as [Insert]
    if (rows.length === 1 && first.id === undefined && canDatabaseAssign(resource, first, inserts)) {
      onlyRows.set(resource, first.row.new)
      continue
    }
    // Row by row, there is more than one INSERT of the resource.
    if (!isNeeded && keepsIds && !rowByRow && !isSplit) {
      keptTogether.add(resource)
      continue
    }
    bringing.add(resource)
    const numbers = rows.flatMap(({ row, id }) => (id === undefined ? [row.new] : []))
    const chosen = rows.flatMap(({ id }) => (id === undefined ? [] : [id]))
    if (numbers.length > 0) toReserve.push({ resource, numbers, chosen })
  }
  return { ids: inserts.map(({ id }) => id), onlyRows, keptTogether, bringing, toReserve }
}

const NONE: ReadonlySet<number> = new Set()

/** The resources whose new rows go in more than one INSERT, out of their order. Their ids keep the order. */
function splitAmongSteps({ steps, rowByRow }: OrderedChanges): ReadonlySet<Resource> {
  const split = new Set<Resource>()
  if (rowByRow) return split
  for (let index = 1; index < steps.length; index++) {
    const [before, step] = [steps[index - 1], steps[index]]
    if (before?.step === 'insert' && step?.step === 'insert' && before.resource === step.resource)
      split.add(step.resource)
  }
  return split
}

export const NO_NEW_IDS: NewIds = {
  ids: [],
  onlyRows: new Map(),
  keptTogether: new Set(),
  bringing: new Set(),
  toReserve: [],
}

/** The numbers of new rows whose ids are needed: by their children, their links, or the answer. */
function namedRows({ steps, inserts, result }: OrderedChanges, alsoNamed: ReadonlySet<number>): ReadonlySet<number> {
  const named = new Set(alsoNamed)
  const add = (id: RowId | undefined): void => {
    if (id !== undefined && isNew(id)) named.add(id.new)
  }
  add(result)
  for (const { owner } of inserts) add(owner?.id)
  for (const step of steps) if (step.step === 'link') for (const { from } of step.pairs) add(from)
  return named
}

/**
 * Whether the database can assign the row's id. A row without other columns brings its id. Where one INSERT has rows of several
 * owning relations, NULL in a foreign key means that another relation owns the row. So NULL cannot stand for an id that is not
 * known yet.
 */
function canDatabaseAssign(
  { ownedBy, members }: Resource,
  { row, values }: Insert,
  inserts: readonly Insert[],
): boolean {
  if (ownedBy.length === 0 && !members.some((member) => isInserted(member, values[member.position]))) return false
  for (const { resource, owner } of inserts) {
    const isBelow = owner !== undefined && isNew(owner.id) && owner.id.new === row.new
    if (!isBelow || resource.ownedBy.length === 1) continue
    if (inserts.some((other) => other.resource === resource && other.owner?.by !== owner.by)) return false
  }
  return true
}

/** The id of a row as a value. Null stands for a new row whose id only the database knows ({@link NewIds.onlyRows}). */
export function idValue(row: RowId, { ids }: NewIds): Id | null {
  return isNew(row) ? (ids[row.new] ?? null) : row
}

/** The number of a new row for which {@link idValue} is null; undefined if there is none. */
export function unknownRow(rows: readonly (RowId | undefined)[], { ids }: NewIds): number | undefined {
  for (const row of rows) if (row !== undefined && isNew(row) && ids[row.new] === undefined) return row.new
  return undefined
}

/** Reserves ids: a JSON array with an item for each resource, which {@link noteReserved} reads. */
export function reserveQuery(context: QueryContext, rows: readonly ToReserve[], hasSequences: boolean): Prepared {
  const { db, names } = context
  const answers = rows.map(({ resource }, index) => {
    const [count, floor] = [slot(`count${index}`), slot(`floor${index}`)]
    const { reserve } = idSqlOf(context, resource).assigned
    return reserve(tableOf(context, resource), names.column(resource.idColumn), count, floor, hasSequences)
  })
  return prepare(db, sql`select ${jsonTuple(answers)} as json`)
}

/** The values of {@link reserveQuery}. */
export function reserveValues(context: QueryContext, rows: readonly ToReserve[]): Values {
  const values: Record<string, unknown> = {}
  for (const [index, { resource, numbers, chosen }] of rows.entries()) {
    values[`count${index}`] = numbers.length
    values[`floor${index}`] = idSqlOf(context, resource).assigned.floorAbove(chosen)
  }
  return values
}

/** Notes the reserved ids that `json` contains. The first one is for the first row. */
export function noteReserved(context: QueryContext, { toReserve, ids }: NewIds, json: string): void {
  const answers = JSON.parse(json) as unknown[]
  for (const [index, { resource, numbers }] of toReserve.entries()) {
    const reserved = idSqlOf(context, resource).assigned.toReserved(answers[index], numbers.length)
    for (const [position, number] of numbers.entries()) ids[number] = reserved[position]
  }
}

/**
 * A setting of PostgreSQL's transaction, which keeps the id of the only new row of a resource. Later statements find it there, so
 * they can be sent before the INSERT is answered. The id can come from a sequence, a default or a trigger.
 */
function settingOf({ key }: Resource): Sql {
  // The case of letters does not tell PostgreSQL's settings apart, but it does tell resources apart.
  return constant(`fastify_crud.${key.replaceAll(/[A-Z_]/g, (letter) => `_${letter.toLowerCase()}`)}`)
}

export function keepId(resource: Resource, id: Sql): Sql {
  return sql`set_config(${settingOf(resource)}, ${id}::text, true)`
}

export function keptId(context: QueryContext, resource: Resource): Sql {
  return idSqlOf(context, resource).typed(sql`current_setting(${settingOf(resource)})`)
}

/** The same for all new rows of a resource ({@link NewIds.keptTogether}), which a query gives. */
export function keepAllIds(resource: Resource, ids: Sql): Sql {
  return sql`set_config(${settingOf(resource)}, (select array_agg(id)::text from (${ids}) as ${sql.id('crud_new')} (id)), true)`
}

/** As a parameter that `encodeList` made. */
export function allKeptIds(resource: Resource): Sql {
  return sql`current_setting(${settingOf(resource)})`
}
