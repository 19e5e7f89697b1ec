import type { OperationNode } from 'kysely'
import type { Relation } from '../model/model.ts'

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

/** Stands in an expression for the records at the other end of a relation: `related('lines')`, `visible('lines')`. */
export class RelatedRecords {
  readonly relation: Relation
  /** Leaves out records that the caller may not see. */
  readonly isVisible: boolean

  constructor(relation: Relation, isVisible: boolean) {
    this.relation = relation
    this.isVisible = isVisible
  }
}

export const OTHER_ACTIONS = ['View', 'Edit', 'Delete'] as const
export type OtherAction = (typeof OTHER_ACTIONS)[number]
