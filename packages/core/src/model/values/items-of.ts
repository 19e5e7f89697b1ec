import type { JsonSchema } from '../descriptors/json-schema.ts'
import { isObject } from '../is-object.ts'

/** The schema of the elements of an array field, also if its schema allows null beside it; undefined if it has no single one. */
export function itemsOf(schema: JsonSchema): JsonSchema | undefined {
  if (isObject(schema.items)) return schema.items
  const branches = [schema.anyOf ?? schema.oneOf].flat().filter((branch) => isObject(branch) && branch.type !== 'null')
  const [only, ...others] = branches as JsonSchema[]
  return only === undefined || others.length > 0 ? undefined : itemsOf(only)
}
