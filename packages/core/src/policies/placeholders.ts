import type { OperationNode } from 'kysely'

/** Stands in an expression for a value of the caller, which each request brings: `my('org')`. */
export class CallerValue {
  readonly name: string

  constructor(name: string) {
    this.name = name
  }
}

/** Stands in an expression for another resource's policy: `can('View', 'project', eb.ref('projectId'))`. */
export class OtherPolicy {
  readonly action: OtherAction
  /** The key of the resource. */
  readonly resource: string
  /** The id of the record. */
  readonly id: OperationNode

  constructor(action: OtherAction, resource: string, id: OperationNode) {
    this.action = action
    this.resource = resource
    this.id = id
  }
}

export const OTHER_ACTIONS = ['View', 'Edit', 'Delete'] as const
export type OtherAction = (typeof OTHER_ACTIONS)[number]
