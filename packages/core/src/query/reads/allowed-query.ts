import { sql } from 'kysely'
import type { Id } from '../../model/ids.ts'
import type { GuardedRows } from '../../plan/decide/guarded-rows.ts'
import { mayForbid } from '../../policies/rights.ts'
import type { QueryContext } from '../context.ts'
import { idSqlOf } from '../id-sql-of.ts'
import type { Once } from '../once.ts'
import { type Prepared, prepare } from '../prepare.ts'
import { mayWrite } from '../shown-rows.ts'
import { storedRows } from '../source.ts'
import { column, constant, join, slot } from '../sql-text.ts'
import { idValue, keptId, type NewIds } from '../steps/new-ids.ts'

/** What the only column has if the policies allow all of the rows. */
export const ALLOWED = 'allowed'

/** In the message of the error with which {@link allowedQuery} fails. PostgreSQL's log shows it. */
export const NOT_ALLOWED = 'fastify-crud: a policy does not allow what the write has stored'

/** Asks the policies about rows that are in the tables. */
export interface AllowedQuery {
  /**
   * Its only column has {@link ALLOWED}, or something else. Where statements are pipelined, it fails with {@link NOT_ALLOWED}, so
   * that nothing behind it is done.
   */
  readonly query: Prepared
  readonly values: Readonly<Record<string, unknown>>
}

/** Undefined if no policy has to be asked. */
export function allowedQuery(
  context: QueryContext,
  guarded: readonly GuardedRows[],
  newIds: NewIds,
  once: Once,
): AllowedQuery | undefined {
  const asked = guarded.filter(({ resource, action }) => mayForbid(context.rights, resource, action))
  if (asked.length === 0) return undefined
  const values: Record<string, unknown> = {}
  const names: string[] = []
  const isKept = asked.map(({ resource, action, rows }, index) => {
    const ids = [...rows.keys()].map((row) => idValue(row, newIds))
    // Only the database knows the id of a row that is the only new one of its resource.
    const kept = ids.includes(null)
    if (!kept) values[`ids${index}`] = idSqlOf(context, resource).encodeList(ids as Id[])
    names.push(`${action}:${resource.key}${kept ? ':kept' : ''}`)
    return kept
  })
  const query = once(`allows ${names.join(' ')}`, () => prepareQuery(context, asked, isKept))
  return { query, values }
}

function prepareQuery(context: QueryContext, asked: readonly GuardedRows[], isKept: readonly boolean[]): Prepared {
  const { db, dialect } = context
  const areForbidden = asked.map(({ resource, action }, index) => {
    const id = column('t', resource.idColumn)
    const list = idSqlOf(context, resource).list(slot(`ids${index}`))
    const isAsked = isKept[index] ? sql`${id} = ${keptId(context, resource)}` : sql`${id} in (${list})`
    const isForbidden = sql`${mayWrite(context, resource, action, 't')} is not true`
    return sql`exists (select 1 ${storedRows(context, resource, 't').from(isAsked, isForbidden)})`
  })
  const allowed = constant(ALLOWED)
  const answer = sql`select case when ${join(areForbidden, sql` or `)} then 'forbidden' else ${allowed} end as json`
  return prepare(db, dialect.pipelining?.failUnlessSame(answer, allowed, NOT_ALLOWED) ?? answer)
}
