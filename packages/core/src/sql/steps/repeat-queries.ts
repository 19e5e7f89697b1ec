import { type RawBuilder, sql } from 'kysely'
import type { Id } from '../../model/ids/id-kind.ts'
import type { Owns, Resource } from '../../model/model.ts'
import type { QueryContext } from '../context.ts'
import { engineOf } from '../dialect/postgres/engine.ts'
import { lockedBy } from '../reads/read-queries.ts'
import { WHOSE } from '../rows/whose-rows.ts'
import { idSqlOf } from '../text/member-id-sql.ts'
import { type Prepared, prepare } from '../text/prepare.ts'
import { column, join, type Sql, slot } from '../text/sql-text.ts'
import type { StatementCache } from '../text/statement-cache.ts'
import { heldRows, NUMBERS_TABLE, REPEATS_TABLE } from '../text/stored-rows.ts'
import { keptId } from './reserved-ids.ts'
import { stampColumn } from './step-shape.ts'

/** The statements of `crud_idempotency`. A row is found by the slots {@link WHOSE} and `key`. */
export interface RepeatQueries {
  /** Adds the row (slots `body`, `status`, `resource`, `ids`, `count`, `at`). Fails, as its key is unique, if it is
   * there. */
  readonly claim: Prepared
  /** Notes the ids of the records (slot `ids`) that the request has written, or their number (slot `count`). */
  readonly note: Prepared
  /** What the row says. */
  readonly find: Prepared
  /** Removes the row unless it is younger than the slot `at`. */
  readonly forget: Prepared
  /** Removes some rows that are older than the slot `at`. */
  readonly clean: Prepared
}

/** How long a repeat waits for a first request that is under way. */
export const MOST_WAIT_MS = 5_000

/** So many old rows are removed at once. */
const CLEANED_AT_ONCE = 1_000

const COLUMNS = [WHOSE, 'key', 'body', 'status', 'resource', 'ids', 'count', 'at'] as const

export function repeatQueries(context: QueryContext): RepeatQueries {
  const { db, names, dialect } = context
  const table = names.table(REPEATS_TABLE).sql
  const column = (name: (typeof COLUMNS)[number]) => sql.id(names.column(name))
  const key = join([column(WHOSE), column('key')])
  const isRow = sql`${column(WHOSE)} = ${slot(WHOSE)} and ${column('key')} = ${slot('key')}`
  const typed = dialect.rowLocks === undefined ? slot('count') : sql`cast(${slot('count')} as bigint)`
  const skipped = dialect.rowLocks === undefined ? sql`` : lockedBy(context, 'for update', 'skips')
  const old = sql`select ${key} from ${table} where ${column('at')} <= ${slot('at')} order by ${column('at')} limit ${sql.lit(CLEANED_AT_ONCE)}${skipped}`
  const said = COLUMNS.map((name) => sql`${column(name)} as ${sql.id(name)}`)
  return {
    claim: prepare(db, claimOf(context, sql`insert into ${table} (${join(COLUMNS.map(column))})`)),
    note: prepare(
      db,
      sql`update ${table} set ${column('ids')} = ${slot('ids')}, ${column('count')} = ${typed} where ${isRow}`,
    ),
    find: prepare(db, sql`select ${join(said)} from ${table} where ${isRow}`),
    forget: prepare(db, sql`delete from ${table} where ${isRow} and ${column('at')} <= ${slot('at')}`),
    clean: prepare(db, sql`delete from ${table} where (${key}) in (${old})`),
  }
}

/**
 * PostgreSQL waits for a transaction that has added the same row. It does so for a limited time, without a round trip
 * that sets the limit and another one that sets it back: both are parts of the statement.
 */
function claimOf({ db, dialect }: QueryContext, insert: Sql): RawBuilder<unknown> {
  const values = join(COLUMNS.map((name) => slot(name)))
  if (dialect.rowLocks === undefined || !engineOf(db).setConfig) return sql`${insert} values (${values})`
  const patience = sql.id('crud_patience')
  return sql`with ${patience} as materialized (select current_setting('lock_timeout') as before, set_config('lock_timeout', '${sql.raw(String(MOST_WAIT_MS))}', true)) ${insert} select ${typedValues()} from ${patience} returning set_config('lock_timeout', (select before from ${patience}), true)`
}

