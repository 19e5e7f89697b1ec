import type { OperationNode } from 'kysely'
import type { Resource } from '../../model/model.ts'
import type { TypedCallerValue } from './callers-type.ts'

/** What is done to a row, as far as policies tell it apart: `EditBefore` asks about the row as it was, `EditAfter` as
 * it is stored. */
export type RowAction = 'View' | 'Add' | 'EditBefore' | 'EditAfter' | 'Delete'

/** An expression over a row of a resource's table. It was built once, for all requests. */
export interface TableExpression {
  readonly expression: OperationNode
  /** The expression contains SQL text, in which no name can be told from another. */
  readonly hasText: boolean
  /** All names in it: a statement cannot call the row by one of them. */
  readonly names: ReadonlySet<string>
}

/** An expression of a policy. */
export interface PolicyCondition extends TableExpression {
  /** Where it was written, such as `policies.order.clerk.View`: several where they have the same function. */
  readonly places: readonly string[]
  /** The caller's values that it asks for. If one is of another type, the condition is false, whatever the expression
   * says. */
  readonly values: readonly TypedCallerValue[]
  /** The condition is false also if the caller lacks one of the values. */
  readonly needsAll: boolean
  /** It may look at more than its row, so it may change although the row does not. */
  readonly readsOthers: boolean
}

/** For which rows a caller may do something: all, none, or those for which one of the conditions is true. */
export type RowRule = boolean | readonly PolicyCondition[]

export type RowRules = Readonly<Record<RowAction, RowRule>>

export function rowRules(ruleOf: (action: RowAction) => RowRule): RowRules {
  return {
    View: ruleOf('View'),
    Add: ruleOf('Add'),
    EditBefore: ruleOf('EditBefore'),
    EditAfter: ruleOf('EditAfter'),
    Delete: ruleOf('Delete'),
  }
}

/** What callers with the same roles may do with the rows of each resource. */
export interface Rights {
  /** A resource that is missing has no policy of its own: what its owner's policy says holds for its rows. */
  readonly rules: ReadonlyMap<Resource, RowRules>
}

/** Whether a policy may keep rows of the resource from being seen: its own, or that of an owner, up to the root. */
export function mayHide(rights: Rights | undefined, resource: Resource): boolean {
  if (rights === undefined) return false
  return hidesSome(rights, resource) || ownersOf(resource).some((owner) => mayHide(rights, owner))
}

/** Whether a policy of its own may keep something that a record owns from being seen, although the record is. */
export function mayHideOwned(rights: Rights | undefined, resource: Resource): boolean {
  if (rights === undefined) return false
  return resource.owns.some(({ target }) => {
    return hidesSome(rights, target) || (target !== resource && mayHideOwned(rights, target))
  })
}

/** The resources that own records of this one, besides itself. */
export function ownersOf(resource: Resource): readonly Resource[] {
  return resource.ownedBy.flatMap(({ target }) => (target === resource ? [] : [target]))
}

/** Whether the resource's own policy may keep rows from being seen. */
export function hidesSome(rights: Rights | undefined, resource: Resource): boolean {
  return restricts(rights, resource, 'View')
}

/** Whether the resource has a policy of its own that may forbid the action with some rows. */
export function restricts(rights: Rights | undefined, resource: Resource, action: RowAction): boolean {
  return (rights?.rules.get(resource)?.[action] ?? true) !== true
}

/** Whether a policy may forbid the action with rows of the resource: its own or, without one, that of an owner. To see
 * them, each counts. */
export function mayForbid(rights: Rights | undefined, resource: Resource, action: RowAction): boolean {
  if (rights === undefined) return false
  if (action === 'View') return mayHide(rights, resource)
  const rules = rights.rules.get(resource)
  if (rules !== undefined) return rules[action] !== true
  return ownersOf(resource).some((owner) => mayForbid(rights, owner, ofOwner(action)))
}

/**
 * Whether policies forbid the action with every row of the resource, whatever it holds: its own or, without one, that
 * of each owner. To see a row, each counts, and so does seeing an owner.
 */
export function forbidsAll(rights: Rights, resource: Resource, action: RowAction): boolean {
  const own = rights.rules.get(resource)?.[action]
  if (own === false) return true
  const isOfOwner = action === 'View' || action === 'Add'
  if (own !== undefined && !isOfOwner) return false
  const owners = resource.isRoot ? [] : ownersOf(resource)
  const cannotBe = (owner: Resource) =>
    (isOfOwner && forbidsAll(rights, owner, 'View')) ||
    (own === undefined && action !== 'View' && forbidsAll(rights, owner, ofOwner(action)))
  return owners.length > 0 && owners.every(cannotBe)
}

/** Whether a policy that decides on the action may look at more than the row itself: then it may change although the
 * row does not. */
export function restsOnOthers(rights: Rights, resource: Resource, action: RowAction): boolean {
  const own = rights.rules.get(resource)
  const rule = own?.[action] ?? true
  if (typeof rule !== 'boolean' && rule.some((condition) => condition.readsOthers)) return true
  if (own !== undefined && action !== 'View') return false
  const ofOwners = action === 'View' ? action : ofOwner(action)
  return ownersOf(resource).some((owner) => restsOnOthers(rights, owner, ofOwners))
}

/** Whether the resource's own policy allows the action with every row that it shows: each condition of `View` is one of
 * the action's. */
export function allowsWhatItShows({ rules }: Rights, resource: Resource, action: RowAction): boolean {
  const own = rules.get(resource)
  if (own === undefined || typeof own.View === 'boolean') return false
  const allowing = own[action]
  return typeof allowing !== 'boolean' && own.View.every((condition) => allowing.includes(condition))
}

/**
 * Whether a row that may be edited, and stays as it is, still may be when others have changed: one rule speaks of it
 * before and after, and looks at nothing but the row.
 */
export function staysEditable(rights: Rights, resource: Resource): boolean {
  const own = rights.rules.get(resource)
  if (own === undefined) return ownersOf(resource).every((owner) => staysEditable(rights, owner))
  const { EditBefore: before, EditAfter: after } = own
  if (after === true || before === false) return true
  if (before === true || after === false) return false
  return before.every((condition) => !condition.readsOthers && after.includes(condition))
}

/** What the owner's policy is asked where a resource has none. */
export function ofOwner(action: RowAction): RowAction {
  return action === 'EditAfter' || action === 'Add' ? 'EditAfter' : 'EditBefore'
}
