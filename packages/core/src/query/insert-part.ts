import { sql } from 'kysely'
import { memberName, type Resource } from '../model/model.ts'
import type { RowId } from '../plan/changes.ts'
import type { InsertedRow } from '../plan/plan.ts'
import type { QueryContext } from './context.ts'
import type { RowsColumn } from './dialect.ts'
import type { NewIds } from './new-ids.ts'
import type { Once } from './prepare.ts'
import { type Shape, shapeOf } from './rows-shape.ts'
import { column, join, type Sql, slot } from './sql-text.ts'
import type { StepPart } from './step-part.ts'

/** The columns of an INSERT. */
interface Target extends Shape {
  readonly resource: Resource
  /** Rows bring their own ids. */
  readonly givesIds: boolean
  /** Of the statements with so many bound rows. */
  readonly names: string[]
  /** So many columns in front hold ids, which may be those of new rows. */
  readonly idColumns: number
}

/** Inserts rows of one resource. `givesIds`: they bring their ids, rather than have the database give them. */
export function insertPart(
  context: QueryContext,
  resource: Resource,
  inserted: readonly InsertedRow[],
  newIds: NewIds,
  givesIds: boolean,
  once: Once,
): StepPart {
  const { dialect } = context
  const kind = givesIds ? 'insert with ids' : 'insert'
  const target = once.of(resource, kind, () => targetOf(context, resource, givesIds))
  const { rows, properties, idColumns } = target
  const { length: count } = inserted
  const isBound = count <= dialect.mostBoundInserts
  const valuesOf = (row: InsertedRow, values: unknown[]): unknown[] => {
    for (let index = 0; index < properties.length; index++) {
      const property = properties[index] as string
      const value = property === 'id' ? (givesIds ? row.id : null) : row.values[property]
      if (index < idColumns) values.push(value === null ? null : newIds.encode(value as RowId))
      else values.push(isBound ? dialect.bind(value, rows.columns[index] as RowsColumn) : value)
    }
    return values
  }
  if (isBound) {
    const values: unknown[] = []
    for (const row of inserted) valuesOf(row, values)
    target.names[count] ??= `${kind} ${resource.key} ${count}`
    return {
      name: target.names[count],
      values,
      sql: (first, found) => insertBound(context, target, count, first, found),
    }
  }
  return {
    name: `${kind} ${resource.key}`,
    values: [
      dialect.encodeRows(
        inserted.map((row) => valuesOf(row, [])),
        rows,
      ),
    ],
    sql: (first, found) => insertRows(context, target, slot(first), found),
  }
}

/** The id, the foreign keys of owners, and what the body sets: in this order. */
function targetOf(context: QueryContext, resource: Resource, givesIds: boolean): Target {
  const { ownedBy, members } = resource
  const others = [...ownedBy.map((owner) => owner.foreignKey), ...members.map(memberName)]
  // Without any other column it is the id that is null, which SQLite takes for none.
  const properties = givesIds || others.length === 0 ? ['id', ...others] : others
  const idColumns = (givesIds ? 1 : 0) + ownedBy.length
  return { ...shapeOf(context, resource, properties), resource, givesIds, idColumns, names: [] }
}

function insertBound(context: QueryContext, target: Target, count: number, first: number, newIds: NewIds): Sql {
  const { columns } = target.rows
  const rows = Array.from({ length: count }, (_, row) => {
    const values = columns.map((one, index) => {
      const parameter = slot(first + row * columns.length + index)
      return index < target.idColumns ? newIds.bound(parameter) : context.dialect.bound(parameter, one)
    })
    return sql`(${join(values)})`
  })
  return sql`${into(context, target)} values ${join(rows)}`
}

function insertRows(context: QueryContext, target: Target, parameter: Sql, newIds: NewIds): Sql {
  const { rows, idColumns } = target
  const named = rows.columns.slice(0, idColumns).map((one) => one.name)
  const values = rows.columns.map((one, index) =>
    index < idColumns ? newIds.id(one.name, index) : column('x', one.name),
  )
  return sql`${into(context, target)} select ${join(values)} from ${context.dialect.rows(parameter, rows, 'inserted')} as ${sql.id('x')}${newIds.join(named)}`
}

function into({ dialect, names }: QueryContext, { resource, rows, givesIds }: Target): Sql {
  const columns = rows.columns.map((one) => sql.id(one.name))
  return sql`insert into ${names.table(resource.table).sql} (${join(columns)})${givesIds ? dialect.insertIds : sql``}`
}
