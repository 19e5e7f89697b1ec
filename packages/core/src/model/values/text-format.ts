import type { JsonSchema } from '../descriptors/json-schema.ts'
import { onlyBranch } from './only-branch.ts'

/** The format of a text field, also if its schema allows null beside it; undefined if it has none. */
export function textFormat(schema: JsonSchema): string | undefined {
  if (typeof schema.format === 'string') return schema.format
  const only = onlyBranch(schema)
  return only && textFormat(only)
}
