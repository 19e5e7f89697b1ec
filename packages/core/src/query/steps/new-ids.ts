import { sql } from 'kysely'
import type { Resource } from '../../model/model.ts'
import type { Insert, NewRow, RowId } from '../../plan/diff/changes.ts'
import type { OrderedChanges, OrderedStep } from '../../plan/order/ordered.ts'
import type { QueryContext } from '../context.ts'
import { type Prepared, prepare } from '../prepare.ts'
import { jsonArrayQuery, jsonTuple } from '../reads/json-text.ts'
import { column, join, type Sql, slot } from '../sql-text.ts'

/** How a statement finds the ids of rows that the same plan inserts, given what {@link encodeId} makes of them. */
export interface NewIds {
  /** The id of a row that a parameter stands for. */
  bound(parameter: Sql): Sql
  /** Joined to the rows `x` that are written; for each of the columns that may name a new row. */
  join(columns: readonly string[]): Sql
  /** The id in one of these columns, by its number among them. */
  id(column: string, index: number): Sql
}

/** Rows that are to be inserted, by resource: the numbers that the plan gave them. */
export type NewRows = readonly {
  readonly resource: Resource
  readonly numbers: readonly number[]
  readonly floor: number
}[]

/** The new rows of the steps. */
export function newRowsOf(steps: readonly OrderedStep[]): NewRows {
  return steps.flatMap((step) => {
    if (step.step !== 'insert') return []
    const numbers = step.rows.flatMap(({ row, id }) => (id === undefined ? [row.new] : []))
    return numbers.length === 0 ? [] : [{ resource: step.resource, numbers, floor: floorOf(step.rows) }]
  })
}

/** The numbers of new rows that have to be known, as others name them. */
export function namedRows({ steps, inserts, result }: OrderedChanges): ReadonlySet<number> {
  if (inserts.length === 0) return NO_ROWS
  let named: Set<number> | undefined
  const add = (id: RowId | undefined): void => {
    if (typeof id !== 'object') return
    named ??= new Set()
    named.add(id.new)
  }
  add(result)
  for (const { owner } of inserts) add(owner?.id)
  for (const step of steps) if (step.step === 'link') for (const { from } of step.pairs) add(from)
  return named ?? NO_ROWS
}

const NO_ROWS: ReadonlySet<number> = new Set()

/** The row of a step that inserts only one, whose id the client did not choose. */
export function loneRow(step: OrderedStep): NewRow | undefined {
  if (step.step !== 'insert' || step.rows.length !== 1) return undefined
  const [first] = step.rows
  return first?.id === undefined ? first?.row : undefined
}

/** Whether a step brings the ids of its rows: the client chose them, or others name them. */
export function givesIds(step: OrderedStep, named: ReadonlySet<number>): boolean {
  return step.step === 'insert' && step.rows.some(({ row, id }) => id !== undefined || named.has(row.new))
}

/** The highest id that the client chose for one of the rows. */
function floorOf(rows: readonly Insert[]): number {
  return rows.reduce((highest, { id }) => Math.max(highest, id ?? 0), 0)
}

/** The ids of new rows that are known already, by the rows' numbers. */
export type KnownIds = readonly (number | undefined)[]

/** Those that are known before a row is inserted, as the client chose them; others are added. */
export function chosenIds({ inserts }: OrderedChanges): (number | undefined)[] {
  return inserts.map(({ id }) => id)
}

/** Whether a row needs an id before it is inserted: others name it, or the client chose it. */
export function needsIds(ordered: OrderedChanges): boolean {
  for (const { id } of ordered.inserts) if (id !== undefined) return true
  return namedRows(ordered).size > 0
}

/** Rows that are named by their ids, which are known. */
export const knownIds: NewIds = { bound: (parameter) => parameter, join: () => sql``, id: (name) => column('x', name) }

/** What stands for a row among the values of a statement: its id, or a negative number until that is known. */
export function encodeId(row: RowId, known: KnownIds): number {
  return typeof row === 'number' ? row : (known[row.new] ?? standIn(row.new))
}

/** Reserves ids before any row is inserted: one JSON value for each resource, as {@link toIds} reads it. */
export function reserveQuery(context: QueryContext, rows: NewRows, hasSequences: boolean): Prepared {
  const { db, dialect, names } = context
  const answers = rows.map(({ resource }, index) => {
    const [count, floor] = [slot(`count${index}`), slot(`floor${index}`)]
    return dialect.newIds(names.table(resource.table), names.column(resource.idColumn), count, floor, hasSequences)
  })
  return prepare(db, sql`select ${jsonTuple(answers)} as json`)
}

