import { sql } from 'kysely'
import type { Resource } from '../model/model.ts'
import type { Insert } from '../plan/changes.ts'
import type { QueryContext } from './context.ts'
import type { RowsColumn, RowsTable } from './dialect.ts'
import { encodeId, type KnownIds, type NewIds } from './new-ids.ts'
import type { Once } from './prepare.ts'
import { rowsOf } from './rows-shape.ts'
import { column, join, type Sql, slot } from './sql-text.ts'
import { type StepPart, type StepShape, stepShape } from './step-shape.ts'

/** What an INSERT of rows writes: the id, the foreign keys of owners, and what the body sets, in this order. */
interface Target {
  readonly resource: Resource
  readonly rows: RowsTable
  /** Rows bring their own ids. */
  readonly givesIds: boolean
  /** There is a column for the id. */
  readonly hasId: boolean
  /** So many columns in front hold ids, which may be those of new rows. */
  readonly idColumns: number
  /** By how many rows are bound; 0: they travel in one parameter. */
  readonly shapes: StepShape[]
}

/** Inserts rows of one resource. `givesIds`: they bring their ids, rather than have the database give them. */
export function insertPart(
  context: QueryContext,
  resource: Resource,
  inserts: readonly Insert[],
  known: KnownIds,
  givesIds: boolean,
  once: Once,
): StepPart {
  const { dialect } = context
  const kind = givesIds ? 'insert with ids' : 'insert'
  const target = once.of(resource, kind, () => targetOf(context, resource, givesIds))
  const count = inserts.length <= dialect.mostBoundInserts ? inserts.length : 0
  target.shapes[count] ??= stepShape(context, `${kind} ${resource.key} ${count}`, (first, found) =>
    count === 0 ? insertRows(context, target, slot(first), found) : insertBound(context, target, count, first, found),
  )
  const shape = target.shapes[count]
  if (count === 0) {
    const rows = inserts.map((insert) => {
      const row: unknown[] = []
      addRow(insert, target, known, row)
      return row
    })
    return { shape, values: [dialect.encodeRows(rows, target.rows)] }
  }
  const values: unknown[] = []
  for (const insert of inserts) addRow(insert, target, known, values)
  const { columns } = target.rows
  for (let index = 0; index < values.length; index++) {
    values[index] = dialect.bind(values[index], columns[index % columns.length] as RowsColumn)
  }
  return { shape, values }
}

/** Adds the values of one row, in the order of the columns. */
function addRow(
  { row, owner, values }: Insert,
  { resource, givesIds, hasId }: Target,
  known: KnownIds,
  all: unknown[],
): void {
  const { ownedBy, members } = resource
  if (hasId) all.push(givesIds ? encodeId(row, known) : null)
  for (let index = 0; index < ownedBy.length; index++) {
    all.push(owner !== undefined && owner.by === ownedBy[index] ? encodeId(owner.id, known) : null)
  }
  for (let position = 0; position < members.length; position++) all.push(values[position])
}

function targetOf(context: QueryContext, resource: Resource, givesIds: boolean): Target {
  const { ownedBy, members } = resource
  const others = [...ownedBy, ...members]
  // Without any other column it is the id that is null, which SQLite takes for none.
  const hasId = givesIds || others.length === 0
  const idColumns = (givesIds ? 1 : 0) + ownedBy.length
  return { resource, rows: rowsOf(context, resource, hasId, others), givesIds, hasId, idColumns, shapes: [] }
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
