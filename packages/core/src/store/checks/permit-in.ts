import { type Model, type Resource, resourceOf } from '../../model/model.ts'
import type { Permit } from '../../plan/decide/planned-actions.ts'

/** The permit of a model, for a store of another model that was derived from it. */
export function permitIn(derived: Model, model: Model, { refusalOf, hiddenOf }: Permit): Permit {
  const there = ({ key }: Resource) => resourceOf(model, key)
  const here = ({ key }: Resource) => resourceOf(derived, key)
  return {
    refusalOf: (actions) =>
      refusalOf(
        actions.map((planned) => {
          const owners = [...planned.owners].map((owner) => (typeof owner === 'string' ? owner : there(owner)))
          return { ...planned, resource: there(planned.resource), owners: new Set(owners) }
        }),
      ),
    hiddenOf({ owned, related }) {
      const hidden = hiddenOf({ owned: owned.map(there), related: related.map(there) })
      return new Set([...hidden].map(here))
    },
  }
}
