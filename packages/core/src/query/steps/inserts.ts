import { sql } from 'kysely'
import type { OwnedBy, Resource } from '../../model/model.ts'
import type { Insert } from '../../plan/diff/changes.ts'
import type { QueryContext } from '../context.ts'
import type { Dialect, RowsColumn, RowsTable } from '../dialect/dialect.ts'
import { column, join, type Sql, slot } from '../sql-text.ts'
import { encodeId, type KnownIds, type NewIds } from './new-ids.ts'
import { rowsOf } from './rows-shape.ts'
import { type StepPart, StepShape } from './step-shape.ts'

/** What an INSERT of rows writes: the id, the foreign keys of owners, and what the body sets, in this order. */
interface Target {
  readonly resource: Resource
  /** A copy, as V8 does not optimize to read a list that is frozen. */
  readonly ownedBy: readonly OwnedBy[]
  /** How many of them there are. */
  readonly members: number
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

/** How rows of one resource are inserted. */
export class Inserts {
  readonly #context: QueryContext
  readonly #resource: Resource
  #withIds: Target | undefined
  #withoutIds: Target | undefined

  constructor(context: QueryContext, resource: Resource) {
    this.#context = context
    this.#resource = resource
  }

  /** `givesIds`: they bring their ids, rather than have the database give them. */
  several(inserts: readonly Insert[], known: KnownIds, givesIds: boolean): StepPart {
    const { dialect } = this.#context
    const target = this.#targetOf(givesIds)
    const { columns } = target.rows
    const count = inserts.length <= dialect.mostBoundInserts ? inserts.length : 0
    const shape = shapeOf(this.#context, target, count)
    if (count === 0) {
      const rows = inserts.map((insert) => {
        const row = new Array<unknown>(columns.length)
        putRow(insert, target, known, asItIs, row, 0)
        return row
      })
      return { shape, values: [dialect.encodeRows(rows, target.rows)] }
    }
    const values = new Array<unknown>(count * columns.length)
    for (let row = 0; row < count; row++) {
      putRow(inserts[row] as Insert, target, known, dialect.bind, values, row * columns.length)
    }
    return { shape, values }
  }

  #targetOf(givesIds: boolean): Target {
    if (givesIds) {
      this.#withIds ??= newTarget(this.#context, this.#resource, true)
      return this.#withIds
    }
    this.#withoutIds ??= newTarget(this.#context, this.#resource, false)
    return this.#withoutIds
  }
}

function shapeOf(context: QueryContext, target: Target, count: number): StepShape {
  const { resource, givesIds, shapes } = target
  shapes[count] ??= new StepShape(
    context,
    `insert${givesIds ? ' with ids' : ''} ${resource.key} ${count}`,
    (first, found) =>
      count === 0 ? insertRows(context, target, slot(first), found) : insertBound(context, target, count, first, found),
  )
  return shapes[count]
}

/** Puts the values of one row into a list, from a place on, in the order of the columns. */
function putRow(
  { row, owner, values }: Insert,
  { members, ownedBy, rows: { columns }, givesIds, hasId }: Target,
  known: KnownIds,
  bind: Dialect['bind'],
  all: unknown[],
  first: number,
): void {
  let place = 0
  const put = (value: unknown): void => {
    all[first + place] = bind(value, columns[place] as RowsColumn)
    place += 1
  }
  if (hasId) put(givesIds ? encodeId(row, known) : null)
  for (const by of ownedBy) put(owner !== undefined && owner.by === by ? encodeId(owner.id, known) : null)
  for (let position = 0; position < members; position++) put(values[position])
}

function asItIs(value: unknown): unknown {
  return value
}

function newTarget(context: QueryContext, resource: Resource, givesIds: boolean): Target {
  const { ownedBy, members } = resource
  const others = [...ownedBy, ...members]
  // Without any other column it is the id that is null, which SQLite takes for none.
  const hasId = givesIds || others.length === 0
  const idColumns = (givesIds ? 1 : 0) + ownedBy.length
  return {
    resource,
    ownedBy: [...ownedBy],
    members: members.length,
    rows: rowsOf(context, resource, hasId, others),
    givesIds,
    hasId,
    idColumns,
    shapes: [],
  }
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
