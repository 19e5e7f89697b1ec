import { tenantIn } from '../../model/callers.ts'
import type { Id } from '../../model/ids/id-kind.ts'
import type { Model, Resource } from '../../model/model.ts'

/** The column of the library's own tables that says whose a row is, and the slot of their queries for it. */
export const WHOSE = 'tenant'

/** In that column, for what is no tenant's. */
export const NO_ONES = ''

export type WhoseRow = { readonly [WHOSE]: string }

/** Whose the row of a request is. */
export function whoseRequest(asker: unknown): WhoseRow {
  return { [WHOSE]: String(tenantIn(asker) ?? NO_ONES) }
}

/** Whose a row about records of a resource is: what all tenants share is no tenant's, and a tenant's own record is not
 * either: its id may not be known yet. */
export function whoseRecord(asker: unknown, of: Resource | undefined): WhoseRow {
  return of?.tenant?.isOwnId === false ? whoseRequest(asker) : { [WHOSE]: NO_ONES }
}

/** Whether whoever asks may be told of a record in a row of that column: a tenant's are told to that tenant alone. */
export function isToldTo(model: Model, asker: unknown): (row: string, key: string, id: Id) => boolean {
  if (model.tenant === undefined) return () => true
  const tenant = tenantIn(asker)
  return (row, key, id) => {
    const ofResource = model.resources.get(key)?.tenant
    if (ofResource === undefined) return true
    return ofResource.isOwnId ? id === tenant : tenant !== null && row === String(tenant)
  }
}