/** In a SELECT, parameters have the types that they are given. */
function typedValues(): Sql {
  const integers: readonly string[] = ['status', 'count', 'at']
  return join(
    COLUMNS.map((name) =>
      integers.includes(name) ? sql`cast(${slot(name)} as bigint)` : sql`cast(${slot(name)} as text)`,
    ),
  )
}

/** The same as `note`, for the only new record of a resource, whose id the transaction keeps. */
export function noteKeptQuery(context: QueryContext, resource: Resource): Prepared {
  const { db, names } = context
  const ids = sql`json_build_array(${idSqlOf(context, resource).text(keptId(context, resource))})::text`
  const [idsColumn, whose, key] = ['ids', WHOSE, 'key'].map((name) => sql.id(names.column(name)))
  const row = sql`${whose} = ${slot(WHOSE)} and ${key} = ${slot('key')}`
  return prepare(db, sql`update ${names.table(REPEATS_TABLE).sql} set ${idsColumn} = ${ids} where ${row}`)
}

/** The last number of a group of rows (slots {@link WHOSE}, `counter`, `series`), once it has taken further ones (slot
 * `count`). The row is locked. */
export interface NumberQueries {
  /** Begins with the slot `last` where no number was given yet. */
  readonly next: Prepared
  /** No row where no number was given yet. */
  readonly nextIfKnown: Prepared
}

export function numberQueries({ db, names }: QueryContext): NumberQueries {
  const table = names.table(NUMBERS_TABLE).sql
  const column = (name: string) => sql.id(names.column(name))
  const key = [WHOSE, 'counter', 'series'] as const
  const keyColumns = join(key.map(column))
  const isKey = join(
    key.map((name) => sql`${column(name)} = ${slot(name)}`),
    sql` and `,
  )
  const last = column('last')
  return {
    next: prepare(
      db,
      sql`insert into ${table} as ${sql.id('n')} (${keyColumns}, ${last}) values (${join(key.map((name) => slot(name)))}, ${slot('last')}) on conflict (${keyColumns}) do update set ${last} = ${sql.id('n')}.${last} + ${slot('count')} returning ${last}`,
    ),
    nextIfKnown: prepare(
      db,
      sql`update ${table} set ${last} = ${last} + ${slot('count')} where ${isKey} returning ${last}`,
    ),
  }
}

/** A relation, and some owners. */
export interface OwnersIn {
  readonly owns: Owns
  readonly ids: readonly Id[]
}

export interface StampQuery {
  /** A row if one of the owners has a record that an earlier write has deleted with this moment. */
  readonly query: Prepared
  readonly values: readonly unknown[]
}

const ALIAS = 't'

export function stampQueries(
  context: QueryContext,
  statements: StatementCache,
): (owners: readonly OwnersIn[], at: string) => StampQuery {
  const queryOf = statements.each((context, relations: readonly Owns[]) => {
    const columns = relations.map(({ target }) => stampColumn(context, target))
    const areTaken = relations.map(({ source, target, inverse }, index) => {
      const stamped = columns[index] as (typeof columns)[number]
      const isOwned = sql`${column(ALIAS, inverse.column)} in (${idSqlOf(context, source).list(slot(index * 2))})`
      const isSame = sql`${column(ALIAS, stamped.name)} = ${context.dialect.value(slot(index * 2 + 1), stamped)}`
      return sql`exists (select 1 ${heldRows(context, target, ALIAS).from(isOwned, isSame)})`
    })
    return { query: prepare(context.db, sql`select 1 as one where ${join(areTaken, sql` or `)}`), columns }
  })
  return (owners, at) => {
    const { query, columns } = queryOf(owners.map(({ owns }) => owns))
    const values = owners.flatMap(({ owns, ids }, index) => [
      idSqlOf(context, owns.source).encodeList(ids),
      context.dialect.encodeValue(at, columns[index] as (typeof columns)[number]),
    ])
    return { query, values }
  }
}
