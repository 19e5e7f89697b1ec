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
      : sqliteSchema(
          column,
          table.samples.map((row) => row[column.name]),
        )
  if (typeof schema === 'string' || described?.comment === undefined) return schema
  return { ...schema, description: described.comment }
}
