import type { Resource } from './model.ts'

/** What can be done with the records of a resource. */
export type Operation = 'list' | 'findOne' | BodyOperation | 'delete'

/** The operations that have a body: POST, PUT and PATCH. */
export type BodyOperation = 'create' | UpdateOperation

/** The operations that change a record: PUT and PATCH. */
export type UpdateOperation = 'replace' | 'patch'

/** Whether there are requests for it. */
export function serves({ isWritable }: Resource, operation: Operation): boolean {
  return operation === 'list' || operation === 'findOne' || isWritable
}
