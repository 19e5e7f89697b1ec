import type { JsonSchema } from '../../../model/descriptors/json-schema.ts'
import type { FoundColumn } from '../../catalogs/found-tables.ts'
import type { Catalog, CatalogTable } from '../read/catalog.ts'
import { postgresSchema } from './postgres-schema.ts'
import { sqliteSchema } from './sqlite-schema.ts'

/** The schema of a column's values; a text: why no field can have them. */
export function columnSchema(catalog: Catalog, table: CatalogTable, column: FoundColumn): JsonSchema | string {
  const described = table.described.get(column.name)
  const schema =
    catalog.database === 'postgres'
      ? postgresSchema(column, described?.values, catalog.timeZone)
      : ofSqlite(table, column)
  if (typeof schema === 'string' || described?.comment === undefined) return schema
  return { ...schema, description: described.comment }
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
