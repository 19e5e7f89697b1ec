import { NUMBERS_TABLE, REPEATS_TABLE } from '@fastify-crud/core/internal'
import { type FieldColumn, PLAIN_TABLE, plainColumn, type TableLayout } from './table-layout.ts'

/** The tables of a model, and those that belong to the library itself. No descriptor can name these. */
export function withOwnTables(tables: readonly TableLayout[]): readonly TableLayout[] {
  return [...tables, numbers, repeats]
}

/** The last number of each group of rows that `numbers` has counted. */
const numbers = ownTable(
  NUMBERS_TABLE,
  [text('tenant'), text('counter'), text('series'), integer('last')],
  ['tenant', 'counter', 'series'],
)

/** What requests with an `Idempotency-Key` have done. */
const repeats = ownTable(
  REPEATS_TABLE,
  [
    text('tenant'),
    text('key'),
    text('body'),
    integer('status'),
    text('resource'),
    { ...text('ids'), nullable: true },
    { ...integer('count'), nullable: true },
    integer('at'),
  ],
  ['tenant', 'key'],
  [['at']],
)

function ownTable(
  name: string,
  columns: readonly FieldColumn[],
  primaryKey: readonly string[],
  declaredIndexes: readonly (readonly string[])[] = [],
): TableLayout {
  return { ...PLAIN_TABLE, key: name, name, columns, primaryKey, declaredIndexes }
}

function text(name: string): FieldColumn {
  return plainColumn(name, name, 'string', { type: 'string' })
}

function integer(name: string): FieldColumn {
  return plainColumn(name, name, 'integer', { type: 'integer' })
}
