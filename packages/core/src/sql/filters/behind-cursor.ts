import { sql } from 'kysely'
import { type Cursor, NOT_IN_CURSOR } from '../../asking/cursor.ts'
import type { SortKey } from '../../asking/sort-key.ts'
import { isForeignKey, type Resource, type UniqueKey } from '../../model/model.ts'
import type { Dialect } from '../dialect/dialect.ts'
import { join, type Sql } from '../text/sql-text.ts'
import type { SortSql } from './sort-sql.ts'

/** The record that a cursor names, for sort values that the cursor is too short for. */
export interface CursorRow {
  /** A sort value of the record, as a query in parentheses. */
  value(key: SortSql): Sql
  /** Whether the record is there and fulfils a condition. */
  exists(condition: Sql): Sql
}

/** Rows that stand one behind the other in a list: those that have the first values of the cursor, and the next value
 * behind it, or none. */
export interface Range {
  readonly condition: Sql
  /** The keys in which its rows differ, by their indexes. */
  readonly differIn: readonly number[]
}

/** Where a page begins, in SQL. */
export interface BehindCursor {
  /** Each row behind the cursor is in one of them. */
  readonly ranges: readonly Range[]
  /** Undefined where nothing has to be read from the record that the cursor names. */
  readonly isReadable: Sql | undefined
}

/** `keys`: those of the sort, and the parts of the id. {@link cursorValues} has the values of the slots. */
export function behindCursor(
  { takesNullsForEqual }: Dialect,
  cursor: Cursor,
  keys: readonly SortSql[],
  row: CursorRow,
): BehindCursor {
  const ranges: Range[] = []
  const equal: Sql[] = []
  const same = new Set<number>()
  const isInNoCursor: Sql[] = []
  for (const [index, key] of keys.entries()) {
    const { value, isDescending, nulls } = key
    // All parts of the id are in one slot.
    const place = Math.min(index, cursor.values.length)
    const given = index < cursor.values.length ? cursor.values[index] : cursor.id
    const isNull = sql`${value} is null`
    const add = (condition: Sql) => {
      const differIn = [...keys.keys()].filter((one) => !same.has(one))
      ranges.unshift({ condition: join([...equal, condition], sql` and `), differIn })
    }
    if (given === null) {
      if (nulls === 'first') add(sql`${value} is not null`)
      equal.push(isNull)
      if (takesNullsForEqual) same.add(index)
      continue
    }
    const isInRow = given === NOT_IN_CURSOR
    if (isInRow) isInNoCursor.push(key.isInNoCursor)
    const beside = isInRow ? row.value(key) : key.parameter(slotOf(place))
    const isBehind = sql`${value} ${isDescending ? sql`<` : sql`>`} ${beside}`
    if (nulls === 'last') {
      if (takesNullsForEqual) same.add(index)
      add(isNull)
      same.delete(index)
    }
    add(isBehind)
    equal.push(sql`${value} = ${beside}`)
    same.add(index)
  }
  return { ranges, isReadable: isInNoCursor.length === 0 ? undefined : row.exists(join(isInNoCursor, sql` and `)) }
}

/** The slot of the id. */
export function cursorIdSlot(sort: readonly SortKey[]): string {
  return slotOf(sort.length)
}

/** The values of the slots of {@link behindCursor}. */
export function cursorValues({ values, id }: Cursor): Readonly<Record<string, unknown>> {
  return Object.fromEntries([...values, id].map((value, index) => [slotOf(index), value]))
}

function slotOf(index: number): string {
  return `after${index}`
}

function holdsAllRows({ where }: UniqueKey): boolean {
  return where.length === 0
}

/**
 * Whether an index of the descriptor, or of a key, has the first sort key, alone or behind what all rows of the list
 * have in common: then each range can be read from its beginning.
 */
export function isFirstIndexed(resource: Resource, sort: readonly SortKey[]): boolean {
  return isIndexed(resource, sort, (members, member) => members.includes(member))
}

/** Whether an index begins with the first sort key, so that it has all rows in their order. */
export function isInOrder(resource: Resource, sort: readonly SortKey[]): boolean {
  return isIndexed(resource, sort, ([first], member) => first === member)
}

type Member = UniqueKey['members'][number]

function isIndexed(
  { uniques, indexes }: Resource,
  [first]: readonly SortKey[],
  serves: (members: readonly Member[], member: Member) => boolean,
): boolean {
  if (first === undefined) return true
  const { by } = first
  if (by.kind !== 'value' || by.relations.length > 0 || by.isLowered) return false
  const { operand } = by
  if (operand.kind !== 'member') return operand.kind === 'id'
  const { member } = operand
  if (member.kind === 'computed') return false
  if (isForeignKey(member)) return true
  return [...uniques.filter(holdsAllRows), ...indexes].some(({ members }) => serves(members, member))
}
