import type { Model, Resource } from './model.ts'
import { keepsHistory } from './resource-tree.ts'

/** What can be done with the records of a resource. */
export type Operation = 'list' | 'findOne' | BodyOperation | 'delete' | TrashOperation | HistoryOperation

/** What can be done with deleted records: to see them, to bring one back, and to remove one for good. */
export type TrashOperation = 'deleted' | 'restore' | 'purge'

/** What can be done with the writes that have touched a record: to see them, and to undo one. */
export type HistoryOperation = 'history' | 'undo'

/** The operations that have a body: POST, PUT and PATCH. */
export type BodyOperation = 'create' | UpdateOperation

/** The operations that change a record: PUT and PATCH. */
export type UpdateOperation = 'replace' | 'patch'

/** Whether there are requests for it. */
export function serves(resource: Resource, operation: Operation): boolean {
  const { isWritable, hasId, trash } = resource
  switch (operation) {
    case 'history':
    case 'undo':
      return keepsHistory(resource)
    case 'list':
      return true
    case 'findOne':
      return hasId
    case 'deleted':
    case 'restore':
      return trash !== undefined
    case 'purge':
      return trash?.purges === true
    default:
      return isWritable
  }
}

/**
 * Whether a service does it without a handler of the application's. Only the application makes tenants. Where the
 * database counts ids, it does so for all tenants, so none chooses one. `hasId`: the path has the id of the new record.
 */
export function isPredefined({ tenant, id }: Resource, operation: Operation, hasId: boolean): boolean {
  if (operation !== 'create' || tenant === undefined) return true
  return !tenant.isOwnId && !(hasId && id.assignedBy === 'database')
}

/** Why no client chooses the id of a new record; undefined: it may. */
export function whyNotChosen({ tenant, id }: Resource): string | undefined {
  if (tenant?.isOwnId !== false || id.assignedBy !== 'database') return undefined
  return 'cannot be chosen: the database counts the ids of all tenants'
}

/** Whether a service says that it does it, without a handler of the application's: none of the tenants writes what all
 * of them share, so such requests are refused whatever they say. */
export function isDescribed(model: Model, resource: Resource, operation: Operation, hasId: boolean): boolean {
  const isShared = model.tenant !== undefined && resource.tenant === undefined
  return isPredefined(resource, operation, hasId) && (!isShared || reads(operation))
}

/** Whether requests for it change nothing. */
export function reads(operation: Operation): boolean {
  return READS.has(operation)
}

const READS: ReadonlySet<Operation> = new Set(['list', 'findOne', 'deleted', 'history'])

/** What the descriptor says of records that nobody writes. */
export function whyUnwritten({ hasId }: Pick<Resource, 'hasId'>): string {
  return hasId ? 'writable: false' : 'id: false'
}
