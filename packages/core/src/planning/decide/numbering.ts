import type { Problem } from '../../errors.ts'
import type { Id } from '../../model/ids/id-kind.ts'
import { idBelow, shortIdOf } from '../../model/ids/short-id.ts'
import type { OrderedArray } from '../../model/model.ts'
import { otherEnd } from '../../model/resource-tree.ts'
import { FIRST_INTEGER } from '../../model/values/storage.ts'
import type { ArrayPlace, InvisibleResources } from '../body/draft.ts'
import { unknownRecord } from '../body/faults.ts'
import { inTurn } from '../diff/arrange.ts'
import { type Arrangement, type Changes, type NumberedRows, removedOf } from '../diff/changes.ts'
import { isNew, type RowId } from '../rows.ts'
import { newNumbers } from './numbers.ts'

/** An element of an array that keeps its order, as it is stored. */
export interface Sibling {
  readonly id: Id
  /** Null: it comes behind all that have one. */
  readonly number: number | null
  readonly isVisible: boolean
  /** Its row is only kept: it keeps its number, for it may come back. */
  readonly isDeleted: boolean
}

/** The elements of arrays by the ids of the owners, in their order: by number, then by id. */
export type Siblings = ReadonlyMap<OrderedArray, ReadonlyMap<Id, readonly Sibling[]>>

/** Gives the elements of arranged arrays their numbers. `unknown`: the places that the caller knows nothing of. */
export function withNumbers(
  changes: Changes,
  siblings: Siblings,
  hidden: InvisibleResources,
): { readonly changes: Changes; readonly unknown: readonly Problem[] } {
  const unknown: Problem[] = []
  const numbered: NumberedRows[] = []
  const ofNew = new Map<OrderedArray, Map<RowId, ReadonlyMap<RowId, number>>>()
  for (const [array, owners] of changes.arranged ?? []) {
    const ofOwners = new Map<RowId, ReadonlyMap<RowId, number>>()
    for (const [owner, arrangement] of owners) {
      const stored = isNew(owner) ? [] : (siblings.get(array)?.get(owner) ?? [])
      const found = storedElements(array, owner, stored, changes)
      const groups = arranged(
        array,
        arrangement,
        found.live,
        hidden.has(array.target),
        idsOf(array, owner, changes),
        unknown,
      )
      const { rows, added } = numbersOf(groups, found.taken)
      const arrived = array.kind === 'owns' ? outOfTheWay(added, rows, stored) : added
      ofOwners.set(owner, arrived)
      if (rows.length > 0 && !isNew(owner)) {
        numbered.push({ array, owner, ...parkedFirst(rows, stored), pointer: arrangement.pointer ?? '' })
      }
    }
    ofNew.set(array, ofOwners)
  }
  return { changes: withNumbersOfNew({ ...changes, numbered }, ofNew), unknown }
}

/** The elements that stay, and the numbers that others keep. */
function storedElements(
  array: OrderedArray,
  owner: RowId,
  siblings: readonly Sibling[],
  changes: Changes,
): { readonly live: readonly Ranked[]; readonly taken: readonly number[] } {
  const away = movedFrom(array, owner, changes)
  const gone = new Set([...goneFrom(array, owner, changes), ...away])
  const isKept = array.kind === 'owns' && array.target.softDelete !== undefined && changes.isForGood !== true
  const ranked = siblings.map((sibling, rank): Ranked => ({ ...sibling, rank }))
  const live = ranked.filter(({ id, isDeleted }) => !isDeleted && !gone.has(id))
  // What moves away has its number until its row is written.
  const taken = ranked.filter(({ id, isDeleted }) => isDeleted || (isKept && gone.has(id)) || away.has(id))
  return { live, taken: taken.flatMap(({ number }) => number ?? []) }
}

interface Ranked extends Sibling {
  /** Its place in the order in which elements are stored. */
  readonly rank: number
}

function movedFrom(array: OrderedArray, owner: RowId, { moved = [] }: Changes): ReadonlySet<Id> {
  return new Set(moved.flatMap(({ id, from }) => (from?.by.inverse === array && from.id === owner ? [id] : [])))
}

