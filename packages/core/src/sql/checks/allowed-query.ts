import { sql } from 'kysely'
import { mayForbid, type PolicyCondition, type RowAction } from '../../asking/policies/rights.ts'
import type { Id } from '../../model/ids/id-kind.ts'
import type { Computed, Resource } from '../../model/model.ts'
import type { GuardedRows } from '../../planning/decide/guarded-rows.ts'
import { idValue, type NewIds } from '../../planning/order/new-ids.ts'
import type { QueryContext } from '../context.ts'
import { NOT_ALLOWED, RIGHT_LOST } from '../dialect/dialect.ts'
import { computedSql } from '../filters/computed-sql.ts'
import { amongIds } from '../rows/path-condition.ts'
import { forbiddenRows, ruleSql } from '../rows/visible-rows.ts'
import { allKeptIds, keptId } from '../steps/reserved-ids.ts'
import { idSqlOf, rowId } from '../text/member-id-sql.ts'
import { type Prepared, prepare } from '../text/prepare.ts'
import { constant, join, type Sql, slot } from '../text/sql-text.ts'
import type { StatementCache } from '../text/statement-cache.ts'
import { storedRows } from '../text/stored-rows.ts'

/** What the only column has if the policies allow all of the rows. */
export const ALLOWED = 'allowed'

/** Asks the policies about rows that are in the tables. */
export interface AllowedQuery {
  /**
   * Its only column has {@link ALLOWED}, or something else. Where statements are pipelined, it fails with
   * {@link NOT_ALLOWED} or {@link RIGHT_LOST}, so that nothing behind it is done.
   */
  readonly query: Prepared
  readonly values: Readonly<Record<string, unknown>>
}

/** Gives undefined if no policy has to be asked. */
export function allowedQueries(
  context: QueryContext,
  statements: StatementCache,
): (guarded: readonly GuardedRows[], newIds: NewIds) => AllowedQuery | undefined {
  const queryOf = statements.each((context, asked: readonly Asked[]) => prepareQuery(context, asked))
  return (guarded, newIds) => {
    const restricted = guarded.filter(({ resource, action }) => mayForbid(context.rights, resource, action))
    if (restricted.length === 0) return undefined
    const values: Record<string, unknown> = {}
    const asked = restricted.map(({ resource, action, rows, when }, index): Asked => {
      const ids = [...rows.keys()].map((row) => idValue(row, newIds))
      const idsAt =
        newIds.keptByTransaction.has(resource) && action === 'Add' ? 'all kept' : ids.includes(null) ? 'kept' : 'given'
      if (idsAt === 'given') values[`ids${index}`] = idSqlOf(context, resource).encodeList(ids as Id[])
      return [resource, action, when, idsAt]
    })
    return { query: queryOf(asked), values }
  }
}

/** What is asked about rows, and where their ids are: among the values, or kept by the transaction. */
type Asked = readonly [
  resource: Resource,
  action: RowAction,
  when: GuardedRows['when'],
  idsAt: 'given' | 'kept' | 'all kept',
]

function prepareQuery(context: QueryContext, asked: readonly Asked[]): Prepared {
  const { db, dialect } = context
  const areForbidden = asked.map(([resource, action, , idsAt], index) => {
    const forbidden = forbiddenRows(context, resource, action)
    if (idsAt === 'kept') {
      const isKeptRow = sql`${rowId(resource, 't')} = ${keptId(context, resource)}`
      return sql`exists (select 1 ${forbidden.from(isKeptRow)})`
    }
    const ids = idsAt === 'given' ? slot(`ids${index}`) : allKeptIds(resource)
    return sql`exists (select 1 from ${amongIds(context, resource, ids, forbidden)})`
  })
  const allowed = constant(ALLOWED)
  const parts = (['again', 'once'] as const).flatMap((when) => {
    const forbidden = areForbidden.filter((_, index) => asked[index]?.[2] === when)
    if (forbidden.length === 0) return []
    const answer = sql`select case when ${join(forbidden, sql` or `)} then 'forbidden' else ${allowed} end as json`
    return [dialect.pipelining?.failUnlessSame(answer, allowed, when === 'again' ? RIGHT_LOST : NOT_ALLOWED) ?? answer]
  })
  const [only] = parts as [Sql, ...Sql[]]
  return prepare(db, parts.length === 1 ? only : sql`select ${join(parts.map((part) => sql`(${part})`))}`)
}

const ROW = 't0'

/** A policy's condition as a query that has the database check its names and types. */
export function checkOfCondition(context: QueryContext, resource: Resource, condition: PolicyCondition): Sql {
  const row = { resource, alias: ROW, row: undefined }
  const holds = ruleSql(context, row, [condition], {
    // The other policy has a check of its own. Here only the id is of interest.
    otherPolicy({ resource: target }, { sql: id }, alias) {
      return sql`(${id}) in (select ${rowId(target, alias)} ${storedRows(context, target, alias).from()})`
    },
  }) as Sql
  return sql`exists (select 1 ${storedRows(context, resource, ROW).from(holds)})`
}

/** The same for the expression of a computed field. */
export function checkOfComputed(context: QueryContext, computed: Computed): Sql {
  return sql`(select ${computedSql(context, computed, ROW)} ${storedRows(context, computed.source, ROW).from()})`
}

/**
 * A statement that has the database look at queries and run none of them. PostgreSQL does not even plan them, so it
 * calls none of the functions in them: those of row level security may fail without the settings of a request.
 */
export function checkStatement({ db }: QueryContext, queries: readonly Sql[]): Prepared {
  const columns = queries.map((query, index) => sql`case when false then ${query} end as ${sql.id(`c${index}`)}`)
  return prepare(db, sql`select ${join(columns)}`)
}
