import { type FieldRights, knowsField } from '../../model/field-rights.ts'
import {
  type ColumnCondition,
  type Field,
  type ForeignKey,
  isRowMember,
  type Owns,
  type Resource,
  type UniqueKey,
} from '../../model/model.ts'
import { pointerTo } from '../body/faults.ts'
import { isNew, type MemberValues, type RowId } from '../rows.ts'

/**
 * The values of one row for one unique key after the write. Undefined is a value that the client does not see, so only
 * the database knows it. A row for which the key does not hold has null in all of them.
 */
export interface UniqueValues {
  readonly resource: Resource
  readonly key: UniqueKey
  readonly row: RowId
  readonly values: readonly unknown[]
  readonly pointer: string
  /** The values before the write, for a row that was there. */
  readonly before: readonly unknown[] | undefined
}

/** Whether the values set what the row holds of the key depends on. */
export function sets(values: MemberValues, key: UniqueKey): boolean {
  return key.dependsOn.some((member) => isRowMember(member) && values[member.position] !== undefined)
}

/** Whether the key has the numbers of an array's order: no two of its elements get the same one. */
export function keepsOrder({ members }: UniqueKey): boolean {
  return members.some((member) => member.kind === 'field' && member.keepsOrder)
}

/** The relation of which the key keeps the one place: its only member is the owner. Undefined for other keys. */
export function placeOf({ members }: UniqueKey): Owns | undefined {
  const [only] = members
  return members.length === 1 && only?.kind === 'ownedBy' && !only.inverse.many ? only.inverse : undefined
}

/** What a row holds of a key, by the values of its members; undefined for one that is not known. */
export function heldOf(
  { members, where }: UniqueKey,
  valueAt: (member: Field | ForeignKey) => unknown,
): readonly unknown[] {
  let isKnown = true
  for (const { member, is } of where) {
    const value = valueAt(member)
    if (value === undefined) isKnown = false
    else if (!fulfils(value, is)) return members.map(() => null)
  }
  return members.map((member) => (isKnown ? valueAt(member) : undefined))
}

/** Whether the key holds for a row with this value. */
export function fulfils(value: unknown, is: ColumnCondition): boolean {
  if (is === 'null') return value === null
  return is === 'not null' ? value !== null : value === is.value
}

/**
 * The pointer to a unique key in a body: to its only property, or to the record if it has several. `values`: of the
 * body. If they set the key's condition only, it is the pointer to that.
 */
export function memberPointer(key: UniqueKey, pointer: string, values: MemberValues, rights: FieldRights): string {
  const isSet = (member: Field | ForeignKey) => isRowMember(member) && values[member.position] !== undefined
  const isSaid = (member: Field | ForeignKey) => member.kind !== 'ownedBy' || isSet(member)
  const known = key.members.filter((member) => isSaid(member) && isKnown(member, rights))
  const inBody = known.some(isSet) || key.where.length === 0 ? known : key.dependsOn.filter(isSet)
  const [only] = inBody
  if (only === undefined || inBody.length > 1) return pointer
  return pointerTo(pointer, only.property)
}

/** What a refusal calls a unique key: the names of its members, without fields that the client does not know. */
export function readableNames({ names, members }: UniqueKey, rights: FieldRights): readonly string[] {
  const shown = names.filter((_, index) => isKnown(members[index] as UniqueKey['members'][number], rights))
  return shown.length === 0 ? ['value'] : shown
}

function isKnown(member: UniqueKey['members'][number], rights: FieldRights): boolean {
  return member.kind !== 'field' || knowsField(rights, member)
}

/** Whether two rows are known to collide if both have these values: not if one of the values is null, or not known. */
export function canCollide(values: readonly unknown[]): boolean {
  return !values.includes(null) && !values.includes(undefined)
}

/** Whether a row may hold any value of the key before the write, as one of the present values is not known. */
export function holdsWriteOnly({ before }: UniqueValues): boolean {
  return before?.includes(undefined) ?? false
}

/** Whether the values name an owner that the same plan inserts. */
export function hasNewOwner({ key, values }: UniqueValues): boolean {
  return key.members.some(({ kind }, index) => {
    const owner = kind === 'ownedBy' ? (values[index] as RowId | null) : null
    return owner !== null && isNew(owner)
  })
}

/** Stands for values of a unique key in a map: equal values of one key have equal strings. */
export function valueKey({ resource, key }: UniqueValues, values: readonly unknown[]): string {
  return `${resource.key} ${resource.uniques.indexOf(key)} ${JSON.stringify(values)}`
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
