import { sql } from 'kysely'
import type { Field } from '../model/model.ts'
import type { Place } from '../model/place.ts'
import type { RowsOfRecord } from '../plan/unseen.ts'
import type { QueryContext } from './context.ts'
import type { RowsColumn } from './dialect.ts'
import { livesAt } from './place-condition.ts'
import { type Prepared, prepare } from './prepare.ts'
import { rowsOf } from './rows-shape.ts'
import { column, join, slot } from './sql-text.ts'

const ALIAS = 't0'

/** An UPDATE of one record (slot `id`), with its values. */
export interface Assignment {
  readonly statement: Prepared
  /** A value for each slot but those of the record and its owners. */
  toValues(values: readonly unknown[]): Record<string, unknown>
}

/** Sets fields of a record of the place, unless it shows just these values already. */
export function assignment(context: QueryContext, place: Place, fields: readonly Field[]): Assignment {
  const { db, dialect, names } = context
  const { resource } = place
  const { columns } = rowsOf(context, resource, false, fields)
  const id = dialect.id(slot('id'))
  const table = names.table(resource.table).sql
  const assigned = columns.map((one, index) => sql`${sql.id(one.name)} = ${dialect.bound(slot(`set${index}`), one)}`)
  const different = fields.map((field, index) =>
    dialect.isDifferent(column(ALIAS, field.column), field, slot(`shown${index}`)),
  )
  const isHere = livesAt(context, place, ALIAS, id)
  const where = sql`${column(ALIAS, resource.idColumn)} = ${id} and ${isHere} and (${join(different, sql` or `)})`
  return {
    statement: prepare(db, sql`update ${table} as ${sql.id(ALIAS)} set ${join(assigned)} where ${where}`),
    toValues(values) {
      const bound: Record<string, unknown> = {}
      for (let index = 0; index < fields.length; index++) {
        const field = fields[index] as Field
        const value = values[field.position]
        bound[`set${index}`] = dialect.bind(value, columns[index] as RowsColumn)
        bound[`shown${index}`] = dialect.shown(value, field)
      }
      return bound
    },
  }
}

/** A DELETE of one record (slot `id`) and of what goes with any. */
export interface Removal {
  /** These come first, one after the other. */
  readonly along: readonly Prepared[]
  /** Gives a row if there was such a record. */
  readonly record: Prepared
}

/** Deletes a record of the place with the rows that go with any: all in one statement where the database takes that. */
export function removal(context: QueryContext, place: Place, along: readonly RowsOfRecord[]): Removal {
  const { db, dialect, names } = context
  const { resource } = place
  const id = dialect.id(slot('id'))
  const rows = along.map((one) => sql`delete from ${names.table(one.table).sql} where ${sql.id(one.column)} = ${id}`)
  const isHere = livesAt(context, place, ALIAS, id)
  const record = sql`delete from ${names.table(resource.table).sql} as ${sql.id(ALIAS)} where ${column(ALIAS, resource.idColumn)} = ${id} and ${isHere} returning 1 as one`
  if (dialect.ahead !== undefined && rows.length > 0) {
    const tables = rows.map((statement, index) => sql`${sql.id(`crud_${index}`)} as (${statement})`)
    return { along: [], record: prepare(db, sql`with ${join(tables)} ${record}`) }
  }
  return { along: rows.map((statement) => prepare(db, statement)), record: prepare(db, record) }
}
