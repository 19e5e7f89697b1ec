import type { OperationNode } from 'kysely'
import type { Relation, Resource } from '../../model/model.ts'
import type { CallersType } from './callers-type.ts'

/** Stands in an expression for a value of the caller, which each request brings: `my('org')`. */
export class CallerValue {
  readonly name: string
  /** Undefined while the expression is built, where nobody has said it: then that of the column beside it. */
  readonly type: CallersType | undefined

  constructor(name: string, type: CallersType | undefined) {
    this.name = name
    this.type = type
  }
}

/** A value of the caller whose type is known. */
export interface TypedCallerValue {
  readonly name: string
  readonly type: CallersType
}

/** Stands in an expression for the id of the tenant who asks: `my.tenant`. */
export class TenantValue {}

/** Stands in an expression for another resource's policy: `can('View', 'project', eb.ref('projectId'))`. */
export class OtherPolicy {
  readonly action: OtherAction
  readonly resource: Resource
  /** The id of the record. */
  readonly id: OperationNode
  readonly idType: CallersType

  constructor(action: OtherAction, resource: Resource, id: OperationNode, idType: CallersType) {
    this.action = action
    this.resource = resource
    this.id = id
    this.idType = idType
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
