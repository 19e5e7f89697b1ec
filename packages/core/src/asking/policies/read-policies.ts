import { FunctionNode, type OperationNode, RawNode, SelectQueryNode, ValueNode } from 'kysely'
import { didYouMean } from '../../model/check/names.ts'
import { isObject } from '../../model/is-object.ts'
import type { Model, Resource } from '../../model/model.ts'
import { buildExpression } from './build-expression.ts'
import { OtherPolicy } from './callers-type.ts'
import { hasText, namesIn, nodesIn } from './columns-of-tables.ts'
import {
  mayHide,
  ownersOf,
  type PolicyCondition,
  type Rights,
  type RowRule,
  type RowRules,
  rowRules,
} from './rights.ts'

/** Policies as they were checked and built at start. */
export interface PolicySet {
  /** A resource without a policy of its own is missing. */
  readonly rules: ReadonlyMap<Resource, ResourcePolicy>
  /** The roles that the policies name. */
  readonly roles: ReadonlySet<string>
  /** All conditions, with the resource whose rows they are about. */
  readonly conditions: readonly ResourceCondition[]
  /** Whether they ask who the caller is. */
  readonly asksForCaller: boolean
}

interface ResourceCondition {
  readonly resource: Resource
  readonly condition: PolicyCondition
}

/** The rules of one resource: for everybody, or for each role that has any. */
type ResourcePolicy = { readonly forAll: RowRules } | { readonly byRole: ReadonlyMap<string, RowRules> }

/** Policies while they are read. */
interface Reading {
  readonly model: Model
  readonly problems: string[]
  readonly conditions: ResourceCondition[]
  /** What each function has become: one condition, however many roles and actions have it. */
  readonly built: Map<Resource, Map<unknown, PolicyCondition & { readonly places: string[] }>>
  /** The other resources whose policies a resource's policy asks for. */
  readonly others: Map<Resource, Set<Resource>>
}

/** Builds every expression once. Throws a TypeError that lists all that is wrong with the policies. */
export function readPolicies(model: Model, given: unknown): PolicySet {
  if (!isObject(given)) throw new TypeError('policies: must be an object with an entry for each resource')
  const reading: Reading = { model, problems: [], conditions: [], built: new Map(), others: new Map() }
  const { problems, conditions } = reading
  const rules = new Map<Resource, ResourcePolicy>()
  for (const [key, policy] of Object.entries(given)) {
    const resource = model.resources.get(key)
    if (resource === undefined) {
      problems.push(`policies.${key}: there is no resource '${key}'${didYouMean(key, model.resources.keys())}`)
    } else if (policy !== undefined) rules.set(resource, policyOf(reading, resource, policy))
  }
  for (const resource of model.resources.values()) {
    if (!resource.isRoot || rules.has(resource) || resource.isPublic) continue
    const why = 'each resource whose records can be without an owner needs a policy, such as true for all rows'
    problems.push(`policies.${resource.key}: is missing; ${why}`)
  }
  for (const resource of circles(reading)) {
    problems.push(`policies.${resource.key}: its can(…) asks for a policy that asks for this one`)
  }
  if (problems.length > 0) throw new TypeError(problems.join('\n'))
  const roles = new Set([...rules.values()].flatMap((one) => ('byRole' in one ? [...one.byRole.keys()] : [])))
  const asksForValues = conditions.some(({ condition }) => condition.values.length > 0)
  return { rules, roles, conditions, asksForCaller: roles.size > 0 || asksForValues }
}

function policyOf(reading: Reading, resource: Resource, policy: unknown): ResourcePolicy {
  const place = `policies.${resource.key}`
  if (!isObject(policy) || Object.keys(policy).some(isAction)) {
    return { forAll: rulesOf(reading, resource, policy, place, false) }
  }
  const entries = Object.entries(policy)
  for (const [name] of entries) {
    const action = actionLike(name)
    if (action !== undefined)
      reading.problems.push(`${place}.${name}: a role cannot have this name; write the action as ${action}`)
  }
  if (entries.length === 0) reading.problems.push(`${place}: is empty; write false to allow nothing`)
  return {
    byRole: new Map(
      entries.map(([role, rules]) => [role, rulesOf(reading, resource, rules, `${place}.${role}`, true)]),
    ),
  }
}

const ACTIONS = ['View', 'Add', 'Edit', 'Delete'] as const

function isAction(name: string): boolean {
  return ACTIONS.some((action) => action === name)
}

/** The action that a name is but for its case. */
function actionLike(name: string): string | undefined {
  return ACTIONS.find((action) => action.toLowerCase() === name.toLowerCase())
}

/** One rule for all actions, or one for each. An action that is missing is allowed to nobody. */
function rulesOf(reading: Reading, resource: Resource, given: unknown, place: string, isOfRole: boolean): RowRules {
  const read = (rule: unknown, at: string) => ruleOf(reading, resource, rule, at, isOfRole)
  if (!isObject(given)) {
    const rule = read(given, place)
    return rowRules(() => rule)
  }
  for (const name of Object.keys(given)) {
    if (isAction(name)) continue
    const why = isOfRole ? `an action is one of ${ACTIONS.join(', ')}` : 'actions and roles cannot be mixed'
    const action = actionLike(name)
    const hint = action === undefined ? why : `write the action as ${action}`
    reading.problems.push(`${place}.${name}: is not an action; ${hint}`)
  }
  const ofAction = (action: 'View' | 'Add' | 'Delete') => read(orNobody(given[action]), `${place}.${action}`)
  const [EditBefore, EditAfter] = editRules(reading, orNobody(given.Edit), `${place}.Edit`, read)
  return { View: ofAction('View'), Add: ofAction('Add'), EditBefore, EditAfter, Delete: ofAction('Delete') }
}

