import type { Id } from '../model/ids/id-kind.ts'
import { wholeId } from '../model/ids/short-id.ts'
import type { OwnerReference, Owns, Reference, Resource, RowMember } from '../model/model.ts'

/** A row: the id of one that exists, or the index of one that the same plan inserts. */
export type RowId = Id | NewRow

export interface NewRow {
  readonly new: number
}

/** Whether the same plan inserts the row. If not, the row is named by its id. */
export function isNew(row: RowId): row is NewRow {
  return typeof row === 'object'
}

/** Who owns a record, and through which relation. A new record may be owned by another new one. */
export interface RecordOwner<Owner extends RowId = Id> {
  readonly by: OwnerReference
  readonly id: Owner
}

/** A record as it is read: its id, its fields, foreign keys and relations. */
export type RecordData = { readonly id: Id } & { readonly [name: string]: unknown }

/** A copy of a record with whole ids in place of the short ones of answers, at any depth. `owner`: the id of its
 * owner. */
export function withWholeIds(resource: Resource, record: RecordData, owner: Id | undefined): RecordData {
  if (!resource.holdsShortIds) return record
  const copy = structuredClone(record)
  setWholeIds(resource, copy, owner)
  return copy
}

/** The same in the record itself. */
export function setWholeIds(resource: Resource, record: RecordData, owner: Id | undefined): void {
  if (!resource.holdsShortIds) return
  const setId = (of: Resource, one: { id: Id }, above: Id | undefined) => {
    one.id = wholeId(of, one.id, above)
  }
  setId(resource, record, owner)
  visitOwned(resource, record, ({ target }, child, { id }) => {
    if (target.holdsShortIds) setId(target, child, id)
    return target.holdsShortIds
  })
}

/**
 * Visits all records that one owns, at any depth, each behind its owner; but none below a record for which the visit
 * returns false. Does not recurse: a tree may be deep.
 */
export function visitOwned(
  resource: Resource,
  record: RecordData,
  visit: (owns: Owns, child: RecordData, owner: RecordData) => boolean,
): void {
  const open: [Resource, RecordData][] = [[resource, record]]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [of, owner] = next
    for (let position = 0; position < of.owns.length; position++) {
      const owns = of.owns[position] as Owns
      const owned = owner[owns.name] as RecordData | readonly RecordData[] | null | undefined
      for (const child of [owned ?? []].flat() as readonly RecordData[]) {
        if (visit(owns, child, owner)) open.push([owns.target, child])
      }
    }
  }
}

/** The id that a foreign key of a record holds. */
export function heldId(record: RecordData, { foreignKey }: Reference): Id | null {
  return record[foreignKey] as Id | null
}

/** What is said of a resource's members. The value of each member is at its position; undefined where nothing is said
 * of it. */
export type MemberValues = readonly unknown[]

/** A set of a resource's members. Equal sets of one resource are equal. */
export type MemberKey = number | string

/** V8 finds small integers in a map the fastest. Each has a bit for so many positions. */
const BITS = 30

/** The members that the values say something of. */
export function keyOf(values: MemberValues): MemberKey {
  if (values.length > BITS) {
    return Array.from(values.keys())
      .filter((position) => values[position] !== undefined)
      .join()
  }
  let key = 0
  for (let position = 0; position < values.length; position++) if (values[position] !== undefined) key |= 1 << position
  return key
}

/** All that a write can change in a stored row, by position. */
export function rowMembers({ members, movedBy }: Pick<Resource, 'members' | 'movedBy'>): readonly RowMember[] {
  return movedBy.length === 0 ? members : [...members, ...movedBy]
}

/** The members of a set, in their order. */
export function membersIn(resource: Resource, key: MemberKey): readonly RowMember[] {
  const members = rowMembers(resource)
  if (typeof key === 'number') return members.filter(({ position }) => position < BITS && (key & (1 << position)) !== 0)
  const positions = new Set(key.split(','))
  return members.filter(({ position }) => positions.has(String(position)))
}

/**
 * Groups items by a key, in the order of the keys' first items. For few groups only: an item that does not belong to
 * the last group is compared with all of them.
 */
export function groupBy<Item, Key>(items: readonly Item[], keyOf: (item: Item) => Key): [Key, Item[]][] {
  const groups: [Key, Item[]][] = []
  for (const item of items) {
    const key = keyOf(item)
    let group = groups.at(-1)
    if (group !== undefined && group[0] !== key) group = groups.find(([known]) => known === key)
    if (group === undefined) groups.push([key, [item]])
    else group[1].push(item)
  }
  return groups
}

/** Groups rows by resource, in ascending order of rank. */
export function byResource<Row extends { readonly resource: Resource }>(rows: readonly Row[]): [Resource, Row[]][] {
  return groupBy(rows, ({ resource }) => resource).sort(([a], [b]) => compareRanks(a, b))
}

/** Orders resources by rank, the lowest first, then by key: by code units, which gives the same order on every
 * machine. */
export function compareRanks(a: Resource, b: Resource): number {
  return a.rank - b.rank || (a.key < b.key ? -1 : a.key > b.key ? 1 : 0)
}
