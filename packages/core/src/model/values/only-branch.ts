import type { JsonSchema } from '../descriptors/json-schema.ts'
import { isObject } from '../is-object.ts'

/** The schema of the values that are not null, where the schema is a union of these and null; undefined if it is none, or has several. */
export function onlyBranch(schema: JsonSchema): JsonSchema | undefined {
  const branches = [schema.anyOf ?? schema.oneOf].flat().filter((branch) => isObject(branch) && branch.type !== 'null')
  const [only, ...others] = branches as JsonSchema[]
  return others.length > 0 ? undefined : only
}
