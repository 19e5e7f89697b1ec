import type { JsonSchema } from './json-schema.ts'
import { withSubschemas } from './with-subschemas.ts'

/** Whether any part of a schema refers to another part of it. */
export function hasRefs(schema: JsonSchema): boolean {
  let found = false
  withSubschemas(schema, '', (part) => {
    found ||= '$ref' in part
    return part
  })
  return found
}

/** The schema without the names of its parts, which nothing in a document could refer to, as they need not be unique. */
export function withoutNames(schema: JsonSchema): JsonSchema {
  return withSubschemas(schema, '', ({ $id, $anchor, ...part }) => part)
}

/** A schema for another place: what refers to its own parts, by pointer or by name, refers to them below `place`. */
export function withRefsBelow(schema: JsonSchema, place: string): JsonSchema {
  const places = new Map([['#', place]])
  withSubschemas(schema, place, (part, at) => {
    if (typeof part.$id === 'string') places.set(part.$id, at)
    return part
  })
  return withSubschemas(schema, place, ({ $id, $anchor, ...part }) => {
    if (typeof part.$ref !== 'string') return part
    return { ...part, $ref: placeOf(part.$ref, places) }
  })
}

function placeOf(ref: string, places: ReadonlyMap<string, string>): string {
  const known = places.get(ref) ?? places.get(ref.replace(/#$/, ''))
  if (known !== undefined) return known
  const [id, pointer = ''] = ref.split('#')
  return `${places.get(id === '' || id === undefined ? '#' : id) ?? id}${pointer}`
}
