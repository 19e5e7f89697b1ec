import { dbDefault } from '@fastify-crud/core'
import { type DescribedValue, isObject, type JsonSchema } from '@fastify-crud/core/internal'

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
export function exampleValue(field: DescribedValue): unknown {
  for (const value of candidates(field.schema, field.name)) {
    if (value !== null && value !== undefined && field.check(value).length === 0) return value
  }
  return field.nullable ? null : undefined
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
