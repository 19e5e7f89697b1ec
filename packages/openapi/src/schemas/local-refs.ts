import type { JsonSchema } from '@fastify-crud/core/internal'
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

/** A schema that moves: what refers to its own parts, by pointer or by name, refers to them below `pointer`. */
export function withRefsBelow(schema: JsonSchema, pointer: string): JsonSchema {
  const pointers = new Map([['#', pointer]])
  withSubschemas(schema, pointer, (part, at) => {
    if (typeof part.$id === 'string') pointers.set(part.$id, at)
    return part
  })
  return withSubschemas(schema, pointer, ({ $id, $anchor, ...part }) => {
    if (typeof part.$ref !== 'string') return part
    return { ...part, $ref: movedRef(part.$ref, pointers) }
  })
}

function movedRef(ref: string, pointers: ReadonlyMap<string, string>): string {
  const known = pointers.get(ref) ?? pointers.get(ref.replace(/#$/, ''))
  if (known !== undefined) return known
  const [id, pointer = ''] = ref.split('#')
  return `${pointers.get(id === '' || id === undefined ? '#' : id) ?? id}${pointer}`
}
