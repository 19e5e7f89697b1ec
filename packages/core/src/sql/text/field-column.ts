import { sql } from 'kysely'
import type { DatabaseName } from '../../model/database-name.ts'
import type { ColumnCondition, Constant, Field } from '../../model/model.ts'
import type { QueryContext } from '../context.ts'
import { databaseOf } from '../dialect/database.ts'
import { UNSHOWN } from '../dialect/dialect.ts'
import {
  arrayForm,
  momentForm,
  moneyForm,
  notNullForm,
  rangeForm,
  utcForm,
} from '../dialect/postgres/postgres-forms.ts'
import { type ColumnForm, formIn, type WrittenForm } from '../dialect/value-sql.ts'
import { column, constant, type Sql } from './sql-text.ts'

/** The value of a field, as JSON that can be concatenated with text; `UNSHOWN` for one that it cannot have. */
export function fieldJson(context: QueryContext, field: Field, alias: string): Sql {
  const { dialect } = context
  const value = column(alias, field.column)
  const form = formOf(context, field)
  const json =
    form === undefined
      ? dialect.jsonField(value, field, context.learnedTypes.typeOf(field))
      : dialect.jsonIfRead(value, form.read(value), field)
  // A null of JSON.
  const mayBeNull = field.storage !== 'json' || field.nullable
  return mayBeNull ? json : sql`coalesce(nullif(${json}, 'null'), ${constant(UNSHOWN)})`
}

/** The value of a field as one of its type: what is computed from it, or shown elsewhere. */
export function fieldValue(context: QueryContext, field: Field, alias: string): Sql {
  const value = column(alias, field.column)
  return formOf(context, field)?.read(value) ?? value
}

/** The value of a field as `ValueSql` compares it with others. */
export function comparedField(context: QueryContext, field: Field, alias: string): Sql {
  const value = column(alias, field.column)
  return formOf(context, field)?.compared(value) ?? value
}

/** How the field's column spells its values; undefined: as the dialect expects. */
export function formOf({ dialect }: QueryContext, { stored }: Field): ColumnForm | undefined {
  return formIn(dialect.forms, stored)
}

/** The same for a part of an id. Where the field says nothing, the types tell it that were learned. */
export function formInId(context: QueryContext, field: Field): ColumnForm | undefined {
  return formOf(context, field) ?? (context.learnedTypes.typeOf(field) === 'timestamp' ? utcForm : undefined)
}

/** The form in which values are written. */
export function writtenForm(context: QueryContext, field: Field): WrittenForm | undefined {
  const form = formOf(context, field)
  const type = context.learnedTypes.typeOf(field)
  if (form !== undefined) return form
  if (type === 'money') return moneyForm
  if (type === 'json not null') return field.nullable ? notNullForm : undefined
  if (type === 'timestamp') return utcForm
  if (type === 'timestamptz') return momentForm
  if (type === 'range') return rangeForm
  return typeof type === 'object' && 'array' in type ? arrayForm(type.array) : undefined
}

export function columnCondition(context: QueryContext, column: Sql, is: ColumnCondition): Sql {
  if (typeof is === 'string') return is === 'null' ? sql`${column} is null` : sql`${column} is not null`
  return sql`${column} = ${constantSql(context, is.value)}`
}

export function constantSql({ db }: QueryContext, value: Constant): Sql {
  return sql.raw(constantText(databaseOf(db), value))
}

/**
 * A constant of the model as SQL, as columns of `createTables` have it. It stands in the text: a parameter would keep a
 * planner from using an index that holds only the rows with the constant.
 */
export function constantText(database: DatabaseName, value: Constant): string {
  if (typeof value === 'boolean' && database === 'sqlite') return value ? '1' : '0'
  if (typeof value !== 'string') return String(value)
  const quoted = `'${value.replaceAll("'", "''")}'`
  // Without the E, a setting of the server decides what a backslash is.
  return database === 'postgres' && value.includes('\\') ? `E${quoted.replaceAll('\\', '\\\\')}` : quoted
}
