import { isObject, type JsonSchema, LISTS, MAPS, SCHEMAS } from '@fastify-crud/core/internal'

/** A copy of a schema, each part of which has been changed: the inner ones first. `pointer` is a pointer to it. */
export function withSubschemas(
  schema: JsonSchema,
  pointer: string,
  change: (part: JsonSchema, pointer: string) => JsonSchema,
): JsonSchema {
  const inner = (value: unknown, below: string): unknown =>
    isObject(value) ? withSubschemas(value, below, change) : value
  const copy: Record<string, unknown> = {}
  for (const [keyword, value] of Object.entries(schema)) {
    const at = `${pointer}/${keyword}`
    if (SCHEMAS.has(keyword)) copy[keyword] = inner(value, at)
    else if (LISTS.has(keyword) && Array.isArray(value)) {
      copy[keyword] = value.map((one, index) => inner(one, `${at}/${index}`))
    } else if (MAPS.has(keyword) && isObject(value)) {
      const entries = Object.entries(value).map(([name, one]) => [name, inner(one, `${at}/${escaped(name)}`)])
      copy[keyword] = Object.fromEntries(entries)
    } else copy[keyword] = value
  }
  return change(copy, pointer)
}

/** A name as a part of a JSON pointer in a URI. */
function escaped(name: string): string {
  return encodeURIComponent(name.replaceAll('~', '~0').replaceAll('/', '~1'))
}
