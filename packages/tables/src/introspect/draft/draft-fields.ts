import { dbDefault, type FieldOptions } from '@fastify-crud/core'
import type { JsonSchema } from '@fastify-crud/core/internal'
import type { FoundColumn, FoundForeignKey } from '../../catalogs/found-tables.ts'
import { columnSchema } from '../columns/column-schema.ts'
import type { Catalog, CatalogTable } from '../read/catalog.ts'
import type { FieldDraft, OwnRelation, TableId } from './draft.ts'
import type { Exclusions } from './exclusions.ts'
import { isSecret } from './exclusions.ts'
import { fieldName } from './names.ts'

interface Context {
  readonly id: TableId
  /** Requests write the table. */
  readonly isWritten: boolean
  readonly relations: readonly OwnRelation[]
  readonly exclusions: Exclusions
  /** Gets a sentence for each column that becomes no field. */
  readonly notes: string[]
}

/** The fields of a table: all columns but those of the id and of foreign keys. */
export function draftFields(catalog: Catalog, table: CatalogTable, context: Context): FieldDraft[] {
  const { id, isWritten, relations, exclusions, notes } = context
  const taken = new Set(['id', ...relations.flatMap(({ name, foreignKey }) => [name, foreignKey.name])])
  const others = new Set(relations.map(({ foreignKey }) => foreignKey.column))
  if (id.members === undefined && id.column !== undefined) others.add(id.column)
  const fields: FieldDraft[] = []
  for (const column of table.found.columns.values()) {
    if (others.has(column.name)) continue
    const schema = columnSchema(catalog, table, column)
    const reason = exclusions.ofColumn(table.name, column.name) ?? (typeof schema === 'string' ? schema : undefined)
    if (reason !== undefined || typeof schema === 'string') {
      notes.push(`The column ${JSON.stringify(column.name)} is left out: ${reason}`)
      continue
    }
    const name = fieldName(column.name, taken)
    taken.add(name)
    const isPart = id.members?.includes(column.name) === true
    const part = { isPart, isWritten, note: noteOf(table, column.name, exclusions) }
    fields.push(draftField(name, column, schema, part))
  }
  return fields
}

/** Why a foreign key is no relation, and which values are in the way. */
function noteOf(table: CatalogTable, column: string, exclusions: Exclusions): string | undefined {
  const reason = exclusions.ofRelation(table.name, column)
  const key = table.foreignKeys.find(({ columns }) => columns.includes(column))
  const ofKey = key && (reason ?? whyNone(key))
  const notes = [
    ...(key === undefined ? [] : [`a foreign key to ${key.targetName}, but no relation, because ${ofKey}`]),
    ...[exclusions.noteOfColumn(table.name, column) ?? []].flat(),
  ]
  return notes.length === 0 ? undefined : notes.join('; ')
}

function whyNone({ columns, target }: FoundForeignKey): string {
  if (columns.length > 1) return 'it has several columns'
  return target === undefined ? 'that table is not described here' : 'no resource has that key'
}

interface Part {
  /** It is a part of the id. */
  readonly isPart: boolean
  /** Requests write its table. */
  readonly isWritten: boolean
  readonly note: string | undefined
}

function draftField(name: string, column: FoundColumn, schema: JsonSchema, part: Part): FieldDraft {
  const { isPart, isWritten, note } = part
  const { notNull } = column
  const isComputed = isWritten && isGivenAlways(column)
  const isNullable = !notNull && !isPart
  const given = isComputed ? dbDefault : isWritten ? columnDefault(column, schema) : undefined
  const isWriteOnly = !isPart && !isComputed && schema.type === 'string' && isSecret(column.name)
  const options: FieldOptions = {
    ...(given !== undefined && { default: given }),
    ...(isComputed && { readOnly: true }),
    ...(isWriteOnly && { writeOnly: true }),
    ...(schema.contentEncoding === 'base64' && { summary: false }),
  }
  return { name, column: column.name, schema, isNullable, options, note }
}

/** Whether no statement may give the column a value. */
function isGivenAlways({ isComputed, isAlwaysIdentity }: FoundColumn): boolean {
  return isComputed || isAlwaysIdentity
}

/**
 * What a body without the field's value gets: the constant of the column's default, or `dbDefault` where only the
 * database can compute it; undefined without a default.
 */
function columnDefault({ default: given, hasDefault }: FoundColumn, schema: JsonSchema): FieldOptions['default'] {
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
