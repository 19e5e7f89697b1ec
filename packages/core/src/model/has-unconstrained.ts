import type { Model, Resource } from './model.ts'

const known = new WeakMap<Model, boolean>()

/** Whether a relation of the model has no foreign key in the database. It is found once for each model, as a model may have many stores. */
export function hasUnconstrained(model: Model): boolean {
  const found = known.get(model) ?? [...model.resources.values()].some(isUnconstrained)
  known.set(model, found)
  return found
}

function isUnconstrained({ references, links }: Resource): boolean {
  return [...references, ...links].some(({ isConstrained }) => !isConstrained)
}
