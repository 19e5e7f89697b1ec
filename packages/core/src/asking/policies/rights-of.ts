import type { Model, Resource } from '../../model/model.ts'
import type { PolicySet } from './read-policies.ts'
import { mayHide, type Rights, type RowRule, type RowRules, rowRules } from './rights.ts'

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
