import { type FieldRights, knowsField } from '../../model/field-rights.ts'
import type { Resource, UniqueKey } from '../../model/model.ts'
import { pointerTo } from '../body/pointer.ts'
import { isNew, type MemberValues, type RowId } from '../rows.ts'

/** The values of one row for one unique key after the write. Undefined is a value that the client does not see, so only the database knows it. */
export interface UniqueValues {
  readonly resource: Resource
  readonly key: UniqueKey
  readonly row: RowId
  readonly values: readonly unknown[]
  readonly pointer: string
  /** The values before the write, for a row that was there. */
  readonly before: readonly unknown[] | undefined
}

/** Whether the values set a member of the key. */
export function sets(values: MemberValues, key: UniqueKey): boolean {
  return key.members.some((member) => member.kind !== 'ownedBy' && values[member.position] !== undefined)
}

/** The pointer to a unique key in a body: to its only property, or to the record if it has several. */
export function memberPointer(key: UniqueKey, pointer: string, rights: FieldRights): string {
  const visible = key.members.filter((member) => member.kind !== 'ownedBy').filter((member) => isKnown(member, rights))
  const [only] = visible
  if (only === undefined || visible.length > 1) return pointer
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
