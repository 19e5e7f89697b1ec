import { type Rights, restricts } from '../../asking/policies/rights.ts'
import type { Id } from '../../model/ids/id-kind.ts'
import type { OwnedBy, Resource } from '../../model/model.ts'
import type { Changes } from '../diff/changes.ts'
import { isNew, type MemberValues, type RowId } from '../rows.ts'
import { changedRows } from './guarded-rows.ts'

/** A row with a policy of its own as a write would store it. */
export type PlannedRow = AddedRow | EditedRow

export interface AddedRow {
  readonly resource: Resource
  readonly action: 'Add'
  /** The foreign keys of owners. Null where the write does not know it yet. */
  readonly owners: readonly (Id | null)[]
  /** Undefined where only the database knows it. */
  readonly values: MemberValues
}

interface EditedRow {
  readonly resource: Resource
  readonly action: 'EditAfter'
  readonly id: Id
  /** What the write sets. All else is as it is stored. */
  readonly values: MemberValues
}

export function plannedRows(changes: Changes, rights: Rights): readonly PlannedRow[] {
  const { inserts, updates } = changes
  const planned: PlannedRow[] = []
  for (const { resource, owner, values } of inserts) {
    if (!restricts(rights, resource, 'Add')) continue
    planned.push({ resource, action: 'Add', owners: ownerKeys(resource, owner), values })
  }
  for (const { resource, id, values } of updates) {
    if (restricts(rights, resource, 'EditAfter')) planned.push({ resource, action: 'EditAfter', id, values })
  }
  return [...planned, ...linkedRows(changes, rights)]
}

/** Rows of which only the links change: they are stored as they are. */
function linkedRows(changes: Changes, rights: Rights): readonly EditedRow[] {
  const { updates } = changes
  return changedRows(changes, rights).all.flatMap(({ resource, action, rows }) => {
    const isSet = (id: Id) => updates.some((update) => update.resource === resource && update.id === id)
    const ids = [...rows.keys()].filter((row) => !isNew(row) && !isSet(row))
    return action === 'EditAfter' ? (ids as Id[]).map((id) => ({ resource, action, id, values: [] })) : []
  })
}

function ownerKeys(
  { ownedBy }: Resource,
  owner: { readonly by: OwnedBy; readonly id: RowId } | undefined,
): readonly (Id | null)[] {
  return ownedBy.map((by) => (owner?.by === by && !isNew(owner.id) ? owner.id : null))
}
