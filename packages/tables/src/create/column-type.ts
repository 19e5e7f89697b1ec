import { type DatabaseName, dialects, formIn, type StorageKind } from '@fastify-crud/core/internal'
import type { ColumnDataType } from 'kysely'
import { type ColumnLayout, isIdColumn, typedAs } from '../layout/table-layout.ts'

/** The type of a column that `createTables` makes. */
export function columnType(database: DatabaseName, column: ColumnLayout): ColumnDataType {
  const typed = typedAs(column)
  return isIdColumn(typed)
    ? dialects[database].ids[typed.ids.stored].columns.type
    : (formIn(dialects[database].forms, typed.stored)?.type ?? FIELD_TYPES[database][typed.kind])
}

const FIELD_TYPES: Readonly<Record<DatabaseName, Readonly<Record<StorageKind, ColumnDataType>>>> = {
  sqlite: {
    string: 'text',
    date: 'text',
    bytes: 'blob',
    integer: 'integer',
    number: 'real',
    boolean: 'boolean',
    json: 'text',
  },
  postgres: {
    string: 'text',
    date: 'date',
    bytes: 'bytea',
    integer: 'bigint',
    number: 'double precision',
    boolean: 'boolean',
    json: 'jsonb',
  },
}
