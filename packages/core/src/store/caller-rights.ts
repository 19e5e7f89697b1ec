import type { AskedAction } from '../actions/action.ts'
import { forbidsAll, type Rights } from '../asking/policies/rights.ts'
import type { FieldRights } from '../model/field-rights.ts'
import type { Resource } from '../model/model.ts'

/** What callers with the same roles may do, before any record is looked at. */
export interface CallerRights {
  /** Equal for callers with the same rights. */
  readonly key: string
  readonly fields: FieldRights
  /** Whether policies forbid the action with every record of the resource. */
  forbids(resource: Resource, action: AskedAction): boolean
}

/** `rights`: undefined where there are no policies. */
export function callerRights(key: string, fields: FieldRights, rights: Rights | undefined): CallerRights {
  return {
    key,
    fields,
    forbids: (resource, action) => rights !== undefined && forbidsWith(rights, resource, action),
  }
}

function forbidsWith(rights: Rights, resource: Resource, action: AskedAction): boolean {
  if (action === 'Add') return forbidsAll(rights, resource, 'Add')
  // What a caller cannot see, it can neither change nor delete.
  if (forbidsAll(rights, resource, 'View')) return true
  if (action === 'Edit') return forbidsAll(rights, resource, 'EditBefore') || forbidsAll(rights, resource, 'EditAfter')
  return action === 'Delete' && forbidsAll(rights, resource, 'Delete')
}
