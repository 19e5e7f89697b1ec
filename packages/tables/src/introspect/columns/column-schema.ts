import type { JsonSchema } from '@fastify-crud/core/internal'
import type { FoundColumn } from '../../catalogs/found-tables.ts'
import { columnWithSameLetters } from '../draft/same-letters.ts'
import type { Catalog, CatalogTable } from '../read/catalog.ts'
import { oneOfTexts, postgresSchema } from './postgres-schema.ts'
import { sqliteSchema } from './sqlite-schema.ts'

/** The schema of a column's values; a text: why no field can have them. */
export function columnSchema(catalog: Catalog, table: CatalogTable, column: FoundColumn): JsonSchema | string {
  const alike = columnWithSameLetters(table, column.name)
  if (alike !== undefined) return alike
  const described = table.described.get(column.name)
  const schema =
    catalog.database === 'postgres'
      ? postgresSchema(column, described?.values, catalog.timeZone)
      : ofSqlite(table, column)
  if (typeof schema === 'string') return schema
  const narrow = described?.checked === undefined ? schema : (oneOfChecked(column, schema, described.checked) ?? schema)
  return described?.comment === undefined ? narrow : { ...narrow, description: described.comment }
}

/** The texts that a CHECK allows, where these are all that the column can have: to a collation, others may be equal. */
function oneOfChecked(column: FoundColumn, schema: JsonSchema, texts: readonly string[]): JsonSchema | undefined {
  const { type, format, contentEncoding, maxLength } = schema
  const isText = type === 'string' && format === undefined && contentEncoding === undefined
  if (!isText || !column.isExact || column.type === 'citext' || column.type === 'name') return undefined
  // With blanks behind it, a text is equal to one without.
  if (column.type === 'bpchar' && texts.some((text) => [...text].length !== maxLength)) return undefined
  return oneOfTexts([...new Set(texts)])
}

/** What a view computes has no type, and other rows may have fractions. */
function ofSqlite({ kind, samples }: CatalogTable, column: FoundColumn): JsonSchema | string {
  const schema = sqliteSchema(
    column,
    samples.map((row) => row[column.name]),
  )
  const isComputed = kind === 'view' && column.type === '' && typeof schema !== 'string'
  return isComputed && schema.type === 'integer' ? { type: 'number' } : schema
}
