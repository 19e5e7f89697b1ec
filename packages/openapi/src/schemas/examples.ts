import { dbDefault } from '@fastify-crud/core'
import {
  type BodyOperation,
  type DescribedValue,
  FIELDS_OF_SOME,
  type Field,
  isObject,
  type JsonSchema,
  type Resource,
  shortIdOf,
} from '@fastify-crud/core/internal'

/** An example of a record or body; `undefined` where a required field has no value that could be made up. */
export type Example = Readonly<Record<string, unknown>> | undefined

/** How deep owned records are shown; below that, only those that may not be missing. */
const DEPTH = 2

/**
 * Makes up records and bodies that fit their schemas. Each is built once, so that a record that is owned, needed or
 * known by many others costs nothing more.
 */
export class Examples {
  readonly #values = new Map<DescribedValue, unknown>()
  readonly #built = new Map<Resource, Map<string, Example>>()

  /** A record as it is answered. */
  record(resource: Resource, depth: number = DEPTH): Example {
    return this.#once(resource, `record${depth}`, () => this.#record(resource, depth))
  }

  /** What other records show of it. */
  summary(resource: Resource): Example {
    return this.#once(resource, 'summary', () => {
      const seen = [...resource.fields, ...resource.computed].filter(FIELDS_OF_SOME.sees)
      const shown = seen.filter(({ inSummary }) => inSummary)
      const fields = shown.map((field) => [field.name, this.#value(field)] as const)
      if (fields.some(([, value]) => value === undefined)) return undefined
      return { ...(resource.hasId && { id: resource.id.example }), ...Object.fromEntries(fields) }
    })
  }

  /** The body of POST, PUT or PATCH. */
  body(resource: Resource, operation: BodyOperation, depth: number = DEPTH): Example {
    if (operation === 'patch') return this.#patch(resource)
    return this.#once(resource, `${operation}${depth}`, () => this.#body(resource, operation, depth))
  }

  #record(resource: Resource, depth: number): Example {
    const ofId = resource.hasId && { id: shortIdOf(resource, resource.id.example) }
    const record: Record<string, unknown> = { ...ofId }
    for (const property of resource.properties) {
      switch (property.kind) {
        case 'field':
        case 'computed': {
          if (!FIELDS_OF_SOME.sees(property)) break
          const value = this.#value(property)
          if (value === undefined) return undefined
          record[property.name] = value
          break
        }
        case 'owns': {
          const { target, many, required, carried } = property
          if (!carried) break
          const child = depth > 0 || required ? this.record(target, Math.max(0, depth - 1)) : undefined
          if (child === undefined && required) return undefined
          record[property.name] = many ? [child].filter(isKnown) : (child ?? null)
          break
        }
        case 'reference': {
          const summary = this.summary(property.target)
          if (summary === undefined && !property.nullable) return undefined
          record[property.foreignKey] = summary === undefined ? null : property.target.id.example
          if (property.carried) record[property.name] = summary ?? null
          break
        }
        case 'ownedBy':
          // As if the first of the relations that may own it did.
          record[property.foreignKey] = property === resource.ownedBy[0] ? property.target.id.example : null
          break
        case 'link':
          if (property.carried) record[property.name] = [this.summary(property.target)].filter(isKnown)
          break
      }
    }
    return record
  }

  #body(resource: Resource, operation: 'create' | 'replace', depth: number): Example {
    const isGiven = operation === 'create' && resource.id.assignedBy === 'client'
    const body: Record<string, unknown> = isGiven ? { id: resource.id.example } : {}
    for (const property of resource.properties) {
      switch (property.kind) {
        case 'field': {
          if (!everyoneSets(property)) break
          const value = this.#value(property)
          if (value !== undefined && value !== null) body[property.name] = value
          else if (property.required) return undefined
          break
        }
        case 'owns': {
          const { name, target, many, required } = property
          if (depth === 0 && !required) break
          const child = this.body(target, operation, Math.max(0, depth - 1))
          if (child === undefined && required) return undefined
          if (child !== undefined)
            body[name] = many
              ? [operation === 'create' ? child : { id: shortIdOf(target, target.id.example), ...child }]
              : child
          break
        }
        case 'reference':
          if (!property.setByRule) body[property.foreignKey] = property.target.id.example
          break
        case 'link':
          body[property.name] = [{ id: property.target.id.example }]
          break
      }
    }
    return body
  }

  /** One change is the usual PATCH. */
  #patch(resource: Resource): Example {
    for (const field of resource.fields.filter(everyoneSets)) {
      const value = this.#value(field)
      if (value !== undefined && value !== null) return { [field.name]: value }
    }
    const reference = resource.references.find(({ setByRule }) => !setByRule)
    return reference === undefined ? {} : { [reference.foreignKey]: reference.target.id.example }
  }

  #value(field: DescribedValue): unknown {
    if (!this.#values.has(field)) this.#values.set(field, exampleValue(field))
    return this.#values.get(field)
  }

  #once(resource: Resource, what: string, build: () => Example): Example {
    const built = this.#built.get(resource) ?? new Map<string, Example>()
    this.#built.set(resource, built)
    if (!built.has(what)) built.set(what, build())
    return built.get(what)
  }
}