function goneFrom(array: OrderedArray, owner: RowId, changes: Changes): ReadonlySet<Id> {
  const gone = new Set<Id>(removedOf(changes, array.target)?.keys())
  if (array.kind === 'owns') return gone
  const other = otherEnd(array)
  for (const { link, from, to } of changes.unlinked) {
    if (link === array && from === owner) gone.add(to)
    else if (link === other && to === owner) gone.add(from)
  }
  return gone
}

/** An element that the caller sees, or a new one; then those behind it that are hidden. */
interface Group {
  readonly row: RowId | undefined
  readonly stored: readonly Ranked[]
}

/** The elements of an array in the order that is to be. */
function arranged(
  array: OrderedArray,
  { listed, placed }: Arrangement,
  live: readonly Ranked[],
  isHidden: boolean,
  idOf: IdInPlace,
  unknown: Problem[],
): readonly Group[] {
  const [front, ...present] = groupsOf(live, isHidden)
  let groups = listed === undefined ? present : inOrderOf(listed, present)
  const known = new Set(groups.map(({ row }) => row))
  for (const { element, place } of inTurn(placed, ({ element, place }) => [idOf(element, place), place?.behind])) {
    const isThere = known.has(element)
    if (isThere && place === undefined) continue
    const group = (isThere && groups.find(({ row }) => row === element)) || { row: element, stored: [] }
    if (isThere) groups = groups.filter((one) => one !== group)
    known.add(element)
    const before = place?.before ?? null
    const at =
      before === null ? placeBehind(groups, place, idOf) : groups.findIndex(({ row }) => idOf(row, place) === before)
    if (at === -1 && place !== undefined) {
      const message = `${before} is not another one of this ${array.source.key}'s ${array.name}`
      unknown.push({ pointer: place.pointer, ...unknownRecord(message, array.target.key) })
    }
    groups.splice(at === -1 ? groups.length : at, 0, group)
  }
  return [front as Group, ...groups]
}

/** The end, unless the place is behind an element that is there. */
function placeBehind(groups: readonly Group[], place: ArrayPlace | undefined, idOf: IdInPlace): number {
  if (place?.behind === undefined) return groups.length
  if (place.behind === null) return 0
  return groups.findIndex(({ row }) => idOf(row, place) === place.behind) + 1 || groups.length
}

/** The first group has what comes before all that the caller sees. */
function groupsOf(live: readonly Ranked[], isHidden: boolean): Group[] {
  const groups: { row: Id | undefined; stored: Ranked[] }[] = [{ row: undefined, stored: [] }]
  for (const one of live) {
    if (one.isVisible && !isHidden) groups.push({ row: one.id, stored: [one] })
    else groups.at(-1)?.stored.push(one)
  }
  return groups
}

/** What a PUT does not list is new since it was planned: it comes last. */
function inOrderOf(listed: readonly RowId[], present: readonly Group[]): Group[] {
  const byRow = new Map(present.map((group) => [group.row, group]))
  const first = listed.map((row): Group => byRow.get(row) ?? { row, stored: [] })
  const rows = new Set<RowId | undefined>(listed)
  return [...first, ...present.filter(({ row }) => !rows.has(row))]
}

/** The id of an element in the form in which a place names others. */
type IdInPlace = (row: RowId | undefined, place: ArrayPlace | undefined) => Id | undefined

function idsOf({ kind, target }: OrderedArray, owner: RowId, { inserts }: Changes): IdInPlace {
  return (row, place) => {
    if (row === undefined) return undefined
    if (place?.behind !== undefined) return isNew(row) ? inserts[row.new]?.id : row
    const isWhole = place?.isWhole === true
    if (!isNew(row)) return kind === 'owns' && !isWhole ? shortIdOf(target, row) : row
    const short = inserts[row.new]?.shortId
    return isWhole ? idBelow(target, short, isNew(owner) ? undefined : owner) : short
  }
}

interface RowNumber {
  readonly id: Id
  readonly number: number
  readonly before: number | null
}

