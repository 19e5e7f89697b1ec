import type { JsonSchema } from '../descriptors/json-schema.ts'
import { enumerated } from './enumerated.ts'

/**
 * The length of the longest text that a schema allows, in code points; infinite if it does not say.
 *
 * `formatLengths`: the longest texts of formats.
 */
export function longestText(schema: JsonSchema, formatLengths: Readonly<Record<string, number>>): number {
  const literals = enumerated(schema)
  if (literals !== undefined) return Math.max(0, ...literals.map((literal) => [...String(literal)].length))
  const branches = (schema.anyOf ?? schema.oneOf) as JsonSchema[] | undefined
  if (branches !== undefined) {
    return Math.max(...branches.map((branch) => (branch.type === 'null' ? 0 : longestText(branch, formatLengths))))
  }
  if (typeof schema.maxLength === 'number') return schema.maxLength
  return formatLengths[String(schema.format)] ?? Number.POSITIVE_INFINITY
}
