import { addField } from './build-fields.ts'
import { buildResources } from './build-resources.ts'
import type { Descriptors } from './descriptors.ts'
import { type Computed, type Field, type Model, type Resource, resourceOf } from './model.ts'

/**
 * A model with other fields in place of its own, one for one, and without some of its computed fields; the model itself if nothing
 * differs.
 */
export function withFields<D extends Descriptors>(
  model: Model<D>,
  fieldFor: (field: Field, resource: Resource) => Field,
  keeps: (computed: Computed) => boolean = () => true,
): Model<D> {
  const differs = [...model.resources.values()].some(
    (resource) =>
      resource.fields.some((field) => fieldFor(field, resource) !== field) || !resource.computed.every(keeps),
  )
  if (!differs) return model
  const resources = buildResources(
    model.descriptors,
    (draft) => {
      const resource = resourceOf(model, draft.key)
      for (const field of resource.fields) addField(draft, fieldFor(field, resource))
    },
    ({ source: { key }, name }) => {
      const before = resourceOf(model, key).computed.find((one) => one.name === name)
      return before !== undefined && keeps(before)
    },
  )
  return Object.freeze({ descriptors: model.descriptors, resources })
}
