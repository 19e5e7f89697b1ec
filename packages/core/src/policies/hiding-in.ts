import type { Model } from '../model/model.ts'
import type { PolicySet } from './read-policies.ts'
import { mayHide } from './rights.ts'
import { rightsOf } from './rights-of.ts'

/** The keys of the resources of which policies hide records from some callers. */
export function hidingIn(set: PolicySet, model: Model): readonly string[] {
  // With one role after the other, as two roles never see less than one. Somebody may have none of them.
  const rights = [[], ...[...set.roles].map((role) => [role])].map((roles) => rightsOf(set, model, new Set(roles)))
  const hidden = [...model.resources.values()].filter((resource) => rights.some((one) => mayHide(one, resource)))
  return hidden.map(({ key }) => key)
}
