import type { JsonSchema } from '../descriptors/json-schema.ts'
import { isObject } from '../is-object.ts'
import { onlyBranch } from './only-branch.ts'

/** The schema of the elements of an array field, also if its schema allows null beside it; undefined if it has no single one. */
export function itemsOf(schema: JsonSchema): JsonSchema | undefined {
  if (isObject(schema.items)) return schema.items
  const only = onlyBranch(schema)
  return only && itemsOf(only)
}
