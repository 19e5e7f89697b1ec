import { isInserted } from '../../model/descriptors/field-options.ts'
import { type Id, isGivenByInsert } from '../../model/ids/id-kind.ts'
import { idBelow } from '../../model/ids/short-id.ts'
import type { Resource } from '../../model/model.ts'
import type { GuardedRows } from '../decide/guarded-rows.ts'
import type { Insert } from '../diff/changes.ts'
import { byResource, isNew, type RowId } from '../rows.ts'
import type { OrderedChanges, OrderedStep } from './ordered.ts'

/** How a plan's new rows get their ids. Only ids that something needs are found out: for children, links, policies or
 * the answer. */
export interface NewIds {
  /** By the row's number; undefined as long as the id is not known. */
  readonly ids: (Id | undefined)[]
  /**
   * The numbers of new rows whose ids are needed, and which are the only new rows of their resource. The database
   * assigns their ids as it inserts them.
   */
  readonly assignedByInsert: ReadonlyMap<Resource, number>
  /**
   * Resources of which only policies need the ids of several new rows, and only after these are inserted. The
   * transaction keeps all of these ids.
   */
  readonly keptByTransaction: ReadonlySet<Resource>
  /**
   * Resources of which the ids of several new rows are needed, and only the INSERT of each row tells its id. Each row
   * is a statement of its own, which is waited for.
   */
  readonly assignedOneByOne: ReadonlySet<Resource>
  /** Resources whose INSERT has the ids of the new rows: the client chose an id, or the ids of several rows are
   * needed. */
  readonly withExplicitIds: ReadonlySet<Resource>
  /** The rows of these that have no id yet. Their ids are reserved before any row is inserted. */
  readonly toReserve: readonly ToReserve[]
  /** New rows whose ids have a part that is the id of a new row. Owners come first. */
  readonly belowNew: readonly Insert[]
}

export interface ToReserve {
  readonly resource: Resource
  /** The numbers of the rows. */
  readonly numbers: readonly number[]
  /** The ids that the client chose for other new rows of the resource. */
  readonly chosen: readonly Id[]
}

/** Ids that were drawn for new rows before these were planned, for each table. */
export type DrawnIds = ReadonlyMap<string, readonly Id[]>

const NOTHING_DRAWN: DrawnIds = new Map()

/**
 * `guarded`: rows that policies are asked about when they are stored. `keepsIds`: a transaction of the database can
 * keep ids. `alsoNamed`: the numbers of other rows whose ids are needed.
 */
export function newIdsOf(
  ordered: OrderedChanges,
  guarded: readonly GuardedRows[],
  keepsIds: boolean,
  alsoNamed: ReadonlySet<number> = NONE,
  drawn: DrawnIds = NOTHING_DRAWN,
): NewIds {
  const { inserts, rowByRow } = ordered
  if (inserts.length === 0) return NO_NEW_IDS
  if (inserts.every(({ comesBack }) => comesBack === 'kept')) return { ...NO_NEW_IDS, ids: inserts.map(({ id }) => id) }
  const named = namedRows(ordered, alsoNamed)
  const asked = new Set(guarded.filter(({ action }) => action === 'Add').map(({ resource }) => resource))
  const belowNew = inserts.filter(isBelowNew)
  const partsOfIds = nameParts(belowNew, named, asked)
  const assignedByInsert = new Map<Resource, number>()
  const split = splitAmongSteps(ordered)
  const keptByTransaction = new Set<Resource>()
  const withExplicitIds = new Set<Resource>()
  const assignedOneByOne = new Set<Resource>()
  const toReserve: ToReserve[] = []
  for (const [resource, rows] of byResource(inserts)) {
    // What the database assigned to rows of another resource could be an id that was reserved for these.
    const isShared = inserts.some((one) => one.resource.table === resource.table && one.resource !== resource)
    const isNeeded = isShared || rows.some(({ row, id }) => id !== undefined || named.has(row.new))
    const isSplit = split.has(resource)
    if (!isNeeded && !asked.has(resource) && !isSplit) continue
    if (resource.idMembers.length > 0) {
      if (rows.some(lacksAPart)) assignedOneByOne.add(resource)
      continue
    }
    const [first] = rows as [Insert]
    const isPart = partsOfIds.has(first.row.new)
    if (
      !isShared &&
      rows.length === 1 &&
      first.id === undefined &&
      !drawn.has(resource.table) &&
      !isPart &&
      canDatabaseAssign(resource, first, inserts)
    ) {
      assignedByInsert.set(resource, first.row.new)
      continue
    }
    // Row by row, there is more than one INSERT of the resource.
    if (!isNeeded && keepsIds && !rowByRow && !isSplit) {
      keptByTransaction.add(resource)
      continue
    }
    if (isGivenByInsert(resource.id) && rows.some(({ id }) => id === undefined)) {
      assignedOneByOne.add(resource)
      continue
    }
    withExplicitIds.add(resource)
    const numbers = rows.flatMap(({ row, id }) => (id === undefined ? [row.new] : []))
    const chosen = rows.flatMap(({ id }) => (id === undefined ? [] : [id]))
    if (numbers.length > 0) reserve(toReserve, { resource, numbers, chosen })
  }
  const ids = inserts.map(({ id }) => id)
  const lacking = toReserve.filter((one) => !takeDrawn(one, drawn, ids))
  if (lacking.length < toReserve.length) deriveIds({ ids, belowNew })
  return { ids, assignedByInsert, keptByTransaction, assignedOneByOne, withExplicitIds, toReserve: lacking, belowNew }
}

