import { addField } from './build-fields.ts'
import { buildResources } from './build-resources.ts'
import type { Descriptors } from './descriptors.ts'
import { type Field, type Model, type Resource, resourceOf } from './model.ts'

/** A model with other fields in place of its own, one for one; the model itself if none of them differs. */
export function withFields<D extends Descriptors>(
  model: Model<D>,
  fieldFor: (field: Field, resource: Resource) => Field,
): Model<D> {
  const differs = [...model.resources.values()].some((resource) =>
    resource.fields.some((field) => fieldFor(field, resource) !== field),
  )
  if (!differs) return model
  const resources = buildResources(model.descriptors, (draft) => {
    const resource = resourceOf(model, draft.key)
    for (const field of resource.fields) addField(draft, fieldFor(field, resource))
  })
  return Object.freeze({ descriptors: model.descriptors, resources })
}
