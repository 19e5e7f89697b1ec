import type { JsonSchema } from '../descriptors/json-schema.ts'
import { isObject } from '../is-object.ts'

/** The format of a text field, also if its schema allows null beside it; undefined if it has none. */
export function textFormat(schema: JsonSchema): string | undefined {
  if (typeof schema.format === 'string') return schema.format
  const branches = [schema.anyOf ?? schema.oneOf].flat().filter((branch) => isObject(branch) && branch.type !== 'null')
  const [only, ...others] = branches as JsonSchema[]
  return only === undefined || others.length > 0 ? undefined : textFormat(only)
}
