import type { RowAction } from '../asking/policies/rights.ts'
import type { BodyProblem } from '../errors.ts'
import type { Resource } from '../model/model.ts'
import type { JsonSchema } from '../model/values/schema-facts.ts'

/** A verb of the application, checked. */
export interface CheckedAction {
  readonly resource: Resource
  readonly name: string
  /** It is about one record; else about the collection. */
  readonly isOfRecord: boolean
  /** It only reads. */
  readonly isRead: boolean
  readonly asks: AskedAction
  /** Undefined: it takes none. */
  readonly body: ActionValue | undefined
  readonly query: ActionValue | undefined
  /** Undefined: the record is the answer. */
  readonly answer: ActionValue | undefined
  /** The resources whose records it changes; undefined: any. */
  readonly changes: readonly Resource[] | undefined
  /** What both get, only the types of `defineActions` know. */
  readonly prepare: ((input: object) => unknown) | undefined
  readonly run: (input: object) => unknown
}

/** By resource key, then by name. */
export type CheckedActions = ReadonlyMap<string, ReadonlyMap<string, CheckedAction>>

export const ASKED_ACTIONS = ['View', 'Add', 'Edit', 'Delete'] as const
export type AskedAction = (typeof ASKED_ACTIONS)[number]

/** What policies have to allow of the record; undefined: to see it. */
export const ROW_ACTIONS: Readonly<Record<AskedAction, RowAction | undefined>> = {
  View: undefined,
  Add: 'Add',
  Edit: 'EditBefore',
  Delete: 'Delete',
}

/** A body, a query or an answer. */
export interface ActionValue {
  /** With the objects closed that say nothing of further properties. */
  readonly schema: JsonSchema
  readonly isOptional: boolean
  check(value: unknown): readonly BodyProblem[]
}
