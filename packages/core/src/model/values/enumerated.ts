import type { JsonSchema } from '../descriptors/json-schema.ts'
import { isObject } from '../is-object.ts'

/** The values that fit a schema besides null, where it lists them (`enum`, `const`, or a union of these); undefined where it does not. */
export function enumerated(schema: JsonSchema): readonly unknown[] | undefined {
  if ('const' in schema) return notNull([schema.const])
  if (Array.isArray(schema.enum)) return notNull(schema.enum)
  const branches = schema.anyOf ?? schema.oneOf
  if (!Array.isArray(branches)) return undefined
  const lists = branches.map((branch) => {
    if (!isObject(branch)) return undefined
    return branch.type === 'null' ? [] : enumerated(branch)
  })
  return lists.includes(undefined) ? undefined : (lists.flat() as readonly unknown[])
}

function notNull(values: readonly unknown[]): readonly unknown[] {
  return values.filter((value) => value !== null)
}
