import type { PolicySet } from '../../asking/policies/read-policies.ts'
import type { Model } from '../../model/model.ts'
import { databaseErrorKind, endsSession, isFromDatabase } from '../../session/database-errors.ts'
import { anySession } from '../../session/session-pool.ts'
import { checkOfComputed, checkOfCondition, checkStatement } from '../../sql/checks/expression-check.ts'
import type { QueryContext } from '../../sql/context.ts'
import type { Sql } from '../../sql/text/sql-text.ts'
import { computedIn, placeOf } from './check-computed.ts'

/** An expression that an application wrote, and the query that has the database check it. */
interface Check {
  readonly place: string
  readonly query: Sql
}

/** The most expressions in one statement. */
const MOST_AT_ONCE = 50

/**
 * Has the database prepare every policy and every computed expression. Resolves to what is wrong with them, each with its place.
 * Rejects where the database cannot be asked.
 */
export async function expressionProblems(
  context: QueryContext,
  model: Model,
  set: PolicySet | undefined,
): Promise<readonly string[]> {
  const checks = checksOf(context, model, set)
  const problems: string[] = []
  for (let start = 0; start < checks.length; start += MOST_AT_ONCE) {
    const some = checks.slice(start, start + MOST_AT_ONCE)
    // One statement where all is well. The error of one of several does not say which one it is of.
    if ((await problemOf(context, some)) === undefined) continue
    for (const check of some) {
      const problem = await problemOf(context, [check])
      if (problem !== undefined) problems.push(`${check.place}: ${problem}`)
    }
  }
  return problems
}

function checksOf(context: QueryContext, model: Model, set: PolicySet | undefined): readonly Check[] {
  return [
    ...(set?.conditions ?? []).map(({ resource, condition }) => ({
      place: condition.places.join(', '),
      query: checkOfCondition(context, resource, condition),
    })),
    ...computedIn(model).flatMap((computed) =>
      computed.value.kind === 'expression'
        ? [{ place: placeOf(computed), query: checkOfComputed(context, computed) }]
        : [],
    ),
  ]
}

/** What the database says against some expressions. */
async function problemOf(context: QueryContext, checks: readonly Check[]): Promise<string | undefined> {
  const statement = checkStatement(
    context,
    checks.map(({ query }) => query),
  )
  try {
    await anySession(context.db).rows(statement, [])
    return undefined
  } catch (error) {
    if (!isAboutStatement(error)) throw error
    const { message, hint } = error as { message?: unknown; hint?: unknown }
    return `the database says: ${message}${typeof hint === 'string' ? ` (${hint})` : ''}`
  }
}

function isAboutStatement(error: unknown): boolean {
  if (!isFromDatabase(error) || endsSession(error)) return false
  switch (databaseErrorKind(error)) {
    case 'busy':
    case 'timeout':
    case 'disconnected':
    case 'unavailable':
      return false
    default:
      return true
  }
}
