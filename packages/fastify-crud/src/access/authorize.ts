import type { Id } from '@fastify-crud/core'
import type { Operation } from '@fastify-crud/core/internal'
import type { FastifyRequest } from 'fastify'

export const ACTIONS = ['View', 'Add', 'Edit', 'Delete'] as const
export type Action = (typeof ACTIONS)[number]

/** What the application is asked before anything else. */
export const ACTION_OF: Readonly<Record<Operation, Action>> = {
  list: 'View',
  findOne: 'View',
  create: 'Add',
  replace: 'Edit',
  patch: 'Edit',
  delete: 'Delete',
  deleted: 'View',
  restore: 'Delete',
  purge: 'Delete',
  history: 'View',
  undo: 'Edit',
}

/** What is asked besides of the operations that show or bring back what is not there. */
export const ALSO_ASKED: Readonly<Partial<Record<Operation, Action>>> = { deleted: 'Delete', restore: 'Add' }

/** One action of a request on one resource. */
export interface AccessQuestion<K extends string = string, C = unknown> {
  readonly action: Action
  /** The resource's key. */
  readonly resource: K
  /** Of an action of the application: its name. `'describe'`: nothing is done yet; the answer says what a client may
   * offer. */
  readonly operation: Operation | (string & {})
  /**
   * The request's own record, for operations on a single one that is there; undefined for `list` and `create`, for a
   * PUT whose body does not carry an id, for an id that no record can have (0, or 2^53 and more), and for other
   * records. With `authorizedBy`, the owner that the path names.
   */
  readonly id: Id | undefined
  /** The request's own record: where the question comes from. */
  readonly origin: { readonly resource: K; readonly id: Id | undefined }
  /** What the option `caller` returned. */
  readonly caller: C
}

/**
 * Whether the request may do it: only `true` allows. Asked about the request's own endpoint before anything is read.
 * Then asked once about each other action on each other resource that a write turns out to contain, before anything is
 * written.
 */
export type Authorize<K extends string = string, C = unknown> = (
  request: FastifyRequest,
  question: AccessQuestion<K, C>,
) => boolean | Promise<boolean>
