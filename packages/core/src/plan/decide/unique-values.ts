import { memberName, type Resource, type UniqueKey } from '../../model/model.ts'
import { pointerTo } from '../body/pointer.ts'
import { type Changes, isNew, type RowId } from '../diff/changes.ts'
import type { MemberValues } from '../diff/member-values.ts'

/** The values of one row for one unique key after the write. */
export interface UniqueValues {
  readonly resource: Resource
  readonly key: UniqueKey
  readonly row: RowId
  readonly values: readonly unknown[]
  readonly pointer: string
  /** The values before the write, for a row that was there. */
  readonly before: readonly unknown[] | undefined
}

/** The unique values that a write sets or changes. */
export function changedUniqueValues(changes: Changes): UniqueValues[] {
  const found: UniqueValues[] = []
  // Skips empty lists first: V8 does not optimize iterators over frozen arrays.
  for (const insert of changes.inserts) {
    const { resource, pointer } = insert
    if (resource.uniques.length === 0) continue
    for (const key of resource.uniques) {
      const values = key.members.map((member) => {
        if (member.kind !== 'ownedBy') return insert.values[member.position] ?? null
        return insert.owner?.by === member ? insert.owner.id : null
      })
      if (!canCollide(values)) continue
      found.push({ resource, key, row: insert.row, values, pointer: memberPointer(key, pointer), before: undefined })
    }
  }
  for (const update of changes.updates) {
    const { resource, pointer } = update
    if (resource.uniques.length === 0) continue
    for (const key of resource.uniques) {
      if (!sets(update.values, key)) continue
      const before = key.members.map((member) => {
        if (member.kind === 'ownedBy') return update.owner?.by === member ? update.owner.id : null
        return update.before[memberName(member)] ?? null
      })
      const values = key.members.map((member, index) => {
        const value = member.kind === 'ownedBy' ? undefined : update.values[member.position]
        return value === undefined ? before[index] : value
      })
      found.push({ resource, key, row: update.id, values, pointer: memberPointer(key, pointer), before })
    }
  }
  return found
}

/** Whether the values set a member of the key. */
export function sets(values: MemberValues, key: UniqueKey): boolean {
  return key.members.some((member) => member.kind !== 'ownedBy' && values[member.position] !== undefined)
}

/** The pointer to a unique key in a body: to its only property, or to the record if it has several. */
export function memberPointer(key: UniqueKey, pointer: string): string {
  const visible = key.members.filter((member) => member.kind !== 'ownedBy')
  const [only] = visible
  if (only === undefined || visible.length > 1) return pointer
  return pointerTo(pointer, memberName(only))
}

/** Whether two rows with these values collide: not if one of the values is null. */
export function canCollide(values: readonly unknown[]): boolean {
  return !values.includes(null)
}

/** Whether the values name an owner that the same plan inserts. */
export function hasNewOwner({ key, values }: UniqueValues): boolean {
  return key.members.some(({ kind }, index) => {
    const owner = kind === 'ownedBy' ? (values[index] as RowId | null) : null
    return owner !== null && isNew(owner)
  })
}

/** Values as a string. Equal values have equal strings. */
export function fingerprint(values: readonly unknown[]): string {
  return JSON.stringify(values)
}

/** For each unique key, the rows that give up their old values for it. */
export function rowsByKey(changed: readonly UniqueValues[]): ReadonlyMap<UniqueKey, ReadonlySet<RowId>> {
  const rows = new Map<UniqueKey, Set<RowId>>()
  for (const { key, row } of changed) {
    const known = rows.get(key)
    if (known === undefined) rows.set(key, new Set([row]))
    else known.add(row)
  }
  return rows
}
