import type { KeyConditionDeclaration } from '@fastify-crud/core'
import { type Constant, fieldCheck, storageOf, textFormat } from '@fastify-crud/core/internal'
import { type FoundCondition, textsOf } from '../../catalogs/found-conditions.ts'
import type { FoundIndex } from '../../catalogs/found-tables.ts'
import type { CatalogTable } from '../read/catalog.ts'
import type { FieldDraft } from './draft.ts'

/**
 * The condition of a partial unique index as a descriptor has it; undefined if it cannot say it. It is empty if it holds for all rows.
 *
 * @param names those of fields and relations, by the column
 */
export function draftConditions(
  table: CatalogTable,
  { where }: FoundIndex,
  names: ReadonlyMap<string, string>,
  fields: readonly FieldDraft[],
): Readonly<Record<string, KeyConditionDeclaration>> | undefined {
  if (where === undefined) return undefined
  const conditions: Record<string, KeyConditionDeclaration> = {}
  for (const { column, is } of where) {
    const name = names.get(column)
    const isNeverNull = table.found.columns.get(column)?.notNull === true
    if (is === 'not null' && isNeverNull) continue
    const field = fields.find((one) => one.column === column)
    const declared = field?.options.writeOnly === true ? undefined : declaredAs(is, field)
    if (name === undefined || declared === undefined || Object.hasOwn(conditions, name)) return undefined
    if (is === 'null' && isNeverNull) return undefined
    conditions[name] = declared
  }
  return conditions
}

/** `field`: undefined for a relation. */
function declaredAs(is: FoundCondition['is'], field: FieldDraft | undefined): KeyConditionDeclaration | undefined {
  const storage = field && storageOf(field.schema)
  const kind = storage !== undefined && 'kind' in storage ? storage.kind : undefined
  if (kind === 'json' || kind === 'bytes') return undefined
  if (is === 'null') return null
  if (is === 'not null') return { null: false }
  if (field === undefined || kind === undefined || kind === 'date') return undefined
  if (textFormat(field.schema) !== undefined || field.schema.stored !== undefined) return undefined
  const value = constantOf(is.text, kind)
  return value !== undefined && fieldCheck(field.schema, kind)(value).length === 0 ? value : undefined
}

function constantOf(text: string, kind: 'string' | 'integer' | 'number' | 'boolean'): Constant | undefined {
  switch (kind) {
    case 'string':
      return text
    case 'boolean':
      return [true, false].find((value) => textsOf(value).includes(text))
    case 'integer':
    case 'number':
      return text === '' || !Number.isFinite(Number(text)) ? undefined : Number(text)
  }
}
