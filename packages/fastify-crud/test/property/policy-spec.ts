import type { Json } from './json.ts'
import type { RefModel, RefResource } from './reference-model.ts'

/** Policies as data: both the service's and the reference's are made of them. By the resource's key. */
export type PolicySpecs = Readonly<Record<string, PolicySpec>>

export type PolicySpec = { readonly forAll: RuleSpecs } | { readonly byRole: Readonly<Record<string, RuleSpecs>> }

export const rowActions = ['View', 'Add', 'EditBefore', 'EditAfter', 'Delete'] as const
export type RowAction = (typeof rowActions)[number]

export type RuleSpecs = Readonly<Record<RowAction, RuleSpec>>

export type RuleSpec = boolean | Condition

/** `property` is a field or a foreign key of the row. */
export type Condition =
  | { readonly is: 'constant'; readonly property: string; readonly value: Json }
  | { readonly is: 'mine'; readonly property: string; readonly name: string }
  | { readonly is: 'in'; readonly property: string; readonly values: readonly Json[] }
  | { readonly is: 'null'; readonly property: string }
  /** Another resource's policy. `property` is a foreign key that names a record of it. */
  | {
      readonly is: 'can'
      readonly action: 'View' | 'Edit' | 'Delete'
      readonly target: string
      readonly property: string
    }
  | { readonly is: 'not'; readonly of: Condition }
  | { readonly is: 'and' | 'or'; readonly of: readonly [Condition, Condition] }

/** Who sends a request. */
export interface Caller {
  readonly roles: readonly string[]
  /** What `my(…)` stands for. */
  readonly values: Readonly<Record<string, CallerValue>>
}

export interface CallerValue {
  readonly value: Json
  /** The resource of which the value is an id of the reference's; undefined for any other value. */
  readonly idOf: string | undefined
}

/** Policies, and those who send requests. `undefined` as a request's caller stands for the system, which may do everything. */
export interface Access {
  readonly policies: PolicySpecs
  readonly callers: readonly Caller[]
}

/** What no record's id ever is. */
export const NO_RECORD = -1

/** A column that holds the id of another record, or of the owner. */
export interface KeyColumn {
  readonly name: string
  readonly column: string
  readonly target: string
}

export function keyColumnsOf({ references, owners }: RefResource): KeyColumn[] {
  return [
    ...references.map(({ foreignKey, column, target }) => ({ name: foreignKey, column, target })),
    ...owners.map(({ name, column, target }) => ({ name: `owner ${name}`, column, target })),
  ]
}

/** The column that a condition's property stands for. */
export function columnOf(resource: RefResource, property: string): string {
  const found = [...keyColumnsOf(resource), ...resource.fields].find(({ name }) => name === property)
  if (found === undefined) throw new Error(`${resource.key} has no ${property}`)
  return found.column
}

/** The policies of the resources that the model has. */
export function policiesIn(model: RefModel, policies: PolicySpecs): PolicySpecs {
  return Object.fromEntries(Object.entries(policies).filter(([key]) => model.resources.has(key)))
}
