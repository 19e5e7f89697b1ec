import { sql } from 'kysely'
import type { Resource } from '../../model/model.ts'
import type { RowUpdate } from '../../plan/order/ordered.ts'
import { keyOf, type MemberKey, type MemberValues, membersIn } from '../../plan/rows.ts'
import type { QueryContext } from '../context.ts'
import { ABSENT, type Dialect, type RowsColumn, type RowsTable } from '../dialect/dialect.ts'
import { idSlot } from '../text/id-sql-of.ts'
import { column, join, type Sql, slot } from '../text/sql-text.ts'
import type { StatementCache } from '../text/statement-cache.ts'
import { storedRows } from '../text/stored-rows.ts'
import { filledUp, MOST_BOUND, rowsOf, type StepPart, StepShape } from './step-shape.ts'

/** What an UPDATE of rows writes. The first column is the id, and the others are set. */
interface UpdateTarget {
  readonly resource: Resource
  /** Of the members that are set. */
  readonly positions: readonly number[]
  readonly rows: RowsTable
}

/** How rows of one resource are updated. Each update may set other columns. */
export type UpdateRows = (resource: Resource, updates: readonly RowUpdate[]) => StepPart

export function updatesOf(context: QueryContext, statements: StatementCache): UpdateRows {
  const { dialect } = context
  const targetOf = statements.each((resource: Resource, set: MemberKey) => newTarget(context, resource, set))
  const shapeOf = statements.each((target: UpdateTarget, count: number | 'mixed') => newShape(context, target, count))
  return (resource, updates) => {
    const common = commonKey(updates)
    const target = targetOf(resource, common ?? keyOf(unionOf(updates, resource)))
    const { positions, rows } = target
    if (common === undefined || updates.length > MOST_BOUND) {
      const carried = updates.map(({ id, values }) => [id, ...positions.map((position) => valueAt(values, position))])
      const shape = shapeOf(target, common === undefined ? 'mixed' : 0)
      return { shape, values: [dialect.encodeRows(carried, rows)] }
    }
    const [first] = updates
    if (first !== undefined && updates.length === 1) {
      return { shape: shapeOf(target, 1), values: valuesOfOne(target, first, dialect) }
    }
    const filled = filledUp(updates)
    const values: unknown[] = []
    for (const update of filled) {
      values.push(update.id)
      putValues(values, update, target, dialect)
    }
    return { shape: shapeOf(target, filled.length), values }
  }
}

/** What all of them set; undefined if they do not set the same columns. */
function commonKey(updates: readonly RowUpdate[]): MemberKey | undefined {
  const key = keyOf(updates[0]?.values ?? [])
  return updates.every(({ values }, index) => index === 0 || keyOf(values) === key) ? key : undefined
}

/** In the order in which they stand in the statement. */
function valuesOfOne(target: UpdateTarget, update: RowUpdate, dialect: Dialect): unknown[] {
  const values: unknown[] = []
  putValues(values, update, target, dialect)
  values.push(update.id)
  return values
}

function putValues(all: unknown[], { values }: RowUpdate, { positions, rows }: UpdateTarget, dialect: Dialect): void {
  for (let index = 0; index < positions.length; index++) {
    all.push(dialect.encodeValue(values[positions[index] as number], rows.columns[index + 1] as RowsColumn))
  }
}

function valueAt(values: MemberValues, position: number): unknown {
  const value = values[position]
  return value === undefined ? ABSENT : value
}

/** A value for each member that one of the updates sets. */
function unionOf(updates: readonly RowUpdate[], { members }: Resource): MemberValues {
  return members.map(({ position }) => updates.find(({ values }) => values[position] !== undefined)?.values[position])
}

function newTarget(context: QueryContext, resource: Resource, set: MemberKey): UpdateTarget {
  const members = membersIn(resource, set)
  return {
    resource,
    positions: members.map(({ position }) => position),
    rows: rowsOf(context, resource, true, members),
  }
}

/** `count`: the number of rows that have parameters of their own. 0: they travel in one, and so do mixed ones, of which not every row carries every column. */
function newShape(context: QueryContext, { resource, rows }: UpdateTarget, count: number | 'mixed'): StepShape {
  return new StepShape(context, (first) =>
    count === 0 || count === 'mixed'
      ? updateRows(context, resource, rows, count === 'mixed', slot(first))
      : updateBound(context, resource, rows, count, first),
  )
}

function updateRows(context: QueryContext, resource: Resource, rows: RowsTable, isMixed: boolean, parameter: Sql): Sql {
  const { dialect } = context
  const [id, ...changed] = rows.columns as [RowsColumn, ...RowsColumn[]]
  const assignments = changed.map((one) => {
    const value = column('x', one.name)
    if (!isMixed) return sql`${sql.id(one.name)} = ${value}`
    return sql`${sql.id(one.name)} = case when ${dialect.hasColumn('x', one, rows)} then ${value} else ${column('t', one.name)} end`
  })
  const given = sql`${dialect.rows(parameter, rows, isMixed ? 'mixed' : 'joined')} as ${sql.id('x')}`
  const isGiven = sql`${column('t', id.name)} = ${column('x', id.name)}`
  return storedRows(context, resource, 't').update(sql`${join(assignments)} from ${given}`, isGiven)
}

/**
 * The parameters of the first row come first, with its id in front, then those of the next row. For a single row, the id is the
 * last parameter.
 */
function updateBound(
  context: QueryContext,
  resource: Resource,
  { columns }: RowsTable,
  count: number,
  first: number,
): Sql {
  const { dialect } = context
  const stored = storedRows(context, resource)
  const [id, ...changed] = columns as [RowsColumn, ...RowsColumn[]]
  if (count === 1) {
    const assignments = changed.map(
      (one, index) => sql`${sql.id(one.name)} = ${dialect.value(slot(first + index), one)}`,
    )
    return stored.update(join(assignments), sql`${sql.id(id.name)} = ${slot(first + changed.length)}`)
  }
  const starts = Array.from({ length: count }, (_, row) => first + row * columns.length)
  const assignments = changed.map((one, index) => {
    // The column tells the type of the parameters. JSON has its own, and a database may hold it in a column of another type.
    const otherwise = one.storage === 'json' ? sql`` : sql` else ${sql.id(one.name)}`
    const cases = starts.map(
      (start) =>
        sql`when ${sql.id(id.name)} = ${idSlot(context, resource, start)} then ${dialect.value(slot(start + 1 + index), one)}`,
    )
    return sql`${sql.id(one.name)} = case ${join(cases, sql` `)}${otherwise} end`
  })
  const ids = starts.map((start) => idSlot(context, resource, start))
  return stored.update(join(assignments), sql`${sql.id(id.name)} in (${join(ids)})`)
}
