import type { DatabaseName } from '@fastify-crud/core/internal'
import type { FoundColumn } from '../../catalogs/found-tables.ts'
import { type ColumnLayout, typedAs } from '../../layout/table-layout.ts'
import type { Misfit } from './misfit.ts'
import { postgresMisfit } from './postgres-misfit.ts'
import { sqliteMisfit } from './sqlite-misfit.ts'

export function columnMisfit(
  database: DatabaseName,
  column: ColumnLayout,
  found: FoundColumn,
  isStrict: boolean,
): Misfit | undefined {
  const typed = typedAs(column)
  return database === 'postgres' ? postgresMisfit(typed, found) : sqliteMisfit(typed, found, isStrict)
}
