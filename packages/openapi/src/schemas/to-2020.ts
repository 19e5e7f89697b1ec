import { DURATION, isObject, type JsonSchema, LISTS, MAPS, SCHEMAS } from '@fastify-crud/core/internal'

/**
 * A copy of a TypeBox schema as plain data in JSON Schema 2020-12.
 *
 * TypeBox writes a tuple the way drafts up to 7 did: `items` is a list, and `additionalItems` is about the rest.
 * A duration has a pattern. Inside a JSON value nothing is `readOnly` or `writeOnly`, as it is stored and returned as a whole.
 */
export function to2020(schema: JsonSchema): JsonSchema {
  const tuple = Array.isArray(schema.items)
  const copy: Record<string, unknown> = {}
  for (const [keyword, value] of Object.entries(schema)) {
    // TypeBox can be told to show how it marks its schemas.
    if (keyword.startsWith('~')) continue
    if (keyword === 'items' && tuple) copy.prefixItems = listTo2020(value)
    else if (keyword === 'additionalItems') tuple && Object.assign(copy, { items: subschema(value) })
    else if (SCHEMAS.has(keyword)) copy[keyword] = subschema(value)
    else if (LISTS.has(keyword)) copy[keyword] = listTo2020(value)
    else if (MAPS.has(keyword)) copy[keyword] = mapTo2020(value)
    else copy[keyword] = value
  }
  return copy.format === 'duration' ? durationSchema(copy) : copy
}

/** The format of JSON Schema is that of RFC 3339, which is narrower. */
function durationSchema({ format, ...schema }: JsonSchema): JsonSchema {
  return { pattern: DURATION.source, ...schema }
}

function subschema(value: unknown): unknown {
  if (!isObject(value)) return value
  const { readOnly, writeOnly, ...schema } = to2020(value)
  return schema
}

function listTo2020(value: unknown): unknown {
  return Array.isArray(value) ? value.map(subschema) : value
}

function mapTo2020(value: unknown): unknown {
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, schema]) => [name, subschema(schema)]))
}
