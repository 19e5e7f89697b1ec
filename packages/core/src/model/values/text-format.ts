import type { JsonSchema } from '../descriptors/json-schema.ts'
import { onlyBranch } from './only-branch.ts'
import { RANGE_FORMATS } from './range.ts'

/** Formats of strings that are compared in a way of their own. */
export const COMPARED_FORMATS = ['decimal', 'date-time', 'duration', ...RANGE_FORMATS] as const

/** The format of a text field, also if its schema allows null beside it; undefined if it has none. */
export function textFormat(schema: JsonSchema): string | undefined {
  if (typeof schema.format === 'string') return schema.format
  const only = onlyBranch(schema)
  return only && textFormat(only)
}
