import { sql } from 'kysely'
import type { Resource } from '../../model/model.ts'
import type { Insert, RowId } from '../../plan/diff/changes.ts'
import { byResource } from '../../plan/order/group-by.ts'
import type { OrderedChanges } from '../../plan/order/ordered.ts'
import type { QueryContext } from '../context.ts'
import { type Prepared, prepare } from '../prepare.ts'
import { jsonTuple } from '../reads/json-text.ts'
import { tableOf } from '../source.ts'
import { constant, type Sql, slot } from '../sql-text.ts'

/** How a plan's new rows get their ids. Only those are known before or behind an INSERT that somebody needs. */
export interface NewIds {
  /** By the row's number; undefined as long as it is not known. */
  readonly known: (number | undefined)[]
  /**
   * The numbers of new rows that are named by others, and are the only new ones of their resource: the database gives their ids as
   * it inserts them.
   */
  readonly alone: ReadonlyMap<Resource, number>
  /** Resources whose new rows bring their ids: the client chose one, or several are named by others. */
  readonly bringing: ReadonlySet<Resource>
  /** Of these the rows without an id yet. Their ids are reserved before any row is inserted. */
  readonly toReserve: readonly ToReserve[]
}

export interface ToReserve {
  readonly resource: Resource
  /** The numbers of the rows. */
  readonly numbers: readonly number[]
  /** The highest id that the client chose for a row of the resource. */
  readonly floor: number
}

export function newIdsOf(ordered: OrderedChanges): NewIds {
  const { inserts } = ordered
  if (inserts.length === 0) return NO_NEW_IDS
  const named = namedRows(ordered)
  const alone = new Map<Resource, number>()
  const bringing = new Set<Resource>()
  const toReserve: ToReserve[] = []
  for (const [resource, rows] of byResource(inserts)) {
    if (!rows.some(({ row, id }) => id !== undefined || named.has(row.new))) continue
    const [first] = rows as [Insert]
    if (rows.length === 1 && first.id === undefined && canBeAlone(resource, first, inserts)) {
      alone.set(resource, first.row.new)
      continue
    }
    bringing.add(resource)
    const numbers = rows.flatMap(({ row, id }) => (id === undefined ? [row.new] : []))
    if (numbers.length > 0) toReserve.push({ resource, numbers, floor: floorOf(rows) })
  }
  return { known: inserts.map(({ id }) => id), alone, bringing, toReserve }
}

const NO_NEW_IDS: NewIds = { known: [], alone: new Map(), bringing: new Set(), toReserve: [] }

/** The numbers of new rows whose ids somebody needs: their children, their links, or the answer. */
function namedRows({ steps, inserts, result }: OrderedChanges): ReadonlySet<number> {
  const named = new Set<number>()
  const add = (id: RowId | undefined): void => {
    if (typeof id === 'object') named.add(id.new)
  }
  add(result)
  for (const { owner } of inserts) add(owner?.id)
  for (const step of steps) if (step.step === 'link') for (const { from } of step.pairs) add(from)
  return named
}

/**
 * Whether the database can give the row its id. A row without other columns brings it. And where the rows of one INSERT are owned
 * through several relations, NULL in a foreign key means the other relation, so it cannot stand for an id that is not known yet.
 */
function canBeAlone({ ownedBy, members }: Resource, { row }: Insert, inserts: readonly Insert[]): boolean {
  if (ownedBy.length + members.length === 0) return false
  for (const { resource, owner } of inserts) {
    if (typeof owner?.id !== 'object' || owner.id.new !== row.new || resource.ownedBy.length === 1) continue
    if (inserts.some((other) => other.resource === resource && other.owner?.by !== owner.by)) return false
  }
  return true
}

function floorOf(rows: readonly Insert[]): number {
  return rows.reduce((highest, { id }) => Math.max(highest, id ?? 0), 0)
}

/** The id of a row as a value; null for a new row whose id only the database knows ({@link NewIds.alone}). */
export function idValue(row: RowId, { known }: NewIds): number | null {
  return typeof row === 'object' ? (known[row.new] ?? null) : row
}

/** The new row whose id the database has to find for the value of {@link idValue}; undefined if there is none. */
export function unknownRow(rows: readonly (RowId | undefined)[], { known }: NewIds): number | undefined {
  for (const row of rows) if (typeof row === 'object' && known[row.new] === undefined) return row.new
  return undefined
}

/** Reserves ids: one JSON value for each resource, as {@link noteReserved} reads it. */
export function reserveQuery(context: QueryContext, rows: readonly ToReserve[], hasSequences: boolean): Prepared {
  const { db, dialect, names } = context
  const answers = rows.map(({ resource }, index) => {
    const [count, floor] = [slot(`count${index}`), slot(`floor${index}`)]
    return dialect.newIds(tableOf(context, resource), names.column(resource.idColumn), count, floor, hasSequences)
  })
  return prepare(db, sql`select ${jsonTuple(answers)} as json`)
}

export function reserveValues(rows: readonly ToReserve[]): Record<string, number> {
  const values = rows.flatMap(({ numbers, floor }, index): [string, number][] => [
    [`count${index}`, numbers.length],
    [`floor${index}`, floor],
  ])
  return Object.fromEntries(values)
}

/** Notes the reserved ids, the lowest for the first row: they are listed, or all that follow the highest one ever given. */
export function noteReserved({ toReserve, known }: NewIds, json: string): void {
  const answers = JSON.parse(json) as (number | number[])[]
  for (const [index, { numbers }] of toReserve.entries()) {
    const answer = answers[index] as number | number[]
    const ids = typeof answer === 'number' ? undefined : answer.sort((a, b) => a - b)
    for (const [position, number] of numbers.entries()) {
      known[number] = ids === undefined ? (answer as number) + 1 + position : ids[position]
    }
  }
}

/**
 * PostgreSQL: a setting of the transaction, which keeps the id of the only new row of a resource. Later statements find it there,
 * so they can be sent before the INSERT is answered. What gives the id can be a sequence, a default or a trigger.
 */
function settingOf({ key }: Resource): Sql {
  // The case of letters does not tell PostgreSQL's settings apart, but it does tell resources apart.
  return constant(`fastify_crud.${key.replaceAll(/[A-Z_]/g, (letter) => `_${letter.toLowerCase()}`)}`)
}

export function keepId(resource: Resource, id: Sql): Sql {
  return sql`set_config(${settingOf(resource)}, ${id}::text, true)`
}

export function keptId(resource: Resource): Sql {
  return sql`current_setting(${settingOf(resource)})::bigint`
}
