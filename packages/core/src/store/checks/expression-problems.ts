import { type OperationNode, sql } from 'kysely'
import { computedExpression } from '../../asking/policies/build-expression.ts'
import type { TypedCallerValue } from '../../asking/policies/callers-type.ts'
import { tableInText, tablesIn } from '../../asking/policies/columns-of-tables.ts'
import { callersValue, valueIn } from '../../asking/policies/placeholders.ts'
import type { PolicySet } from '../../asking/policies/read-policies.ts'
import { scalarTypeOf } from '../../asking/scalar-type.ts'
import { described } from '../../model/check/foreign-schema.ts'
import type { Computed, Model } from '../../model/model.ts'
import { hasHistory, keepsHistory } from '../../model/resource-tree.ts'
import type { ActiveRules } from '../../rules/active-rules.ts'
import type { LogOf } from '../../rules/stages/after-commits.ts'
import { endsSession, isFromDatabase, isUnknownTable, subjectOf } from '../../session/database-errors.ts'
import { anySession } from '../../session/session-pool.ts'
import { checkOfComputed, checkOfCondition, checkStatement } from '../../sql/checks/allowed-query.ts'
import { checkOfState } from '../../sql/checks/state-query.ts'
import type { QueryContext } from '../../sql/context.ts'
import { computesDecimals } from '../../sql/dialect/sqlite/sqlite-functions.ts'
import { computedSql } from '../../sql/filters/computed-sql.ts'
import { prepare } from '../../sql/text/prepare.ts'
import type { Sql } from '../../sql/text/sql-text.ts'
import { HISTORY_RECORDS_TABLE, HISTORY_TABLE, NUMBERS_TABLE, ownTableMissing } from '../../sql/text/stored-rows.ts'

/** An expression that an application wrote, and the query that has the database check it. */
interface Check {
  readonly place: string
  readonly query: Sql
}

/** The most expressions in one statement. */
const MOST_AT_ONCE = 50

/**
 * Has the database prepare every policy and every computed expression. Resolves to what is wrong with them, each with
 * its place. Rejects where the database cannot be asked.
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
    ...shownStates(set).map(({ resource, condition }) => ({
      place: `${condition.places.join(', ')}, of a record as it was (history)`,
      query: checkOfState(context, resource, condition),
    })),
    ...computedIn(model).flatMap((computed) =>
      computed.value.kind === 'expression'
        ? [{ place: placeOf(computed), query: checkOfComputed(context, computed) }]
        : [],
    ),
  ]
}

/** The conditions that decide who sees states of the history: these have only what the model knows of a record. */
function shownStates(set: PolicySet | undefined): PolicySet['conditions'] {
  return [...(set?.rules ?? [])].flatMap(([resource, policy]) => {
    if (!keepsHistory(resource)) return []
    const views = 'forAll' in policy ? [policy.forAll.View] : [...policy.byRole.values()].map(({ View }) => View)
    const conditions = views.flatMap((rule) => (typeof rule === 'boolean' ? [] : rule))
    return [...new Set(conditions)].map((condition) => ({ resource, condition }))
  })
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
  return isFromDatabase(error) && !endsSession(error) && subjectOf(error) !== 'moment'
}

/** An expression of the application, and where the application says it. */
interface PlacedExpression {
  readonly place: string
  readonly expression: OperationNode
}

/** Those of policies and of computed fields. */
export function placedExpressions(model: Model, set: PolicySet | undefined): readonly PlacedExpression[] {
  const ofPolicies = (set?.conditions ?? []).map(({ condition: { places, expression } }) => ({
    place: places.join(', '),
    expression,
  }))
  const ofComputed = computedIn(model).flatMap((computed) =>
    computed.value.kind === 'expression'
      ? [{ place: placeOf(computed), expression: computedExpression(computed, computed.value).expression }]
      : [],
  )
  return [...ofPolicies, ...ofComputed]
}

/** Where SQL text reads a table in which deleted rows are kept: they count there, as no condition can be added to it.
 * For the log. */
export function textsOverDeleted(model: Model, { names }: QueryContext, set: PolicySet | undefined): readonly string[] {
  const keeping = [...tablesIn(model)].flatMap(([table, rows]) => {
    if (!rows.some((one) => 'softDelete' in one && one.softDelete !== undefined)) return []
    const bare = table.slice(table.lastIndexOf('.') + 1)
    return [bare, names.column(bare)]
  })
  if (keeping.length === 0) return []
  return placedExpressions(model, set).flatMap(({ place, expression }) => {
    const table = tableInText(expression, keeping)
    if (table === undefined) return []
    return [`${place}: its SQL text reads the table '${table}', so deleted rows count there; use Kysely's builder`]
  })
}

