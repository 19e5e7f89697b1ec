import type { Id } from '../../model/ids.ts'
import type { OwnedBy, Resource } from '../../model/model.ts'
import type { Rights } from '../../policies/rights.ts'
import type { Changes } from '../diff/changes.ts'
import { isNew, type RowId } from '../row-id.ts'

/** A row with a policy of its own as a write would store it. */
export interface PlannedRow {
  readonly resource: Resource
  readonly action: 'Add' | 'EditAfter'
  /** Its id, the foreign keys of owners, the members. Null where the write does not know it yet. */
  readonly values: readonly unknown[]
}

export function plannedRows({ inserts, updates }: Changes, rights: Rights): readonly PlannedRow[] {
  const planned: PlannedRow[] = []
  const add = (resource: Resource, action: PlannedRow['action'], row: readonly unknown[]) => {
    if ((rights.rules.get(resource)?.[action] ?? true) !== true) planned.push({ resource, action, values: row })
  }
  for (const { resource, owner, values } of inserts) {
    const members = resource.members.map(({ position }) => values[position] ?? null)
    add(resource, 'Add', [null, ...ownerKeys(resource, owner), ...members])
  }
  for (const { resource, id, owner, before, values } of updates) {
    const members = resource.members.map(({ position, property }) => {
      const value = values[position]
      return value === undefined ? (before[property] ?? null) : value
    })
    add(resource, 'EditAfter', [id, ...ownerKeys(resource, owner), ...members])
  }
  return planned
}

function ownerKeys(
  { ownedBy }: Resource,
  owner: { readonly by: OwnedBy; readonly id: RowId } | undefined,
): readonly (Id | null)[] {
  return ownedBy.map((by) => (owner?.by === by && !isNew(owner.id) ? owner.id : null))
}
