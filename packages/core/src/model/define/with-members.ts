import { type Field, type Model, type Reference, type Resource, resourceOf } from '../model.ts'
import { addField } from './build-fields.ts'
import { buildResources } from './build-resources.ts'
import { buildingOf } from './resource-draft.ts'

/** What is to be in place of what a model has. */
export interface MembersFor {
  /** One field for each of the model's. */
  readonly fieldFor: (field: Field, resource: Resource) => Field
  /** Whether a rule gives the foreign key. */
  readonly isSetByRule: (reference: Reference) => boolean
}

/** A model with other members in place of its own; the model itself if nothing differs. */
export function withMembers<M extends Model>(model: M, { fieldFor, isSetByRule }: MembersFor): M {
  const differs = [...model.resources.values()].some(
    (resource) =>
      resource.fields.some((field) => fieldFor(field, resource) !== field) ||
      resource.references.some((reference) => isSetByRule(reference) && !reference.setByRule),
  )
  if (!differs) return model
  const resources = buildResources(model.descriptors, model.tenant, (draft) => {
    const resource = resourceOf(model, draft.key)
    for (const field of resource.fields) addField(draft, fieldFor(field, resource))
    const { setByRules } = buildingOf(draft)
    for (const one of resource.references) if (isSetByRule(one)) setByRules.add(one.foreignKey)
  })
  return Object.freeze({ ...model, resources })
}
