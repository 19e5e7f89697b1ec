import type { Computed, Model } from '../model/model.ts'
import { computedExpression } from '../policies/computed-expression.ts'
import type { QueryContext } from '../query/context.ts'
import { computesDecimals } from '../query/dialect/sqlite-functions.ts'
import { computedSql } from '../query/reads/computed-sql.ts'
import { scalarTypeOf } from '../reading/scalar-type.ts'

/** Throws a TypeError that lists all computed fields which this database cannot compute, each with the reason. */
export function checkComputed(model: Model, context: QueryContext): void {
  const problems = computedIn(model).flatMap((computed) => {
    const problem = problemOf(computed, context)
    return problem === undefined ? [] : [`${computed.source.key}.computed.${computed.name}: ${problem}`]
  })
  if (problems.length > 0) throw new TypeError(problems.join('\n'))
}

/** Whether what is computed depends on the caller. To be asked once {@link checkComputed} has found nothing. */
export function computedAsksForCaller(model: Model): boolean {
  return computedIn(model).some(
    (computed) => computed.value.kind === 'expression' && computedExpression(computed, computed.value).asksForCaller,
  )
}

function computedIn({ resources }: Model): readonly Computed[] {
  return [...resources.values()].flatMap(({ computed }) => computed)
}

function problemOf(computed: Computed, context: QueryContext): string | undefined {
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
