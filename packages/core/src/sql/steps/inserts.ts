import { sql } from 'kysely'
import { isInserted } from '../../model/descriptors/field-options.ts'
import type { OwnerReference, Resource } from '../../model/model.ts'
import type { Insert } from '../../planning/diff/changes.ts'
import { idValue, type NewIds, unknownRow } from '../../planning/order/new-ids.ts'
import { keyOf, type MemberKey, membersIn } from '../../planning/rows.ts'
import type { QueryContext } from '../context.ts'
import type { Dialect, RowsColumn, RowsTable } from '../dialect/dialect.ts'
import { defaultInZone } from '../dialect/postgres/postgres-texts.ts'
import { idSqlOf } from '../text/member-id-sql.ts'
import { column, join, type Sql, slot } from '../text/sql-text.ts'
import type { StatementCache } from '../text/statement-cache.ts'
import { insertedValues, insertInto, ownColumns } from '../text/stored-rows.ts'
import { rowsOf, type StepPart, StepShape } from './step-shape.ts'

/** What an INSERT of rows writes: the id, the foreign keys of owners, and the members that have values, in this
 * order. */
interface Target {
  readonly resource: Resource
  /** A copy, as V8 does not optimize to read a list that is frozen. */
  readonly ownedBy: readonly OwnerReference[]
  /** Of the members that have values. The database gives all others theirs. */
  readonly positions: readonly number[]
  readonly rows: RowsTable
  /** Columns of which the service computes the default, as the database would give the time of another zone. */
  readonly defaults: readonly { readonly column: string; readonly value: Sql }[]
  /** Rows bring their own ids, in a column of its own. */
  readonly bringsIds: boolean
}

/** How rows of one resource are inserted. All rows have values for the same columns. */
export type InsertRows = (resource: Resource, inserts: readonly Insert[], newIds: NewIds) => StepPart

export function insertsOf(context: QueryContext, statements: StatementCache): InsertRows {
  const { dialect } = context
  const insertOf = statements.each(
    (
      context,
      resource: Resource,
      bringsIds: boolean,
      set: MemberKey,
      count: number,
      newOwner: OwnerReference | undefined,
    ) => {
      const target = targetOf(context, resource, bringsIds, set)
      return { target, shape: shapeOf(context, target, count, newOwner) }
    },
  )
  return (resource, inserts, newIds) => {
    const [first] = inserts as readonly [Insert]
    const bringsIds = resource.idMembers.length === 0 && newIds.withExplicitIds.has(resource)
    const count = inserts.length <= dialect.mostBoundInserts ? inserts.length : 0
    const { target, shape } = insertOf(resource, bringsIds, keyOf(first.values), count, newOwnerOf(inserts, newIds))
    const { columns } = target.rows
    if (count === 0) {
      const rows = inserts.map((insert) => {
        const row = new Array<unknown>(columns.length)
        putRow(insert, target, newIds, asItIs, row, 0)
        return row
      })
      return { shape, values: [dialect.encodeRows(rows, target.rows)] }
    }
    const values = new Array<unknown>(count * columns.length)
    for (let row = 0; row < count; row++) {
      putRow(inserts[row] as Insert, target, newIds, dialect.encodeValue, values, row * columns.length)
    }
    return { shape, values }
  }
}

/** The relation to the new owner of the rows whose id is not known yet. */
function newOwnerOf(inserts: readonly Insert[], newIds: NewIds): OwnerReference | undefined {
  if (newIds.assignedByInsert.size === 0) return undefined
  return inserts.find(({ owner }) => unknownRow([owner?.id], newIds) !== undefined)?.owner?.by
}

/** `count`: the number of rows that have parameters of their own. 0: they travel in one. */
function shapeOf(
  context: QueryContext,
  target: Target,
  count: number,
  newOwner: OwnerReference | undefined,
): StepShape {
  return new StepShape(context, (first, idOf) => {
    const ownerId = newOwner && idOf(newOwner.target)
    const orNew = (one: RowsColumn, value: Sql): Sql =>
      ownerId === undefined || one.name !== newOwner?.column ? value : sql`coalesce(${value}, ${ownerId})`
    return count === 0
      ? insertRows(context, target, slot(first), orNew)
      : insertBound(context, target, count, first, orNew)
  })
}

/** A value of a column, or the new owner's id where that is NULL. */
type OrNew = (column: RowsColumn, value: Sql) => Sql

/** Puts the values of one row into a list, from the index `first` on, in the order of the columns. */
function putRow(
  { row, owner, values }: Insert,
  { positions, ownedBy, rows: { columns }, bringsIds }: Target,
  newIds: NewIds,
  encodeValue: Dialect['encodeValue'],
  all: unknown[],
  first: number,
): void {
  let filled = 0
  const put = (value: unknown): void => {
    all[first + filled] = encodeValue(value, columns[filled] as RowsColumn)
    filled += 1
  }
  if (bringsIds) put(idValue(row, newIds))
  for (const by of ownedBy) put(owner !== undefined && owner.by === by ? idValue(owner.id, newIds) : null)
  for (let index = 0; index < positions.length; index++) put(values[positions[index] as number])
}

function asItIs(value: unknown): unknown {
  return value
}

function targetOf(context: QueryContext, resource: Resource, bringsIds: boolean, set: MemberKey): Target {
  const { ownedBy } = resource
  const given = new Set(membersIn(resource, set))
  const members = resource.members.filter((member) => isInserted(member, given.has(member) ? member : undefined))
  return {
    resource,
    ownedBy: [...ownedBy],
    positions: members.map(({ position }) => position),
    rows: rowsOf(context, resource, bringsIds, [...ownedBy, ...members]),
    defaults: resource.fields.flatMap((field) => {
      const given = members.includes(field) ? undefined : context.learnedTypes.localDefaultOf(field)
      return given === undefined ? [] : [{ column: field.column, value: defaultInZone(given, field.stored) }]
    }),
    bringsIds,
  }
}

function insertBound(context: QueryContext, target: Target, count: number, first: number, orNew: OrNew): Sql {
  const { columns } = target.rows
  const { resource, defaults } = target
  const ofDefaults = defaults.map(({ value }) => value)
  if (columns.length + defaults.length + ownColumns(context, resource).length === 0) {
    return sql`${into(context, target)} default values`
  }
  const rows = Array.from({ length: count }, (_, row) => {
    const values = columns.map((one, index) => {
      const parameter = slot(first + row * columns.length + index)
      return orNew(one, context.dialect.value(parameter, one))
    })
    return sql`(${insertedValues(context, resource, [...values, ...ofDefaults])})`
  })
  return sql`${into(context, target)} values ${join(rows)}`
}

function insertRows(context: QueryContext, target: Target, parameter: Sql, orNew: OrNew): Sql {
  const { resource, rows, defaults } = target
  const values = [
    ...rows.columns.map((one) => orNew(one, column('x', one.name))),
    ...defaults.map(({ value }) => value),
  ]
  return sql`${into(context, target)} select ${insertedValues(context, resource, values)} from ${context.dialect.rows(parameter, rows, 'inserted')} as ${sql.id('x')}`
}

function into(context: QueryContext, { resource, rows, defaults, bringsIds }: Target): Sql {
  const columns = [...rows.columns.map(({ name }) => name), ...defaults.map((one) => one.column)]
  const { assigned } = idSqlOf(context, resource)
  const overriding = bringsIds && assigned !== undefined ? assigned.overriding : sql``
  return sql`${insertInto(context, resource, columns)}${overriding}`
}
