import type { Json } from './json.ts'
import {
  type Access,
  type Caller,
  type Condition,
  keyColumnsOf,
  type PolicySpec,
  type PolicySpecs,
  type RuleSpec,
  type RuleSpecs,
} from './policy-spec.ts'
import { madeOf } from './random-fields.ts'
import type { RefField, RefModel, RefResource } from './reference-model.ts'
import type { Tape } from './tape.ts'

/** The roles that policies and fields name. */
export const ROLES = ['member', 'staff']

/** Policies for a model's resources, and callers with some of the roles, or none. */
export function randomAccess(model: RefModel, tape: Tape): Access {
  const policies: Record<string, PolicySpec> = {}
  const earlier = new Set<string>()
  for (const resource of model.resources.values()) {
    if (resource.isRoot || tape.upTo(3) > 0) policies[resource.key] = randomPolicy({ resource, earlier, tape })
    earlier.add(resource.key)
  }
  const rolesOf = [ROLES, ['member'], tape.once(2) ? [] : ['staff', 'nobody']]
  return { policies, callers: rolesOf.map((roles) => randomCaller(model, policies, roles, tape)) }
}

/** What a policy is made for. */
interface Asked {
  readonly resource: RefResource
  /** Resources whose policies do not ask for this one's: those that came before, as its owners did. */
  readonly earlier: ReadonlySet<string>
  readonly tape: Tape
}

function randomPolicy(asked: Asked): PolicySpec {
  const { tape } = asked
  if (tape.upTo(3) < 2) return { forAll: randomRules(asked) }
  const roles = tape.once(2) ? ROLES : [tape.of(ROLES) ?? 'member']
  return { byRole: Object.fromEntries(roles.map((role) => [role, randomRules(asked)])) }
}

function randomRules(asked: Asked): RuleSpecs {
  const { tape } = asked
  const rule = randomRule(asked)
  if (tape.once(4)) return { View: rule, Add: rule, EditBefore: rule, EditAfter: rule, Delete: rule }
  // A rule for each action would seldom allow what a request does.
  const own = (): RuleSpec => (tape.upTo(5) < 3 ? true : tape.once(2) ? rule : randomRule(asked))
  const EditBefore = own()
  return {
    View: tape.once(3) ? true : rule,
    Add: tape.upTo(2) === 0 ? true : own(),
    EditBefore,
    EditAfter: tape.once(3) ? own() : EditBefore,
    Delete: tape.once(3) ? randomRule(asked) : own(),
  }
}

function randomRule(asked: Asked): RuleSpec {
  const { tape } = asked
  switch (tape.upTo(8)) {
    case 0:
    case 1:
      return true
    case 2:
      return !tape.once(2)
    default:
      return randomCondition(asked, 0)
  }
}

/** Kinds of which a column takes the values as they are. */
const COMPARED = ['Type.String(…)', 'Type.String({ minLength: 1', 'Type.Integer(', 'Type.Union(']

/** Not read-only fields: the database gives them their values, so nobody can say what a policy makes of a row that is only planned. */
function isCompared({ schema, readOnly }: RefField): boolean {
  return !readOnly && COMPARED.some((source) => madeOf(schema).kind.source.startsWith(source))
}

function randomCondition(asked: Asked, depth: number): RuleSpec {
  const { tape } = asked
  if (depth < 2 && tape.once(4)) {
    const [one, other] = [randomCondition(asked, depth + 1), randomCondition(asked, depth + 1)]
    if (typeof one === 'boolean' || typeof other === 'boolean') return one
    return { is: tape.once(2) ? 'and' : 'or', of: [one, other] }
  }
  if (depth < 2 && tape.once(6)) {
    const one = randomCondition(asked, depth + 1)
    return typeof one === 'boolean' ? one : { is: 'not', of: one }
  }
  return randomComparison(asked)
}

function randomComparison(asked: Asked): Condition | boolean {
  const { resource, earlier, tape } = asked
  const keys = keyColumnsOf(resource)
  const fields = resource.fields.filter(isCompared)
  const isOfField = fields.length > 0 && (keys.length === 0 || tape.once(2))
  const property = isOfField ? tape.of(fields)?.name : tape.of(keys)?.name
  if (property === undefined) return true
  const isNull: Condition = { is: 'null', property }
  if (tape.once(4)) return tape.once(2) ? isNull : { is: 'not', of: isNull }
  const target = isOfField ? undefined : keys.find((key) => key.name === property)?.target
  if (target !== undefined && earlier.has(target) && tape.once(3)) {
    return { is: 'can', action: tape.of(['View', 'Edit', 'Delete'] as const) ?? 'View', target, property }
  }
  const name = `${resource.key} ${property}`
  const values = valuesOf(resource, property)
  if (!isOfField || tape.once(2) || values.length === 0) {
    const mine: Condition = { is: 'mine', property, name }
    return tape.once(2) ? { is: 'or', of: [mine, isNull] } : mine
  }
  if (tape.once(2)) return { is: 'constant', property, value: tape.of(values) ?? null }
  return { is: 'in', property, values: [tape.of(values) ?? null, tape.of(values) ?? null] }
}

/** Values that rows are likely to have there. */
function valuesOf(resource: RefResource, property: string): readonly Json[] {
  const field = resource.fields.find(({ name }) => name === property)
  if (field === undefined) return []
  const { kind } = madeOf(field.schema)
  const numbered = kind.numbered === undefined ? [] : [0, 1, 2].map(kind.numbered)
  const isUnique = resource.uniques.some(({ names }) => names.includes(property))
  return isUnique ? numbered : kind.values.slice(0, 3)
}

function randomCaller(model: RefModel, policies: PolicySpecs, roles: readonly string[], tape: Tape): Caller {
  const values: Record<string, Caller['values'][string]> = {}
  for (const key of Object.keys(policies)) {
    const resource = model.resources.get(key)
    if (resource === undefined) continue
    for (const { name, target } of keyColumnsOf(resource)) {
      const value = tape.once(6) ? null : 1 + tape.upTo(4)
      values[`${key} ${name}`] = { value, idOf: value === null ? undefined : target }
    }
    for (const { name } of resource.fields.filter(isCompared)) {
      const value = tape.once(6) ? null : (tape.of(valuesOf(resource, name)) ?? null)
      values[`${key} ${name}`] = { value, idOf: undefined }
    }
  }
  return { roles, values }
}
