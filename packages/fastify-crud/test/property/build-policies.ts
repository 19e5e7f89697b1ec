import type { Policies, PolicyBuilder, PolicyRule } from 'fastify-crud'
import type { Expression, SqlBool } from 'kysely'
import { type Condition, columnOf, type PolicySpecs, type RuleSpec, type RuleSpecs } from './policy-spec.ts'
import { type RefModel, type RefResource, resourceOf } from './reference-model.ts'

/** The policies as an application writes them down. */
export function buildPolicies(model: RefModel, specs: PolicySpecs): Policies {
  const entries = Object.entries(specs).map(([key, spec]): [string, NonNullable<Policies[string]>] => {
    const resource = resourceOf(model, key)
    if ('forAll' in spec) return [key, toRules(resource, spec.forAll)]
    const roles = Object.entries(spec.byRole).map(([role, rules]) => [role, toRules(resource, rules)])
    return [key, Object.fromEntries(roles)]
  })
  return Object.fromEntries(entries)
}

/** As one rule where all actions have the same one. What nobody may do is left out. */
function toRules(resource: RefResource, { View, Add, EditBefore, EditAfter, Delete }: RuleSpecs) {
  if ([Add, EditBefore, EditAfter, Delete].every((rule) => rule === View)) return toRule(resource, View)
  const Edit =
    EditBefore === EditAfter
      ? toRule(resource, EditBefore)
      : { before: toRule(resource, EditBefore), after: toRule(resource, EditAfter) }
  const rules = { View: toRule(resource, View), Add: toRule(resource, Add), Edit, Delete: toRule(resource, Delete) }
  return Object.fromEntries(Object.entries(rules).filter(([name, rule]) => rule !== false || name === 'View'))
}

function toRule(resource: RefResource, spec: RuleSpec): PolicyRule {
  if (typeof spec === 'boolean') return spec
  return (builder) => toExpression(resource, spec, builder)
}

function toExpression(resource: RefResource, condition: Condition, builder: PolicyBuilder): Expression<SqlBool> {
  const { eb, my, can } = builder
  const inner = (one: Condition): Expression<SqlBool> => toExpression(resource, one, builder)
  switch (condition.is) {
    case 'constant':
      return eb(columnOf(resource, condition.property), '=', condition.value)
    case 'mine':
      return eb(columnOf(resource, condition.property), '=', my(condition.name))
    case 'in':
      return eb(columnOf(resource, condition.property), 'in', condition.values)
    case 'null':
      return eb(columnOf(resource, condition.property), 'is', null)
    case 'can':
      return can(condition.action, condition.target, eb.ref(columnOf(resource, condition.property)))
    case 'not':
      return eb.not(inner(condition.of))
    case 'and':
      return eb.and(condition.of.map(inner))
    case 'or':
      return eb.or(condition.of.map(inner))
  }
}
