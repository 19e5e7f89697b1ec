import type { ColumnDataType } from 'kysely'
import type { DatabaseName } from '../../query/dialect/database.ts'
import type { ColumnKind } from './table-layout.ts'

/** The type of a column that `createTables` makes. */
export const columnTypes: Readonly<Record<DatabaseName, Readonly<Record<ColumnKind, ColumnDataType>>>> = {
  sqlite: {
    id: 'integer',
    foreignKey: 'integer',
    string: 'text',
    date: 'text',
    integer: 'integer',
    number: 'real',
    boolean: 'boolean',
    json: 'text',
  },
  postgres: {
    id: 'bigint',
    foreignKey: 'bigint',
    string: 'text',
    date: 'date',
    integer: 'bigint',
    number: 'double precision',
    boolean: 'boolean',
    json: 'jsonb',
  },
}