/** An example of a body fits every caller, and every column: one that the database fills may take no other value. */
function everyoneSets({ readOnly, hasDbDefault, access }: Field): boolean {
  return !readOnly && !hasDbDefault && access?.Edit === undefined
}

function isKnown(example: Example): boolean {
  return example !== undefined
}

/** One text that fits each format. */
const TEXTS: Readonly<Record<string, string>> = {
  date: '2026-03-14',
  'date-time': '2026-03-14T09:26:53Z',
  time: '09:26:53Z',
  duration: 'P3D',
  'date-time-range': '["2026-03-14T09:26:53Z","2026-03-21T09:26:53Z")',
  'date-range': '[2026-03-14,2026-03-21)',
  decimal: '12.50',
  email: 'someone@example.com',
  hostname: 'www.example.com',
  ipv4: '192.0.2.1',
  ipv6: '2001:db8::1',
  uri: 'https://www.example.com/',
  'uri-reference': '/path',
  url: 'https://www.example.com/',
  uuid: '7f1de3f0-3c0b-4f5e-9d0a-2f9d6c1b8a11',
  byte: 'YQ==',
  'json-pointer': '/a',
  regex: '^a+$',
}

/**
 * A value for the field: the first of its own examples, its default, its enumerated values and what its type suggests
 * that the field accepts. Null if only null is left; `undefined` if nothing is.
 */
function exampleValue(field: DescribedValue): unknown {
  for (const value of candidates(field.schema, field.name)) {
    if (value !== null && value !== undefined && fits(field, value)) return value
  }
  return field.nullable ? null : undefined
}

function fits(field: DescribedValue, value: unknown): boolean {
  try {
    return field.check(value).length === 0
  } catch {
    // A check of the application's own need not be ready for any value.
    return false
  }
}

function* candidates(schema: JsonSchema, name: string): Generator<unknown> {
  if (Array.isArray(schema.examples)) yield* schema.examples
  if (schema.default !== dbDefault) yield schema.default
  yield schema.const
  if (Array.isArray(schema.enum)) yield* schema.enum
  for (const branch of branchesOf(schema)) yield* candidates(branch, name)
  for (const type of [schema.type].flat()) {
    switch (type) {
      case 'string':
        yield* texts(schema, name)
        break
      case 'integer':
        yield* numbers(schema, 1, 1)
        break
      case 'number':
        yield* numbers(schema, 9.5, 0.5)
        break
      case 'boolean':
        yield* [true, false]
        break
      case 'array':
        yield listOf(schema, name)
        break
      case 'object':
      case undefined:
        yield objectOf(schema)
        break
    }
  }
}

function* texts(schema: JsonSchema, name: string): Generator<string> {
  const format = typeof schema.format === 'string' ? TEXTS[schema.format] : undefined
  if (format !== undefined) yield format
  const least = typeof schema.minLength === 'number' ? schema.minLength : 0
  const most = typeof schema.maxLength === 'number' ? schema.maxLength : Math.max(name.length, least)
  // Lengths far beyond what a reader would look at are not worth their bytes.
  if (least <= 1_000) yield name.padEnd(least, name).slice(0, most)
}

function* numbers(schema: JsonSchema, usual: number, step: number): Generator<number> {
  yield usual
  for (const [keyword, away] of [
    ['multipleOf', 0],
    ['minimum', 0],
    ['exclusiveMinimum', step],
    ['maximum', 0],
    ['exclusiveMaximum', -step],
  ] as const) {
    const bound = schema[keyword]
    if (typeof bound === 'number') yield bound + away
  }
  yield 0
}

function listOf(schema: JsonSchema, name: string): unknown[] {
  if (Array.isArray(schema.items)) return schema.items.map((item: JsonSchema) => first(item, name))
  const least = typeof schema.minItems === 'number' ? Math.min(schema.minItems, 10) : 0
  if (!isObject(schema.items)) return Array.from({ length: least }, () => name)
  const item = first(schema.items, name)
  return Array.from({ length: Math.max(1, least) }, () => item)
}

function objectOf(schema: JsonSchema): object {
  const properties = isObject(schema.properties) ? Object.entries(schema.properties) : []
  const entries = properties.map(([name, property]) => [name, isObject(property) ? first(property, name) : name])
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined))
}

function first(schema: JsonSchema, name: string): unknown {
  for (const value of candidates(schema, name)) if (value !== undefined) return value
  return undefined
}

function branchesOf(schema: JsonSchema): readonly JsonSchema[] {
  const branches = schema.anyOf ?? schema.oneOf
  return Array.isArray(branches) ? branches.filter(isObject) : []
}
