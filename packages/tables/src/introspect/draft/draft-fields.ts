import { dbDefault, type FieldOptions } from '@fastify-crud/core'
import type { JsonSchema } from '@fastify-crud/core/internal'
import type { FoundColumn, FoundForeignKey } from '../../catalogs/found-tables.ts'
import { columnDefault } from '../columns/column-default.ts'
import { columnSchema } from '../columns/column-schema.ts'
import type { Catalog, CatalogTable } from '../read/catalog.ts'
import type { FieldDraft, OwnRelation } from './draft.ts'
import type { Exclusions } from './exclusions.ts'
import { isSecret } from './housekeeping.ts'
import { fieldName } from './names.ts'
import type { TableId } from './table-id.ts'

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
