import { sql } from 'kysely'
import { partsOfId } from '../../model/ids/composite-id.ts'
import type { Resource } from '../../model/model.ts'
import type { RowUpdate } from '../../planning/order/ordered.ts'
import { keyOf, type MemberKey, type MemberValues, membersIn, rowMembers } from '../../planning/rows.ts'
import { ofHeld, type QueryContext } from '../context.ts'
import { ABSENT, type Dialect, type RowsColumn, type RowsTable } from '../dialect/dialect.ts'
import { idSlot, rowId } from '../text/member-id-sql.ts'
import { column, join, type Sql, slot } from '../text/sql-text.ts'
import type { StatementCache } from '../text/statement-cache.ts'
import { storedRows } from '../text/stored-rows.ts'
import { filledUp, isAmong, MOST_BOUND, rowsOf, type StepPart, StepShape } from './step-shape.ts'

/** An UPDATE of rows. Its first columns are the id, and the others are set. */
interface RowsUpdate {
  readonly shape: StepShape
  /** Of the members that are set. */
  readonly positions: readonly number[]
  readonly rows: RowsTable
}

/** How many rows have parameters of their own. None: all rows travel in one. Mixed: the same, and not every row carries
 * every column. */
type Bound = number | 'none' | 'mixed'

/** How rows of one resource are updated. Each update may set other columns. */
export type UpdateRows = (resource: Resource, updates: readonly RowUpdate[]) => StepPart

export function updatesOf(context: QueryContext, statements: StatementCache): UpdateRows {
  const { dialect } = context
  const updateOf = statements.each((context, resource: Resource, set: MemberKey, bound: Bound) =>
    updateQuery(context, resource, set, bound),
  )
  return (resource, updates) => {
    const common = commonKey(updates)
    if (common === undefined || updates.length > MOST_BOUND) {
      const set = common ?? keyOf(unionOf(updates, resource))
      const { shape, positions, rows } = updateOf(resource, set, common === undefined ? 'mixed' : 'none')
      const carried = updates.map(({ id, values }) => [
        ...partsOfId(resource.id, id),
        ...positions.map((position) => valueAt(values, position)),
      ])
      return { shape, values: [dialect.encodeRows(carried, rows)] }
    }
    const filled = filledUp(updates)
    const update = updateOf(resource, common, filled.length)
    return { shape: update.shape, values: boundValues(filled, update, dialect) }
  }
}

/** What all of them set; undefined if they do not set the same columns. */
function commonKey(updates: readonly RowUpdate[]): MemberKey | undefined {
  const key = keyOf(updates[0]?.values ?? [])
  return updates.every(({ values }, index) => index === 0 || keyOf(values) === key) ? key : undefined
}

/** In the order in which {@link updateBound} has them. */
function boundValues(updates: readonly RowUpdate[], update: RowsUpdate, dialect: Dialect): unknown[] {
  const [only] = updates.length === 1 ? updates : []
  const values: unknown[] = []
  for (const one of updates) {
    if (only === undefined) values.push(one.id)
    putValues(values, one, update, dialect)
  }
  if (only !== undefined) values.push(only.id)
  return values
}

function putValues(all: unknown[], { values }: RowUpdate, { positions, rows }: RowsUpdate, dialect: Dialect): void {
  const { columns } = rows
  const first = columns.length - positions.length
  for (let index = 0; index < positions.length; index++) {
    all.push(dialect.encodeValue(values[positions[index] as number], columns[first + index] as RowsColumn))
  }
}

function valueAt(values: MemberValues, position: number): unknown {
  const value = values[position]
  return value === undefined ? ABSENT : value
}

/** A value for each member that one of the updates sets. */
function unionOf(updates: readonly RowUpdate[], resource: Resource): MemberValues {
  return rowMembers(resource).map(
    ({ position }) => updates.find(({ values }) => values[position] !== undefined)?.values[position],
  )
}

/** The plan has chosen the rows. Some are out of sight while they swap values. */
function updateQuery(storeContext: QueryContext, resource: Resource, set: MemberKey, bound: Bound): RowsUpdate {
  const context = ofHeld(storeContext)
  const members = membersIn(resource, set)
  const rows = rowsOf(context, resource, true, members)
  const shape = new StepShape(context, (first) =>
    typeof bound === 'number'
      ? updateBound(context, resource, rows, bound, first)
      : updateRows(context, resource, rows, bound === 'mixed', slot(first)),
  )
  return { shape, positions: members.map(({ position }) => position), rows }
}

function updateRows(context: QueryContext, resource: Resource, rows: RowsTable, isMixed: boolean, parameter: Sql): Sql {
  const { dialect } = context
  const changed = rows.columns.slice(resource.idColumns.length)
  const assignments = changed.map((one) => {
    const value = column('x', one.name)
    if (!isMixed) return sql`${sql.id(one.name)} = ${value}`
    return sql`${sql.id(one.name)} = case when ${dialect.hasColumn('x', one, rows)} then ${value} else ${column('t', one.name)} end`
  })
  const given = sql`${dialect.rows(parameter, rows, isMixed ? 'mixed' : 'set')} as ${sql.id('x')}`
  const isGiven = sql`${rowId(resource, 't')} = ${rowId(resource, 'x')}`
  return storedRows(context, resource, 't').update(sql`${join(assignments)} from ${given}`, isGiven)
}

/**
 * The parameters of the first row come first, with its id in front, then those of the next row. For a single row, the
 * id is the last parameter.
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
  const changed = columns.slice(resource.idColumns.length)
  const id = rowId(resource)
  if (count === 1) {
    const assignments = changed.map(
      (one, index) => sql`${sql.id(one.name)} = ${dialect.value(slot(first + index), one)}`,
    )
    return stored.update(join(assignments), sql`${id} = ${idSlot(context, resource, first + changed.length)}`)
  }
  const starts = Array.from({ length: count }, (_, row) => first + row * (1 + changed.length))
  const assignments = changed.map((one, index) => {
    // The column tells the type of the parameters. JSON has its own, and a database may hold it in a column of another
    // type.
    const otherwise = one.storage === 'json' ? sql`` : sql` else ${sql.id(one.name)}`
    const cases = starts.map(
      (start) =>
        sql`when ${id} = ${idSlot(context, resource, start)} then ${dialect.value(slot(start + 1 + index), one)}`,
    )
    return sql`${sql.id(one.name)} = case ${join(cases, sql` `)}${otherwise} end`
  })
  const ids = starts.map((start) => idSlot(context, resource, start))
  return stored.update(join(assignments), isAmong(id, ids))
}
