import type { Resource } from './model.ts'

/** What can be done with the records of a resource. */
export type Operation = 'list' | 'findOne' | BodyOperation | 'delete'

/** The operations that have a body: POST, PUT and PATCH. */
export type BodyOperation = 'create' | UpdateOperation

/** The operations that change a record: PUT and PATCH. */
export type UpdateOperation = 'replace' | 'patch'

/** Whether there are requests for it. */
export function serves({ isWritable, hasId }: Resource, operation: Operation): boolean {
  switch (operation) {
    case 'list':
      return true
    case 'findOne':
      return hasId
    default:
      return isWritable
  }
}

/** What the descriptor says of records that nobody writes. */
export function whyUnwritten({ hasId }: Pick<Resource, 'hasId'>): string {
  return hasId ? 'writable: false' : 'id: false'
}