/** Gives rows the ids that were drawn. Not beside ids that the client chose: one of these could have been drawn. */
function takeDrawn({ resource, numbers, chosen }: ToReserve, drawn: DrawnIds, ids: NewIds['ids']): boolean {
  const found = drawn.get(resource.table)
  if (found === undefined || found.length < numbers.length || chosen.length > 0) return false
  for (const [index, number] of numbers.entries()) ids[number] = found[index]
  return true
}

/** Two resources of one table have their ids from one source. */
function reserve(toReserve: ToReserve[], more: ToReserve): void {
  const index = toReserve.findIndex(({ resource }) => resource.table === more.resource.table)
  const known = toReserve[index]
  if (known === undefined) toReserve.push(more)
  else {
    const [numbers, chosen] = [known.numbers.concat(more.numbers), known.chosen.concat(more.chosen)]
    toReserve[index] = { resource: known.resource, numbers, chosen }
  }
}

const NONE: ReadonlySet<number> = new Set()

function isBelowNew({ resource, owner }: Insert): boolean {
  return owner !== undefined && isNew(owner.id) && resource.idMembers.includes(owner.by)
}

/** Whether the database gives a part of the id, so that only the INSERT of the row tells it. */
function lacksAPart({ resource, shortId }: Insert): boolean {
  return shortId === undefined && resource.idMembers.some(({ kind }) => kind !== 'ownedBy')
}

/** Adds the owners whose ids are parts of ids that are needed, and returns these owners. */
function nameParts(belowNew: readonly Insert[], named: Set<number>, asked: ReadonlySet<Resource>): ReadonlySet<number> {
  const parts = new Set<number>()
  for (const { resource, row, owner } of belowNew.toReversed()) {
    if (owner !== undefined && isNew(owner.id) && (named.has(row.new) || asked.has(resource))) {
      named.add(owner.id.new)
      parts.add(owner.id.new)
    }
  }
  return parts
}

/** Finds the ids of new rows whose other part is known by now. */
export function deriveIds({ ids, belowNew }: Pick<NewIds, 'ids' | 'belowNew'>): void {
  for (const { resource, row, shortId, owner } of belowNew) {
    const above = owner?.id
    if (above !== undefined && isNew(above)) ids[row.new] ??= idBelow(resource, shortId, ids[above.new])
  }
}

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
  assignedByInsert: new Map(),
  keptByTransaction: new Set(),
  assignedOneByOne: new Set(),
  withExplicitIds: new Set(),
  toReserve: [],
  belowNew: [],
}

/** The numbers of new rows whose ids are needed: by their children, their links, or the answer. */
function namedRows({ steps, inserts, results }: OrderedChanges, alsoNamed: ReadonlySet<number>): Set<number> {
  const named = new Set(alsoNamed)
  const add = (id: RowId | undefined): void => {
    if (id !== undefined && isNew(id)) named.add(id.new)
  }
  for (const result of results) add(result)
  for (const { owner } of inserts) add(owner?.id)
  for (const step of steps) if (step.step === 'link') for (const { from } of step.pairs) add(from)
  return named
}

/** The number of the only row of an INSERT, if this statement tells the id of the row. */
export function assignedBy({ resource, rows }: InsertStep, newIds: NewIds): number | undefined {
  const [only] = rows
  return newIds.assignedOneByOne.has(resource) ? only?.row.new : newIds.assignedByInsert.get(resource)
}

type InsertStep = Extract<OrderedStep, { readonly step: 'insert' }>

/**
 * Whether the database can assign the row's id. A row without other columns brings its id. Where one INSERT has rows of
 * several owning relations, NULL in a foreign key means that another relation owns the row. So NULL cannot stand for an
 * id that is not known yet.
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

/** The id of a row as a value. Null stands for a new row whose id only the database knows
 * ({@link NewIds.assignedByInsert}). */
export function idValue(row: RowId, { ids }: NewIds): Id | null {
  return isNew(row) ? (ids[row.new] ?? null) : row
}

/** The number of a new row for which {@link idValue} is null; undefined if there is none. */
export function unknownRow(rows: readonly (RowId | undefined)[], { ids }: NewIds): number | undefined {
  for (const row of rows) if (row !== undefined && isNew(row) && ids[row.new] === undefined) return row.new
  return undefined
}
