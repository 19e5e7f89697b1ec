import { sql } from 'kysely'
import { type Comparable, callersValue } from '../../asking/policies/callers-value.ts'
import type { Condition, RowRule } from '../../asking/policies/rights.ts'
import type { QueryContext } from '../context.ts'
import { join, type Sql } from '../text/sql-text.ts'
import { callersSlot, type ExpressionRow, type Placeholders, placeExpression } from './place-expression.ts'

/** A rule as a condition; undefined if all rows fulfil it. */
export function ruleSql(
  context: QueryContext,
  row: ExpressionRow,
  rule: RowRule,
  placeholders: Placeholders,
): Sql | undefined {
  if (rule === true) return undefined
  if (rule === false) return sql`false`
  const any = rule.map((condition) => conditionSql(context, row, condition, placeholders))
  return sql`(${join(any, sql` or `)})`
}

function conditionSql(
  context: QueryContext,
  row: ExpressionRow,
  condition: Condition,
  placeholders: Placeholders,
): Sql {
  const { value, from } = placeExpression(context, row, condition, placeholders)
  const parts = condition.values.length === 0 ? [value] : [canBeAsked(context, condition), value]
  if (from !== undefined) return sql`exists (select 1 ${from} where ${join(parts, sql` and `)})`
  return parts.length === 1 ? value : sql`(${join(parts, sql` and `)})`
}

/** Whether the caller's values are such that the expression can be asked. */
function canBeAsked(context: QueryContext, { values, needsAll }: Condition): Sql {
  const isUsable = (value: Comparable | null | undefined) => value !== undefined && !(needsAll && value === null)
  return callersSlot(context, 'boolean', (caller) => values.every((value) => isUsable(callersValue(caller, value))))
}
