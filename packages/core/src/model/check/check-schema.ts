import { dbDefault } from '../descriptors/field.ts'
import { FIELD_OPTIONS } from '../descriptors/field-options.ts'
import { isObject } from '../is-object.ts'
import type { JsonSchema } from '../values/schema-facts.ts'
import { described, isPlainObject } from './foreign-schema.ts'
import { didYouMean } from './names.ts'

/** TypeBox marks a schema that has functions with these symbols. Nothing here would call the functions. */
const FUNCTIONS: readonly (readonly [mark: PropertyKey, maker: string])[] = [
  ['~refine', 'Type.Refine'],
  ['~codec', 'Type.Codec'],
  [Symbol.for('TypeBox.Transform'), 'Type.Transform'],
]

/** Keywords that say nothing about values, but that Ajv does not know: those of OpenAPI, and some of JSON Schema. */
const ANNOTATIONS = ['$anchor', 'example', 'externalDocs', 'xml', 'discriminator']

/** Keywords of later drafts, and what to write instead. */
const LATER: Readonly<Record<string, string>> = {
  prefixItems:
    "write a tuple as 'items: [{…}, {…}], additionalItems: false' (zod does with 'z.toJSONSchema(…, { target: 'draft-7' })')",
}

/**
 * All problems that keep the schema of a field from being plain JSON Schema, each with a pointer into the schema. Ajv
 * ignores what it does not know, so such a schema would allow more than its author means.
 *
 * @param known the keywords that Ajv checks, or knows to say nothing of values
 */
export function problemsOfSchema(schema: JsonSchema, known: Iterable<string>): readonly string[] {
  const problems: string[] = []
  const keywords = new Set([...known, ...ANNOTATIONS])
  checkSchema(schema, '', {
    keywords,
    fieldKeywords: new Set([...keywords, ...FIELD_OPTIONS]),
    around: new Set(),
    problems,
  })
  return problems
}

interface Check {
  readonly keywords: ReadonlySet<string>
  /** Those that the field's schema itself may have. */
  readonly fieldKeywords: ReadonlySet<string>
  /** The objects and arrays around the current one. */
  readonly around: Set<object>
  readonly problems: string[]
}

function checkSchema(schema: unknown, pointer: string, check: Check): void {
  if (typeof schema === 'boolean') return
  if (!isPlainObject(schema)) {
    report(pointer, `a schema is an object or a boolean, not ${described(schema)}`, check)
    return
  }
  for (const [mark, maker] of FUNCTIONS) {
    if (mark in schema) report(pointer, `${maker} needs a function, which is not part of JSON Schema`, check)
  }
  within(schema, pointer, check, () => {
    const keywords = pointer === '' ? check.fieldKeywords : check.keywords
    for (const [keyword, value] of Object.entries(schema)) {
      // An option of TypeBox makes the names visible with which it marks schemas.
      if (value === undefined || keyword.startsWith('~')) continue
      // Inside of a value it would mean nothing, so there it is reported.
      if (pointer === '' && keyword === 'default' && value === dbDefault) continue
      if (!keywords.has(keyword) && !keyword.startsWith('x-')) reportUnknown(keyword, keywords, pointer, check)
      else checkValue(keyword, value, `${pointer}/${keyword}`, check)
    }
  })
}

function checkValue(keyword: string, value: unknown, pointer: string, check: Check): void {
  if (LISTS.has(keyword) || (keyword === 'items' && Array.isArray(value))) {
    if (!Array.isArray(value)) report(pointer, `must be an array, not ${described(value)}`, check)
    else for (const [index, schema] of value.entries()) checkSchema(schema, `${pointer}/${index}`, check)
  } else if (MAPS.has(keyword)) {
    if (!isPlainObject(value)) report(pointer, `must be an object, not ${described(value)}`, check)
    else for (const [name, schema] of Object.entries(value)) checkSchema(schema, `${pointer}/${name}`, check)
  } else if (SCHEMAS.has(keyword)) {
    checkSchema(value, pointer, check)
  } else {
    checkJson(value, pointer, check)
  }
}

/** Checks a part that must be JSON but is not a schema, such as a default. */
function checkJson(value: unknown, pointer: string, check: Check): void {
  if (value === null || typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value)) return
  if (!Array.isArray(value) && !isPlainObject(value)) {
    const hint = value instanceof RegExp ? `; write ${JSON.stringify(value.source)}` : ''
    report(pointer, `must be JSON, not ${described(value)}${hint}`, check)
    return
  }
  within(value, pointer, check, () => {
    for (const [name, inner] of Object.entries(value)) {
      if (inner !== undefined) checkJson(inner, `${pointer}/${name}`, check)
    }
  })
}

/** Visits a value, unless the value contains itself. */
function within(value: object, pointer: string, { around, problems }: Check, visit: () => void): void {
  if (around.has(value)) {
    problems.push(`${pointer}: contains itself; refer to a schema by '$ref'`)
    return
  }
  around.add(value)
  visit()
  around.delete(value)
}

function reportUnknown(keyword: string, known: ReadonlySet<string>, pointer: string, check: Check): void {
  const hint = LATER[keyword] ?? (didYouMean(keyword, known).slice(2) || "a keyword of your own starts with 'x-'")
  report(pointer, `JSON Schema 2019-09 has no keyword '${keyword}'; ${hint}`, check)
}

function report(pointer: string, message: string, { problems }: Check): void {
  problems.push(pointer === '' ? message : `${pointer}: ${message}`)
}

/** Keywords that hold a schema. `items` may hold a list of them as well. */
const SCHEMAS: ReadonlySet<string> = new Set([
  'items',
  'additionalItems',
  'additionalProperties',
  'unevaluatedItems',
  'unevaluatedProperties',
  'contains',
  'propertyNames',
  'contentSchema',
  'not',
  'if',
  'then',
  'else',
])

/** Keywords that hold a list of schemas. */
const LISTS: ReadonlySet<string> = new Set(['anyOf', 'oneOf', 'allOf', 'prefixItems'])

/** Keywords that hold schemas by names. */
const MAPS: ReadonlySet<string> = new Set([
  'properties',
  'patternProperties',
  '$defs',
  'definitions',
  'dependentSchemas',
])

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
    if (SCHEMAS.has(keyword) && !Array.isArray(value)) copy[keyword] = inner(value, at)
    else if ((LISTS.has(keyword) || keyword === 'items') && Array.isArray(value)) {
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
