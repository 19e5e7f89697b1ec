import type { Descriptors } from '../descriptors/descriptors.ts'
import { type Computed, type Field, type Model, type Reference, type Resource, resourceOf } from '../model.ts'
import { addField } from './build-fields.ts'
import { buildResources } from './build-resources.ts'
import { buildingOf } from './draft.ts'

/** What is to be in place of what a model has. */
export interface MembersFor {
  /** One field for each of the model's. */
  readonly fieldFor: (field: Field, resource: Resource) => Field
  /** Whether a rule gives the foreign key. Default: as in the model. */
  readonly isSetByRule?: (reference: Reference) => boolean
  /** Whether the computed field stays. Default: all do. */
  readonly keeps?: (computed: Computed) => boolean
}

/** A model with other members in place of its own; the model itself if nothing differs. */
export function withMembers<D extends Descriptors>(
  model: Model<D>,
  { fieldFor, isSetByRule = ({ setByRule }) => setByRule, keeps = () => true }: MembersFor,
): Model<D> {
  const differs = [...model.resources.values()].some(
    (resource) =>
      resource.fields.some((field) => fieldFor(field, resource) !== field) ||
      resource.references.some((reference) => isSetByRule(reference) !== reference.setByRule) ||
      !resource.computed.every(keeps),
  )
  if (!differs) return model
  const resources = buildResources(
    model.descriptors,
    (draft) => {
      const resource = resourceOf(model, draft.key)
      for (const field of resource.fields) addField(draft, fieldFor(field, resource))
      const { setByRules } = buildingOf(draft)
      for (const one of resource.references) if (isSetByRule(one)) setByRules.add(one.foreignKey)
    },
    ({ source: { key }, name }) => {
      const before = resourceOf(model, key).computed.find((one) => one.name === name)
      return before !== undefined && keeps(before)
    },
  )
  return Object.freeze({ descriptors: model.descriptors, resources })
}