/** The tables of the library that rules and the history need, and the database does not have. Rejects where the
 * database cannot be asked. */
export async function ownTableProblems(
  context: QueryContext,
  rules: Pick<ActiveRules, 'scope'> | undefined,
): Promise<readonly string[]> {
  const counts = rules !== undefined && rules.scope.numbered.size > 0
  const keeps = context.model !== undefined && hasHistory(context.model)
  const needed = [
    ...(counts ? [['rules: numbers', NUMBERS_TABLE] as const] : []),
    ...(keeps ? [HISTORY_TABLE, HISTORY_RECORDS_TABLE].map((table) => ['history', table] as const) : []),
  ]
  const problems: string[] = []
  for (const [place, table] of needed) {
    if (!(await hasOwnTable(context, table))) problems.push(`${place}: ${ownTableMissing(table)}`)
  }
  return problems
}

/** Whether the database has a table of the library. Rejects where the database cannot be asked. */
export async function hasOwnTable({ db, names }: QueryContext, table: string): Promise<boolean> {
  try {
    await anySession(db).rows(prepare(db, sql`select 1 from ${names.table(table).sql} where 1 = 0`), [])
    return true
  } catch (error) {
    if (isUnknownTable(error, table)) return false
    throw error
  }
}

/** Throws a TypeError that lists all computed fields which this database cannot compute, each with the reason. */
export function checkComputed(model: Model, context: QueryContext): void {
  const problems = computedIn(model).flatMap((computed) => {
    const problem = problemOfComputed(computed, context)
    return problem === undefined ? [] : [`${placeOf(computed)}: ${problem}`]
  })
  if (problems.length > 0) throw new TypeError(problems.join('\n'))
}

/** The values of the caller that computed fields ask for. To be asked once {@link checkComputed} has found nothing. */
export function askedByComputed(model: Model): readonly AskedValue[] {
  return computedIn(model).flatMap((computed) => {
    if (computed.value.kind !== 'expression') return []
    const { values } = computedExpression(computed, computed.value)
    return values.map((value) => ({ place: placeOf(computed), value }))
  })
}

function placeOf({ source, name }: Computed): string {
  return `${source.key}.computed.${name}`
}

function computedIn({ resources }: Model): readonly Computed[] {
  return [...resources.values()].flatMap(({ computed }) => computed)
}

function problemOfComputed(computed: Computed, context: QueryContext): string | undefined {
  const { value } = computed
  const isOfDecimals = 'field' in value && scalarTypeOf(value.field) === 'decimal'
  if (isOfDecimals && !computesDecimals(context.db)) {
    return 'this connection to SQLite cannot compute with decimal numbers; open it by openSqlite'
  }
  try {
    computedSql(context, computed, 't0')
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

/** A value of the caller, and where it is asked for. */
export interface AskedValue {
  readonly place: string
  readonly value: TypedCallerValue
}

/** Says in the log, once for each value, that a caller has one of another type than what it is compared with. */
export function misfitLog(asked: readonly AskedValue[], logOf: LogOf = () => console): (caller: unknown) => void {
  // Many policies ask for the same value, so that few are left to be looked at for each request.
  const unseen = Map.groupBy(asked, ({ value: { name, type } }) => `${name} ${type.inWords}`)
  return (caller) => {
    if (unseen.size === 0) return
    for (const [key, group] of unseen) {
      const [first] = group as [AskedValue]
      if (callersValue(caller, first.value) !== undefined) continue
      unseen.delete(key)
      const places = [...new Set(group.map(({ place }) => place))].join(', ')
      logOf({ caller }).warn(`fastify-crud: ${messageFor(caller, first.value)}: ${places}`)
    }
  }
}

function messageFor(caller: unknown, { name, type }: TypedCallerValue): string {
  const is = kindOf(valueIn(caller, name))
  return `the caller's '${name}' is ${is}, and my('${name}') must be ${type.inWords}. Policies that use it are false, computed fields get null`
}

/** Not the value itself, which may be personal. */
function kindOf(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return 'a string that does not fit'
    case 'number':
      return Number.isFinite(value) ? 'a number that does not fit' : String(value)
    case 'bigint':
    case 'symbol':
    case 'function':
      return `a ${typeof value}`
    default:
      return described(value)
  }
}
