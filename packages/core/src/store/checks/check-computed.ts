import { computedExpression } from '../../asking/policies/computed-expression.ts'
import { scalarTypeOf } from '../../asking/scalar-type.ts'
import type { Computed, Model } from '../../model/model.ts'
import type { QueryContext } from '../../sql/context.ts'
import { computesDecimals } from '../../sql/dialect/sqlite/sqlite-functions.ts'
import { computedSql } from '../../sql/filters/computed-sql.ts'
import type { AskedValue } from './misfit-log.ts'

/** Throws a TypeError that lists all computed fields which this database cannot compute, each with the reason. */
export function checkComputed(model: Model, context: QueryContext): void {
  const problems = computedIn(model).flatMap((computed) => {
    const problem = problemOf(computed, context)
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

export function placeOf({ source, name }: Computed): string {
  return `${source.key}.computed.${name}`
}

export function computedIn({ resources }: Model): readonly Computed[] {
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
