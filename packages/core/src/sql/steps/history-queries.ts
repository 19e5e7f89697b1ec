import { sql } from 'kysely'
import type { QueryContext } from '../context.ts'
import type { RowsTable } from '../dialect/dialect.ts'
import { WHOSE } from '../rows/whose-rows.ts'
import { type Prepared, prepare } from '../text/prepare.ts'
import { column, join, type Sql, slot } from '../text/sql-text.ts'
import { HISTORY_RECORDS_TABLE, HISTORY_TABLE, PRUNED } from '../text/stored-rows.ts'

/**
 * The statements of `crud_history`, which has a row for each write, and of `crud_history_records`, which has one for
 * each record that a write has touched. A record is found by the slots {@link WHOSE}, `resource` and `record`.
 */
export interface HistoryQueries {
  /** Adds a write (a slot for each of its columns): the database gives it the next position, and the moment. */
  readonly addWrite: Prepared
  /** Adds the records of a write: rows of {@link WHOSE}, `resource`, `record` and `write`. */
  addRecords(rows: readonly (readonly string[])[]): { readonly query: Prepared; readonly values: readonly unknown[] }
  /** The writes of a record before a position (slot `before`), the newest first (slot `most`). */
  readonly writesOf: Prepared
  /** One write (slot `write`) of a record. */
  readonly writeOf: Prepared
  /** The writes of a record behind a position (slot `position`). */
  readonly writesBehind: Prepared
  /** All writes behind a position (slot `position`), the oldest first (slot `most`). */
  readonly writesFrom: Prepared
  /** The last position that a write has. */
  readonly lastPosition: Prepared
  /** The last position that a write ever had; null, or no row: none had, or nobody knows. */
  readonly lastDrawn: Prepared
  /** Whether one of the writes behind a position (slot `position`) was removed as too old. */
  readonly isPruned: Prepared
  /** The transactions that are adding to the history at the moment; undefined where there is one writer at a time. */
  readonly writers: Prepared | undefined
  /** Sets what is kept (slot `effects`) of a write (slot `write`). */
  readonly setEffects: Prepared
  /** Removes a write (slot `write`), or a record of it. */
  readonly removeWrite: Prepared
  readonly removeRecord: Prepared
}

const HISTORY = ['id', WHOSE, 'operation', 'resource', 'record', 'by', 'effects'] as const
const RECORDS = [WHOSE, 'resource', 'record', 'write'] as const

export function historyQueries(context: QueryContext): HistoryQueries {
  const { db, names, dialect } = context
  const [writes, records] = [HISTORY_TABLE, HISTORY_RECORDS_TABLE].map((name) => names.table(name)) as [
    RowsTable['table'],
    RowsTable['table'],
  ]
  const named = (name: string) => sql.id(names.column(name))
  const of = (alias: string, name: string) => column(alias, names.column(name))
  const list = (all: readonly string[]) => join(all.map(named))
  const rows: RowsTable = {
    table: records,
    columns: RECORDS.map((name) => ({ name, inDatabase: names.column(name), storage: 'string' })),
  }
  const given = sql`${dialect.rows(slot(0), rows, 'inserted')} as ${sql.id('x')}`
  const addRecords = prepare(
    db,
    sql`insert into ${records.sql} (${list(RECORDS)}) select ${join(RECORDS.map((name) => column('x', name)))} from ${given}`,
  )
  const said = ['position', 'at', ...HISTORY].map((name) => sql`${of('h', name)} as ${sql.id(name)}`)
  const isRecord = [WHOSE, 'resource', 'record'].map((name) => sql`${of('r', name)} = ${slot(name)}`)
  const readWrites = (...conditions: readonly Sql[]) => {
    const joined = sql`${records.sql} as ${sql.id('r')} join ${writes.sql} as ${sql.id('h')} on ${of('h', 'id')} = ${of('r', 'write')}`
    const newestFirst = sql`order by ${of('h', 'position')} desc`
    return sql`select ${join(said)} from ${joined} where ${join([...isRecord, ...conditions], sql` and `)} ${newestFirst}`
  }
  const isIt = (name: (typeof RECORDS)[number]) => sql`${named(name)} = ${slot(name)}`
  return {
    addWrite: prepare(
      db,
      sql`insert into ${writes.sql} (${list(HISTORY)}, ${named('at')}) values (${join(HISTORY.map((name) => slot(name)))}, ${dialect.momentNow})`,
    ),
    addRecords: (all) => ({ query: addRecords, values: [dialect.encodeRows(all, rows)] }),
    writesOf: prepare(
      db,
      sql`${readWrites(sql`${of('h', 'position')} < ${slot('before')}`)} limit ${dialect.quantity(slot('most'))}`,
    ),
    writeOf: prepare(db, readWrites(sql`${of('h', 'id')} = ${slot('write')}`)),
    writesBehind: prepare(db, readWrites(sql`${of('h', 'position')} > ${slot('position')}`)),
    writesFrom: prepare(
      db,
      sql`select ${join(said)} from ${writes.sql} as ${sql.id('h')} where ${of('h', 'position')} > ${slot('position')} order by ${of('h', 'position')} limit ${dialect.quantity(slot('most'))}`,
    ),
    lastPosition: prepare(db, sql`select max(${named('position')}) as ${sql.id('position')} from ${writes.sql}`),
    lastDrawn: prepare(db, dialect.lastDrawn(writes, names.column('position'))),
    isPruned: prepare(
      db,
      sql`select 1 as ${sql.id('is_pruned')} from ${writes.sql} where ${named('operation')} = ${sql.lit(PRUNED)} and ${named('position')} > ${slot('position')} limit 1`,
    ),
    writers: dialect.writersOf && prepare(db, dialect.writersOf(writes)),
    setEffects: prepare(
      db,
      sql`update ${writes.sql} set ${named('effects')} = ${slot('effects')} where ${named('id')} = ${slot('write')}`,
    ),
    removeWrite: prepare(db, sql`delete from ${writes.sql} where ${named('id')} = ${slot('write')}`),
    removeRecord: prepare(db, sql`delete from ${records.sql} where ${join(RECORDS.map(isIt), sql` and `)}`),
  }
}
