import { sql } from 'kysely'
import { computedExpression } from '../../asking/policies/build-expression.ts'
import { scalarTypeOf } from '../../asking/scalar-type.ts'
import type { Computed, Field, Relation, SingleValue } from '../../model/model.ts'
import type { QueryContext } from '../context.ts'
import type { ValueType } from '../dialect/value-sql.ts'
import { placeExpression } from '../rows/place-expression.ts'
import { type RelatedRows, relatedRows } from '../rows/related-rows.ts'
import { comparedField, fieldValue } from '../text/field-column.ts'
import { idSqlOf, rowId } from '../text/member-id-sql.ts'
import { column, type Sql } from '../text/sql-text.ts'

/** A value of the row that an alias names: its column, or what computes it. */
export function singleValueSql(context: QueryContext, value: SingleValue, alias: string): Sql {
  return value.kind === 'computed' ? computedSql(context, value, alias) : column(alias, value.column)
}

/** What computes a field in the row that an alias names, in parentheses. */
export function computedSql(context: QueryContext, computed: Computed, alias: string): Sql {
  const { value, source } = computed
  if (value.kind === 'expression') {
    const { value: placed, from } = placeExpression(
      context,
      { resource: source, alias, row: undefined },
      computedExpression(computed, value),
      {
        related({ relation, isVisible }, row) {
          const rows = relatedRows(seeing(context, isVisible), relation, row)
          return sql`(select ${sql.id(rows.alias)}.* ${rows.from()})`
        },
      },
    )
    return from === undefined ? placed : sql`(select ${placed} ${from})`
  }
  const rows = relatedRows(seeing(context, value.isVisible), value.relation, alias)
  switch (value.kind) {
    case 'count':
      return rows.count
    case 'sum':
      return sumSql(context, rows, value.field)
    case 'min':
      return endSql(context, rows, value.relation, value.field, sql`asc`)
    case 'max':
      return endSql(context, rows, value.relation, value.field, sql`desc`)
  }
}

/** Without `visible`, all records count, whatever policies say. */
function seeing(context: QueryContext, isVisible: boolean): QueryContext {
  return isVisible ? context : { ...context, rights: undefined }
}

function sumSql({ dialect }: QueryContext, { alias, from }: RelatedRows, field: Field): Sql {
  return sql`(select ${dialect.values.sum(column(alias, field.column), scalarTypeOf(field) as ValueType)} ${from()})`
}

/**
 * The first value in an order. `min` and `max` of SQL have the order of the column, not that of sorts. The id tells
 * which of equal values it is, as decimals and times may be equal and written differently.
 */
function endSql(
  context: QueryContext,
  { alias, from }: RelatedRows,
  { target }: Relation,
  field: Field,
  direction: Sql,
): Sql {
  const value = column(alias, field.column)
  const compared = comparedField(context, field, alias)
  const ordered = context.dialect.values.ordered(compared, scalarTypeOf(field) as ValueType, false)
  const id = target.hasId
    ? idSqlOf(context, target).order(rowId(target, alias))
    : context.dialect.values.text(value, scalarTypeOf(field) as ValueType)
  const present = from(sql`${value} is not null`)
  return sql`(select ${fieldValue(context, field, alias)} ${present} order by ${ordered} ${direction} nulls last, ${id} ${direction} limit 1)`
}
