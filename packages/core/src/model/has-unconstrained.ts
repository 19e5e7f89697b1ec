import type { Link, Model, Reference, Resource } from './model.ts'

const known = new WeakMap<Model, boolean>()

/**
 * Whether no foreign key of the database keeps others from removing what a relation of the model names: there is none, or what is named would only be
 * marked as deleted. It is found once for each model, as a model may have many stores.
 */
export function hasUnconstrained(model: Model): boolean {
  const found = known.get(model) ?? [...model.resources.values()].some(isUnconstrained)
  known.set(model, found)
  return found
}

function isUnconstrained({ references, links }: Resource): boolean {
  return [...references, ...links].some((relation) => !isHeldByDatabase(relation))
}

/** Whether the database keeps the record that a relation names, or tells of it, when others delete it meanwhile. */
export function isHeldByDatabase({ isConstrained, target }: Reference | Link): boolean {
  return isConstrained && target.softDelete === undefined
}