export function reserveValues(rows: NewRows): Record<string, number> {
  const values = rows.flatMap(({ numbers, floor }, index): [string, number][] => [
    [`count${index}`, numbers.length],
    [`floor${index}`, floor],
  ])
  return Object.fromEntries(values)
}

/** The reserved ids, ascending: listed, or all that follow the highest one that was ever given. */
export function toIds(answer: number | readonly number[], count: number): readonly number[] {
  if (typeof answer !== 'number') return [...answer].sort((a, b) => a - b)
  return Array.from({ length: count }, (_, index) => answer + 1 + index)
}

const IDS = 'crud_ids'

/**
 * New rows that get their ids in the very statement that inserts them; until then they go by negative numbers. Where
 * there may be many they are joined, which is faster, but leaves no order to rely on.
 */
export function idsInStatement(isJoined: boolean): NewIds {
  const lookedUp = (stands: Sql): Sql =>
    sql`coalesce((select ${column('i', 'id')} from ${sql.id(IDS)} as ${sql.id('i')} where ${column('i', 'n')} = ${stands}), ${stands})`
  const bound = (parameter: Sql): Sql => lookedUp(sql`${parameter}::bigint`)
  if (!isJoined) return { bound, join: () => sql``, id: (name) => lookedUp(column('x', name)) }
  return {
    bound,
    join: (columns) =>
      join(
        columns.map((name, index) => {
          const ids = `i${index}`
          return sql` left join ${sql.id(IDS)} as ${sql.id(ids)} on ${column(ids, 'n')} = ${column('x', name)}`
        }),
        sql``,
      ),
    id: (name, index) => sql`coalesce(${column(`i${index}`, 'id')}, ${column('x', name)})`,
  }
}

/** By what a new row goes in the statement that gives it its id. */
export function standIn(number: number): number {
  return -1 - number
}

/** A new row that the statement inserts alone, by a common table expression which returns its id. */
export interface ToldRow {
  readonly number: number
  readonly insertedBy: string
  readonly idColumn: string
}

/** The common table expression that knows ids of new rows by their stand-ins (slots 0, 1, …). */
export function idsTable(context: QueryContext, told: readonly ToldRow[], rows: NewRows): Sql {
  const { dialect, names } = context
  const alone = told.map(
    ({ insertedBy, idColumn }, index) =>
      sql`select ${slot(index)}::bigint, ${sql.id(idColumn)} from ${sql.id(insertedBy)}`,
  )
  const each = rows.map(({ resource }, index) => {
    const next = dialect.nextId?.(names.table(resource.table), names.column(resource.idColumn)) ?? sql`null`
    const numbers = dialect.ids(slot(told.length + index))
    return sql`select ${column('k', 'id')}, ${next} from (${numbers}) as ${sql.id('k')}`
  })
  return sql`${sql.id(IDS)}(${sql.id('n')}, ${sql.id('id')}) as materialized (${join([...alone, ...each], sql` union all `)})`
}

export function idsTableValues({ dialect }: QueryContext, told: readonly ToldRow[], rows: NewRows): readonly unknown[] {
  return [
    ...told.map(({ number }) => standIn(number)),
    ...rows.map(({ numbers }) => dialect.encodeIds(numbers.map(standIn))),
  ]
}

/** What the statement answers: `[stand-in, id]` pairs as JSON text; `isLone`: of a single row. */
export function givenIds(isLone: boolean): Sql {
  const pair = jsonTuple([column(IDS, 'n'), column(IDS, 'id')])
  const from = sql`from ${sql.id(IDS)}`
  return isLone ? sql`(select ${jsonTuple([pair])} ${from})` : sql`(${jsonArrayQuery(pair, from, column(IDS, 'n'))})`
}

/** The numbers of the new rows whose ids the table knows. */
export function numbersOf(told: readonly ToldRow[], rows: NewRows): readonly number[] {
  return [...told.map(({ number }) => number), ...rows.flatMap(({ numbers }) => numbers)]
}

/** The id of one of them, by its stand-in. */
export function givenId(parameter: Sql): Sql {
  return sql`(select ${column('k', 'id')} from ${sql.id(IDS)} as ${sql.id('k')} where ${column('k', 'n')} = ${parameter}::bigint)`
}

/** Adds the given ids to those that are known. */
export function noteGivenIds(json: string, known: (number | undefined)[]): void {
  for (const [number, id] of JSON.parse(json) as [number, number][]) known[-1 - number] = id
}
