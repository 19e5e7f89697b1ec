import {
  type DescribedValue,
  DURATION,
  FIELDS_OF_SOME,
  type Field,
  type JsonSchema,
  type Resource,
  withSubschemas,
} from '@fastify-crud/core/internal'
import { safeName } from '../components/component-id.ts'
import type { Components } from '../components/openapi-document.ts'
import { withSentence } from '../sentences.ts'

/** Every type but null, in the order in which API references show them. */
const NOT_NULL = ['string', 'number', 'boolean', 'object', 'array']

/** What says something about a schema and nothing about the values. */
const ANNOTATIONS = new Set([
  'title',
  'description',
  'examples',
  'deprecated',
  'readOnly',
  'writeOnly',
  '$comment',
  '$schema',
])

/** What constrains null as well, whatever `type` says. */
const APPLY_TO_NULL = ['anyOf', 'oneOf', 'allOf', 'not', 'if', 'const', '$ref']

/** The schemas of a resource's fields, by name: made once and shared by all of its components. */
export type FieldSchemas = ReadonlyMap<string, JsonSchema>

/** A schema as plain data at another place. */
export function movedSchema(schema: JsonSchema, pointer: string): JsonSchema {
  return withRefsBelow(to2020(schema), pointer)
}

/** Says what the values of a field are: in place, or by a reference to a component. */
export type ValueSchemaOf = (field: DescribedValue) => JsonSchema

/**
 * A schema that refers to its own parts becomes a component, `book.outline.value`, as the parts of a component have
 * places that can be referred to. All others are inline.
 */
export function valueSchemasOf(resource: Resource, components: Components<JsonSchema>): ValueSchemaOf {
  return (field) => {
    const schema = ownSchema(field)
    if (!hasRefs(schema)) return withoutNames(schema)
    return {
      ...components.ref(`${resource.key}.${safeName(field.name)}.value`, ({ $ref }) => withRefsBelow(schema, $ref)),
    }
  }
}

/** The schema of a field's values by itself, and null where the field may have none: a document of its own. */
export function valueSchema(field: DescribedValue): JsonSchema {
  const schema = ownSchema(field)
  if (!field.nullable) return schema
  if (!hasRefs(schema)) return nullableSchema(schema)
  return { anyOf: [withRefsBelow(schema, '#/anyOf/0'), { type: 'null' }] }
}

/** What is missing, whether null is allowed, and who may see and set it is the field's to say. */
function ownSchema({ schema, nullable: mayBeNull }: DescribedValue): JsonSchema {
  const { default: _, nullable, readOnly, writeOnly, summary, access, index, stored, ...given } = to2020(schema)
  return mayBeNull ? given : notNullSchema(given)
}

/** The schema of a field's values in what is returned. */
export function fieldInRecords(field: DescribedValue, valueSchemaOf: ValueSchemaOf): JsonSchema {
  const schema = fieldSchema(field, valueSchemaOf)
  const marked = !FIELDS_OF_SOME.sets(field) ? { ...schema, readOnly: true } : schema
  const viewers = field.access?.View
  return viewers === undefined ? marked : withSentence(marked, `Only ${callersWith(viewers)} see it.`)
}

/**
 * The schema of a field's values in what is sent. It has no `default`: only POST and PUT take one, see
 * {@link withDefault}.
 *
 * Nothing in a body is `readOnly`: validators take such properties out, and `additionalProperties: false` refuses them.
 */
export function fieldInBodies(field: Field, valueSchemaOf: ValueSchemaOf): JsonSchema {
  const schema = fieldSchema(field, valueSchemaOf)
  const marked = !FIELDS_OF_SOME.sees(field) ? { ...schema, writeOnly: true } : schema
  const editors = field.access?.Edit
  return editors === undefined ? marked : withSentence(marked, `Only ${callersWith(editors)} can set it.`)
}