function orNobody(rule: unknown): unknown {
  return rule === undefined ? false : rule
}

/** For a row as it was, and as it is stored. */
function editRules(
  { problems }: Reading,
  given: unknown,
  place: string,
  read: (rule: unknown, at: string) => RowRule,
): readonly [RowRule, RowRule] {
  if (!isObject(given)) {
    const rule = read(given, place)
    return [rule, rule]
  }
  const { before, after, ...others } = given
  if (before === undefined || after === undefined || Object.keys(others).length > 0) {
    problems.push(`${place}: must have 'before' and 'after', and nothing else, or be one rule for both`)
    return [false, false]
  }
  return [read(before, `${place}.before`), read(after, `${place}.after`)]
}

function ruleOf(reading: Reading, resource: Resource, given: unknown, place: string, isOfRole: boolean): RowRule {
  if (typeof given === 'boolean') return given
  const { model, problems, conditions, built, others: othersOf } = reading
  if (typeof given !== 'function') {
    problems.push(`${place}: must be true, false, or a function that returns an expression of Kysely's`)
    return false
  }
  const known = built.get(resource)?.get(given)
  if (known !== undefined) {
    known.places.push(place)
    return [known]
  }
  try {
    const { expression, values, others } = buildExpression(model, resource, given as (on: object) => unknown)
    othersOf.set(resource, new Set([...(othersOf.get(resource) ?? []), ...others]))
    const names = namesIn(expression)
    const condition = {
      expression,
      hasText: hasText(expression),
      names,
      places: [place],
      values,
      needsAll: isOfRole,
      readsOthers: readsOthers(expression),
    }
    built.set(resource, (built.get(resource) ?? new Map()).set(given, condition))
    conditions.push({ resource, condition })
    return [condition]
  } catch (error) {
    problems.push(`${place}: ${error instanceof Error ? error.message : String(error)}`)
    return false
  }
}

/** The resources whose policy asks, by way of others, for itself. A policy also asks for those of the resource's
 * owners. */
function circles({ others }: Reading): readonly Resource[] {
  return [...others.keys()].filter((resource) => {
    const asked = new Set(others.get(resource))
    // A set grows while it is walked.
    for (const one of asked) for (const next of [...(others.get(one) ?? []), ...ownersOf(one)]) asked.add(next)
    return asked.has(resource)
  })
}

/**
 * Whether an expression may look at more than its row: it has a subquery, asks another policy, calls a function, or has
 * SQL text, of which nobody knows what it does.
 */
function readsOthers(expression: OperationNode): boolean {
  return nodesIn(expression).some((node) => {
    if (RawNode.is(node)) return node.sqlFragments.some((text) => /\w/.test(text))
    if (ValueNode.is(node)) return node.value instanceof OtherPolicy
    return SelectQueryNode.is(node) || FunctionNode.is(node)
  })
}

/** What callers with these roles may do. A role that no policy names changes nothing. */
export function rightsOf({ rules }: PolicySet, roles: ReadonlySet<string>): Rights {
  const own = new Map<Resource, RowRules>()
  for (const [resource, policy] of rules) {
    const mine = 'forAll' in policy ? [policy.forAll] : rulesOfRoles(policy.byRole, roles)
    own.set(
      resource,
      rowRules((action) => anyOf(mine.map((one) => one[action]))),
    )
  }
  return { rules: own }
}

function rulesOfRoles(byRole: ReadonlyMap<string, RowRules>, roles: ReadonlySet<string>): readonly RowRules[] {
  return [...byRole].flatMap(([role, one]) => (roles.has(role) ? [one] : []))
}

function anyOf(rules: readonly RowRule[]): RowRule {
  if (rules.includes(true)) return true
  const conditions = rules.flatMap((rule) => (typeof rule === 'boolean' ? [] : rule))
  return conditions.length === 0 ? false : [...new Set(conditions)]
}

/** The keys of the resources of which policies hide records from some callers. */
export function hidingIn(set: PolicySet, model: Model): readonly string[] {
  // With one role after the other, as two roles never see less than one. Somebody may have none of them.
  const rights = [[], ...[...set.roles].map((role) => [role])].map((roles) => rightsOf(set, new Set(roles)))
  const hidden = [...model.resources.values()].filter((resource) => rights.some((one) => mayHide(one, resource)))
  return hidden.map(({ key }) => key)
}

/** Tells rights apart: two that allow the same have the same key, whichever roles they come from. */
export function rightsKey({ conditions }: PolicySet, { rules }: Rights): string {
  const numbers = new Map(conditions.map(({ condition }, index) => [condition, index]))
  const keyOf = (rule: RowRule) => {
    return typeof rule === 'boolean'
      ? String(rule)
      : rule
          .map((one) => numbers.get(one))
          .toSorted()
          .join('+')
  }
  return [...rules.values()].map((ofResource) => Object.values(ofResource).map(keyOf).join()).join(';')
}
