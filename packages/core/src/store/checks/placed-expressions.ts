import type { OperationNode } from 'kysely'
import { tablesIn } from '../../asking/policies/columns-of-tables.ts'
import { computedExpression } from '../../asking/policies/computed-expression.ts'
import { tableInText } from '../../asking/policies/has-text.ts'
import type { PolicySet } from '../../asking/policies/read-policies.ts'
import type { Model } from '../../model/model.ts'
import type { QueryContext } from '../../sql/context.ts'
import { computedIn, placeOf } from './check-computed.ts'

/** An expression of the application, and where the application says it. */
export interface PlacedExpression {
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

/** Where SQL text reads a table in which deleted rows are kept: they count there, as no condition can be added to it. For the log. */
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
