import type { Model } from '@fastify-crud/core'
import {
  HISTORY_RECORDS_TABLE,
  HISTORY_TABLE,
  hasHistory,
  integerId,
  NUMBERS_TABLE,
  REPEATS_TABLE,
} from '@fastify-crud/core/internal'
import { type FieldColumn, type IdColumn, PLAIN_TABLE, plainColumn, type TableLayout } from './table-layout.ts'
import { tableLayout } from './tables-of-model.ts'

/** The tables of a model, and those that belong to the library itself. No descriptor can name these. */
export function withOwnTables(model: Model): readonly TableLayout[] {
  return [...withHistory(model), numbers, repeats]
}

/** The tables of a model, and those of the library that its resources need. */
export function withHistory(model: Model): readonly TableLayout[] {
  const tables = tableLayout(model)
  return hasHistory(model) ? [...tables, history, historyRecords] : tables
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

/** The writes of records with a history, by their position. */
const history = {
  ...ownTable(
    HISTORY_TABLE,
    [
      position(),
      text('id'),
      text('tenant'),
      integer('at'),
      text('operation'),
      text('resource'),
      { ...text('record'), nullable: true },
      { ...text('by'), nullable: true },
      text('effects'),
    ],
    ['position'],
    [['resource', 'at']],
  ),
  uniques: [{ columns: ['id'], where: [], needsDeferral: false }],
}

/** The records that these writes have touched. */
const historyRecords = ownTable(
  HISTORY_RECORDS_TABLE,
  [text('tenant'), text('resource'), text('record'), text('write')],
  ['tenant', 'resource', 'record', 'write'],
  [['write']],
)

function position(): IdColumn {
  const name = 'position'
  return { name, nameInModel: name, kind: 'id', nullable: false, ids: integerId('database') }
}

function ownTable(
  name: string,
  columns: readonly (FieldColumn | IdColumn)[],
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
