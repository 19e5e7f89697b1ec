import type { Access, Condition, PolicySpec, RuleSpec, RuleSpecs } from './policy-spec.ts'
import type { Case } from './smaller-cases.ts'

/** The case with all callers the system, or with a policy, a role or a condition less. Some make no sense. */
export function smallerPolicies(one: Case): Case[] {
  const { access } = one
  if (access === undefined) return []
  return [...smallerAccess(access).map((smaller) => ({ ...one, access: smaller })), ...bySystem(one)]
}

function smallerAccess({ policies, callers }: Access): Access[] {
  return Object.entries(policies).flatMap(([key, policy]) => {
    const { [key]: _, ...others } = policies
    return [
      { policies: others, callers },
      ...plainerPolicies(policy).map((plainer) => ({ policies: { ...policies, [key]: plainer }, callers })),
    ]
  })
}

/** A request of a caller that the system might as well send. */
function bySystem(one: Case): Case[] {
  return one.requests.flatMap((request, index) => {
    if (request.caller === undefined) return []
    return [{ ...one, requests: one.requests.with(index, { ...request, caller: undefined }) }]
  })
}

function plainerPolicies(policy: PolicySpec): PolicySpec[] {
  if ('forAll' in policy) return plainerRules(policy.forAll).map((forAll) => ({ forAll }))
  return Object.entries(policy.byRole).flatMap(([role, rules]): PolicySpec[] => {
    const { [role]: _, ...others } = policy.byRole
    return [
      { forAll: rules },
      ...(Object.keys(others).length > 0 ? [{ byRole: others }] : []),
      ...plainerRules(rules).map((plainer) => ({ byRole: { ...policy.byRole, [role]: plainer } })),
    ]
  })
}

function plainerRules(rules: RuleSpecs): RuleSpecs[] {
  const { View, Add, EditBefore, EditAfter, Delete } = rules
  return [
    ...plainerRule(View).map((rule) => ({ ...rules, View: rule })),
    ...plainerRule(Add).map((rule) => ({ ...rules, Add: rule })),
    ...plainerRule(EditBefore).map((rule) => ({ ...rules, EditBefore: rule })),
    ...plainerRule(EditAfter).map((rule) => ({ ...rules, EditAfter: rule })),
    ...plainerRule(Delete).map((rule) => ({ ...rules, Delete: rule })),
  ]
}

function plainerRule(rule: RuleSpec): RuleSpec[] {
  if (rule === true) return []
  if (rule === false) return [true]
  return [true, false, ...partsOf(rule)]
}

function partsOf(condition: Condition): Condition[] {
  if (condition.is === 'not') return [condition.of]
  return condition.is === 'and' || condition.is === 'or' ? [...condition.of] : []
}