function numbersOf(
  groups: readonly Group[],
  taken: readonly number[],
): { readonly rows: RowNumber[]; readonly added: ReadonlyMap<RowId, number> } {
  const elements = groups.flatMap(({ row, stored }): { row: RowId | undefined; stored: Ranked | undefined }[] =>
    row !== undefined && stored.length === 0
      ? [{ row, stored: undefined }]
      : stored.map((one) => ({ row, stored: one })),
  )
  const numbers = newNumbers(
    elements.map(({ stored }) => ({ number: stored?.number, rank: stored?.rank ?? -1 })),
    taken,
  )
  const rows: RowNumber[] = []
  const added = new Map<RowId, number>()
  for (const [index, { row, stored }] of elements.entries()) {
    const number = numbers[index]
    if (number === undefined) continue
    if (stored !== undefined) rows.push({ id: stored.id, number, before: stored.number })
    else added.set(row as RowId, number)
  }
  return { rows, added }
}

/**
 * The numbers with which records come from other owners. Their rows are written before those of their new siblings: one
 * that comes to a number which a sibling still has gets it with the siblings, and another one until then.
 */
function outOfTheWay(
  added: ReadonlyMap<RowId, number>,
  rows: RowNumber[],
  siblings: readonly Sibling[],
): ReadonlyMap<RowId, number> {
  const held = new Set(siblings.map(({ number }) => number))
  const inTheWay = [...added].filter((one): one is [Id, number] => !isNew(one[0]) && held.has(one[1]))
  if (inTheWay.length === 0) return added
  const numbers = [...held, ...added.values(), ...rows.map(({ number }) => number)].map((number) => number ?? 0)
  let last = numbers.reduce((highest, number) => Math.max(highest, number), 0) + rows.length + inTheWay.length
  const arrived = new Map(added)
  for (const [id, number] of inTheWay) {
    rows.push({ id, number, before: null })
    last += 1
    arrived.set(id, last)
  }
  return arrived
}

/** A database that checks a unique key row by row takes no number that another row still has. */
function parkedFirst(rows: readonly RowNumber[], siblings: readonly Sibling[]): Pick<NumberedRows, 'rows' | 'parked'> {
  const wanted = new Set(rows.map(({ number }) => number))
  const inTheWay = rows.filter(({ before }) => before !== null && wanted.has(before))
  const numbered = rows.map(({ id, number }) => ({ id, number }))
  if (inTheWay.length === 0) return { rows: numbered, parked: [] }
  let [first, last] = [0, 0]
  for (const number of [...wanted, ...siblings.map((one) => one.number ?? 0)]) {
    first = Math.min(first, number)
    last = Math.max(last, number)
  }
  const isFree = first - inTheWay.length >= FIRST_INTEGER
  const free = (index: number) => (isFree ? first - 1 - index : last + 1 + index)
  return { rows: numbered, parked: inTheWay.map(({ id }, index) => ({ id, number: free(index) })) }
}

/** The changes with the numbers of new rows and links, and of rows that move. */
function withNumbersOfNew(
  changes: Changes,
  ofNew: ReadonlyMap<OrderedArray, ReadonlyMap<RowId, ReadonlyMap<RowId, number>>>,
): Changes {
  if (ofNew.size === 0) return changes
  const numberIn = (array: OrderedArray | undefined, owner: RowId, element: RowId) =>
    array && ofNew.get(array)?.get(owner)?.get(element)
  const inserts = changes.inserts.map((insert) => {
    const array = insert.owner?.by.inverse
    const number = insert.owner && numberIn(array, insert.owner.id, insert.row)
    if (array?.order === undefined || number === undefined) return insert
    return { ...insert, values: insert.values.with(array.order.position, number) }
  })
  const linked = changes.linked.map((one) => {
    const other = otherEnd(one.link)
    const numbers = [
      [one.link.order, numberIn(one.link, one.from, one.to)],
      [other?.order, numberIn(other, one.to, one.from)],
    ].filter(([, number]) => number !== undefined)
    return numbers.length === 0 ? one : { ...one, numbers: Object.fromEntries(numbers) as Record<string, number> }
  })
  const updates = changes.updates.map((update) => {
    const to = changes.moved?.find(({ resource, id }) => resource === update.resource && id === update.id)?.to
    const array = to?.by.inverse
    const number = to && numberIn(array, to.id, update.id)
    if (array?.order === undefined || number === undefined) return update
    const values = update.values.slice()
    values[array.order.position] = number
    return { ...update, values }
  })
  return { ...changes, inserts, linked, updates }
}
