import { dbDefault } from '@fastify-crud/core'
import type { JsonSchema } from '@fastify-crud/core/internal'
import { literal } from '../../print-literal.ts'
import { type FieldDraft, isOptional } from '../draft/draft.ts'

/** The source of a field, in TypeBox. */
export function printField(field: FieldDraft): string {
  const { schema, isNullable, options } = field
  const mayBeMissing = isOptional(field)
  const nullable = isNullable && !mayBeMissing ? printOrNull(schema) : printSchema(schema)
  const type = mayBeMissing ? `Type.Optional(${nullable})` : nullable
  const entries = Object.entries(options).map(([name, value]) => `${name}: ${printOption(value)}`)
  return entries.length === 0 ? type : `field(${type}, { ${entries.join(', ')} })`
}

/** How a column spells a value is said of the whole field. */
function printOrNull({ stored, ...schema }: JsonSchema): string {
  const keywords = stored === undefined ? '' : `, ${literal({ stored })}`
  return `Type.Union([${printSchema(schema)}, Type.Null()]${keywords})`
}

function printOption(value: unknown): string {
  return value === dbDefault ? 'dbDefault' : literal(value)
}

const TYPES: Readonly<Record<string, string>> = {
  string: 'String',
  integer: 'Integer',
  number: 'Number',
  boolean: 'Boolean',
}

function printSchema({ type, const: value, anyOf, items, ...options }: JsonSchema): string {
  const keywords = Object.keys(options).length === 0 ? [] : [literal(options)]
  const call = (name: string, ...given: readonly string[]) => `Type.${name}(${[...given, ...keywords].join(', ')})`
  if (value !== undefined) return call('Literal', literal(value))
  if (Array.isArray(anyOf)) return call('Union', `[${anyOf.map(printSchema).join(', ')}]`)
  if (type === 'array') return call('Array', printSchema(items as JsonSchema))
  if (type === 'null') return 'Type.Null()'
  return call(TYPES[String(type)] ?? 'Any')
}
