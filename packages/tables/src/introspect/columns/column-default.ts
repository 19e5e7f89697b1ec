import { dbDefault, type FieldOptions } from '@fastify-crud/core'
import type { JsonSchema } from '@fastify-crud/core/internal'
import type { FoundColumn } from '../../catalogs/found-tables.ts'

/**
 * What a body without the field's value gets: the constant of the column's default, or `dbDefault` where only the database can compute it;
 * undefined without a default.
 */
export function columnDefault(
  { default: given, hasDefault }: FoundColumn,
  schema: JsonSchema,
): FieldOptions['default'] {
  if (!hasDefault || (given !== undefined && /^null(?:::|$)/i.test(given))) return undefined
  const constant = given === undefined ? undefined : constantOf(withoutBrackets(given.trim()), schema)
  return constant === undefined ? dbDefault : constant
}

const TEXT = /^'((?:[^']|'')*)'(?:::[\w ."(),[\]]+)?$/

/** The value that SQL for a constant has, as the field's schema has it. */
function constantOf(given: string, schema: JsonSchema): string | number | boolean | object | undefined {
  const text = TEXT.exec(given)?.[1]?.replaceAll("''", "'")
  const plain = text ?? given
  switch (schema.type) {
    case 'integer':
      return /^-?\d{1,15}$/.test(plain) ? Number(plain) : undefined
    case 'number':
      return /^-?\d{1,15}(?:\.\d{1,15})?$/.test(plain) ? Number(plain) : undefined
    case 'boolean':
      return BOOLEANS[plain.toLowerCase()]
    case 'array':
      return text === '{}' || text === '[]' ? [] : undefined
    case 'string':
      return text !== undefined && isPlainText(text, schema) ? text : undefined
  }
  if (text === undefined) return undefined
  if (schema.anyOf !== undefined || schema.const !== undefined) return hasText(schema, text) ? text : undefined
  return EMPTY_JSON[text]
}

const BOOLEANS: Readonly<Record<string, boolean>> = { true: true, false: false, t: true, f: false, 1: true, 0: false }

const EMPTY_JSON: Readonly<Record<string, object>> = { '{}': {}, '[]': [] }

function isPlainText(text: string, { format, maxLength, contentEncoding }: JsonSchema): boolean {
  const isShort = typeof maxLength !== 'number' || [...text].length <= maxLength
  return format === undefined && contentEncoding === undefined && isShort
}

function hasText(schema: JsonSchema, text: string): boolean {
  const branches = Array.isArray(schema.anyOf) ? (schema.anyOf as readonly JsonSchema[]) : [schema]
  return branches.some((branch) => branch.const === text)
}

/** SQLite has an expression in brackets. */
function withoutBrackets(given: string): string {
  return /^\((?:-?[\d.]+|'(?:[^']|'')*')\)$/.test(given) ? given.slice(1, -1) : given
}