function callersWith(roles: readonly string[]): string {
  return `callers with the role ${roles.map((role) => `\`${role}\``).join(' or ')}`
}

function fieldSchema(field: DescribedValue, valueSchemaOf: ValueSchemaOf): JsonSchema {
  const schema = valueSchemaOf(field)
  return field.nullable ? nullableSchema(schema) : schema
}

/** The field's schema with its default, for the bodies in which a missing field takes it. */
export function withDefault(field: Field, schema: JsonSchema): JsonSchema {
  return field.default === undefined ? schema : { ...schema, default: field.default }
}

/**
 * The schema, with null: as a list of types where that says it all, because API references show
 * `string | null` better than a choice of two schemas.
 */
function nullableSchema(schema: JsonSchema): JsonSchema {
  if (isAnything(schema)) return schema
  if (APPLY_TO_NULL.every((keyword) => !(keyword in schema))) {
    const values = Array.isArray(schema.enum) ? { enum: including(schema.enum, null) } : {}
    const types = schema.type === undefined ? {} : { type: including([schema.type].flat(), 'null') }
    return { ...schema, ...types, ...values }
  }
  const [annotations, meaning] = split(schema)
  for (const keyword of ['anyOf', 'oneOf']) {
    const branches = meaning[keyword]
    if (!Array.isArray(branches) || Object.keys(meaning).length > 1) continue
    if (branches.some(acceptsNull)) return schema
    return { ...annotations, [keyword]: [...branches, { type: 'null' }] }
  }
  return { ...annotations, anyOf: [meaning, { type: 'null' }] }
}

function notNullSchema(schema: JsonSchema): JsonSchema {
  // `items` says nothing, but Spectral asks for it wherever there may be an array.
  return mayAcceptNull(schema) ? { items: {}, ...schema, type: NOT_NULL } : schema
}

function mayAcceptNull(schema: JsonSchema): boolean {
  if (schema.type !== undefined || schema.enum !== undefined || 'const' in schema) return false
  const branches = schema.anyOf ?? schema.oneOf
  return Array.isArray(branches) ? branches.some(mayAcceptNull) : true
}

function acceptsNull(schema: JsonSchema): boolean {
  const [, meaning] = split(schema)
  const keywords = Object.keys(meaning)
  if (keywords.length === 0 || ('const' in meaning && meaning.const === null)) return true
  return keywords.length === 1 && [meaning.type].flat().includes('null')
}

function isAnything(schema: JsonSchema): boolean {
  return Object.keys(schema).every((keyword) => ANNOTATIONS.has(keyword))
}

function split(schema: JsonSchema): [annotations: JsonSchema, meaning: JsonSchema] {
  const entries = Object.entries(schema)
  return [
    Object.fromEntries(entries.filter(([keyword]) => ANNOTATIONS.has(keyword))),
    Object.fromEntries(entries.filter(([keyword]) => !ANNOTATIONS.has(keyword))),
  ]
}

function including(values: readonly unknown[], value: unknown): readonly unknown[] {
  return values.includes(value) ? values : [...values, value]
}

/** Whether any part of a schema refers to another part of it. */
function hasRefs(schema: JsonSchema): boolean {
  let found = false
  withSubschemas(schema, '', (part) => {
    found ||= '$ref' in part
    return part
  })
  return found
}

/** The schema without the names of its parts, which nothing in a document could refer to, as they need not be
 * unique. */
function withoutNames(schema: JsonSchema): JsonSchema {
  return withSubschemas(schema, '', ({ $id, $anchor, ...part }) => part)
}

/** A schema that moves: what refers to its own parts, by pointer or by name, refers to them below `pointer`. */
function withRefsBelow(schema: JsonSchema, pointer: string): JsonSchema {
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

/**
 * A copy of a TypeBox schema as plain data in JSON Schema 2020-12.
 *
 * TypeBox writes a tuple the way drafts up to 7 did: `items` is a list, and `additionalItems` is about the rest. A
 * duration has a pattern. Inside a JSON value nothing is `readOnly` or `writeOnly`, as it is stored and returned as a
 * whole.
 */
function to2020(schema: JsonSchema): JsonSchema {
  return withSubschemas(schema, '', (part, pointer) => {
    const isTuple = Array.isArray(part.items)
    const entries = Object.entries(part).flatMap(([keyword, value]): [string, unknown][] => {
      // TypeBox can be told to show how it marks its schemas.
      if (keyword.startsWith('~')) return []
      if (pointer !== '' && (keyword === 'readOnly' || keyword === 'writeOnly')) return []
      if (keyword === 'additionalItems') return isTuple ? [['items', value]] : []
      return [[keyword === 'items' && isTuple ? 'prefixItems' : keyword, value]]
    })
    const copy: JsonSchema = Object.fromEntries(entries)
    return copy.format === 'duration' ? durationSchema(copy) : copy
  })
}

/** The format of JSON Schema is that of RFC 3339, which is narrower. */
function durationSchema({ format, ...schema }: JsonSchema): JsonSchema {
  return { pattern: DURATION.source, ...schema }
}
