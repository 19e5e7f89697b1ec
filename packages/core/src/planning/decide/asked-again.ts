import { mayForbid, type Rights, type RowAction, restsOnOthers } from '../../asking/policies/rights.ts'
import type { Id } from '../../model/ids/id-kind.ts'
import type { Resource } from '../../model/model.ts'
import { rearranged } from '../diff/arrange.ts'
import { rowMembers } from '../rows.ts'
import {
  editedRecords,
  type GuardedRows,
  type OwnRecords,
  ownersEdited,
  type PlannedDiff,
  RowsByAction,
} from './guarded-rows.ts'
import type { Lookups } from './lookups.ts'
import { isShared } from './planned-actions.ts'

/**
 * The rights that a write rests on, and that others may take away while it is under way: they are asked again behind
 * its statements. What looks at nothing but a row of the request's own tree is left out: the lock of the tree keeps
 * that row as it is. So is what the write itself changes a column of, as the right may be one to change it for good.
 */
export function askedAgain(
  diff: PlannedDiff,
  existing: Lookups['existing'],
  rights: Rights,
  own: OwnRecords,
): readonly GuardedRows[] {
  const again = new RowsByAction<Id>('again')
  const add = (resource: Resource, id: Id, ...actions: readonly RowAction[]) => {
    for (const action of actions) {
      const isAsked = restsOnOthers(rights, resource, action) && !changesReason(diff, rights, resource, id, action)
      if (isAsked) again.add(action, resource, id, undefined)
    }
  }
  for (const { id, draft } of editedRecords(diff)) add(draft.resource, id, 'View', 'EditBefore')
  for (const { array, owner } of rearranged(diff.changes)) add(array.source, owner, 'View', 'EditBefore')
  for (const { by, id } of own.owners) add(by.target, id, 'View')
  for (const { by, id } of ownersEdited(rights, own)) add(by.target, id, 'EditBefore')
  // Other records are locked by nobody.
  const addOther = (action: RowAction, resource: Resource, id: Id) => {
    if (mayForbid(rights, resource, action)) again.add(action, resource, id, undefined)
  }
  for (const [resource, ids] of existing) for (const id of ids) addOther('View', resource, id)
  for (const { link, to } of [...diff.changes.linked, ...diff.changes.unlinked]) {
    if (isShared(link)) addOther('EditBefore', link.target, to)
  }
  return again.all
}

/** What is asked once more if rules have run since: what others may have taken away meanwhile. */
export function askedAfterRules(guarded: readonly GuardedRows[], rights: Rights | undefined): readonly GuardedRows[] {
  if (rights === undefined) return NONE
  return guarded
    .filter(({ resource, action, when }) => when === 'again' || restsOnOthers(rights, resource, action))
    .map((one) => ({ ...one, when: 'again' }))
}

const NONE: readonly never[] = []

/** Whether the write sets a column of the row that its own policy names. */
function changesReason(
  { changes }: PlannedDiff,
  rights: Rights,
  resource: Resource,
  id: Id,
  action: RowAction,
): boolean {
  const rule = rights.rules.get(resource)?.[action] ?? true
  const update = changes.updates.find((one) => one.resource === resource && one.id === id)
  if (update === undefined || typeof rule === 'boolean') return false
  return rowMembers(resource).some(
    ({ column, position }) => update.values[position] !== undefined && rule.some(({ names }) => names.has(column)),
  )
}
