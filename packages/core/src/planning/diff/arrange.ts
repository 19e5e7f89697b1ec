import type { Id } from '../../model/ids/id-kind.ts'
import type { Link, OrderedArray } from '../../model/model.ts'
import { otherEnd } from '../../model/resource-tree.ts'
import type { ArrayPlace } from '../body/draft.ts'
import { isNew, type RecordData, type RowId } from '../rows.ts'
import type { Arrangement, Changes } from './changes.ts'

/** Notes the place of an element in an array that keeps its order. */
export function arrange(
  changes: Changes,
  array: OrderedArray,
  owner: RowId,
  placement: Arrangement['placed'][number],
): void {
  const arrangement = arrangementOf(changes, array, owner)
  arrangement.placed.push(placement)
  arrangement.pointer ??= placement.place?.pointer
}

/** Notes the place of a new link in the arrays of both ends, as far as these keep their order. */
export function arrangeLink(changes: Changes, link: Link, from: RowId, to: Id, place: ArrayPlace | undefined): void {
  if (link.order !== undefined) arrange(changes, link, from, { element: to, place })
  const other = otherEnd(link)
  if (other?.order !== undefined) arrange(changes, other, to, { element: from, place: undefined })
}

/** An array of which the body says a place, or another order: that changes the record whose array it is. */
interface Rearranged {
  readonly array: OrderedArray
  readonly owner: Id
  readonly pointer: string
}

export function rearranged({ arranged }: Pick<Changes, 'arranged'>): readonly Rearranged[] {
  if (arranged === undefined) return NONE
  const all: Rearranged[] = []
  for (const [array, owners] of arranged) {
    for (const [owner, { pointer }] of owners)
      if (pointer !== undefined && !isNew(owner)) all.push({ array, owner, pointer })
  }
  return all
}

const NONE: readonly never[] = []

/** What a PUT says of an array. */
interface ListedArray {
  readonly listed: readonly RowId[]
  /** The elements that are there, in their order. */
  readonly present: readonly RecordData[]
  readonly pointer: string
}

/** Notes the order of a whole array, unless it is what it was: then all that is new comes to the end. */
export function arrangeAll(
  changes: Changes,
  array: OrderedArray,
  owner: Id,
  { listed, present, pointer }: ListedArray,
): void {
  const ids = new Set<RowId>(listed)
  const stay = present.filter(({ id }) => ids.has(id))
  if (stay.every(({ id }, index) => id === listed[index])) return
  Object.assign(arrangementOf(changes, array, owner), { listed, pointer })
}

function arrangementOf(changes: Changes, array: OrderedArray, owner: RowId): Arrangement {
  changes.arranged ??= new Map()
  const owners = changes.arranged.get(array) ?? new Map<RowId, Arrangement>()
  const known = owners.get(owner) ?? { listed: undefined, placed: [], pointer: undefined }
  changes.arranged.set(array, owners.set(owner, known))
  return known
}

/** Elements in an order in which each comes later than the one that it is to be behind. `namesOf`: the ids of both. */
export function inTurn<Item>(
  items: readonly Item[],
  namesOf: (item: Item) => readonly [element: Id | undefined, behind: Id | null | undefined],
): readonly Item[] {
  const waiting = new Map(items.map((item) => [namesOf(item)[0], item]))
  if (items.every((item) => namesOf(item)[1] === undefined)) return items
  const sorted: Item[] = []
  for (const item of items) {
    const chain: Item[] = []
    for (let next: Item | undefined = item; next !== undefined; ) {
      const [element, behind]: ReturnType<typeof namesOf> = namesOf(next)
      if (waiting.delete(element)) chain.push(next)
      next = behind === null || behind === undefined ? undefined : waiting.get(behind)
    }
    sorted.push(...chain.reverse())
  }
  return sorted
}
