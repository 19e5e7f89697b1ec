import type { Id } from '../model/ids/id-kind.ts'
import type { Resource } from '../model/model.ts'
import type { Draft } from '../planning/body/draft.ts'
import type { Insert } from '../planning/diff/changes.ts'
import type { NewIds, ToReserve } from '../planning/order/new-ids.ts'
import type { OrderedChanges } from '../planning/order/ordered.ts'
import { pipeline, type Session } from '../session/session.ts'
import type { Statements } from '../sql/statements.ts'
import { drawnIn, noteReserved, reserveValues } from '../sql/steps/reserved-ids.ts'
import { idSqlOf } from '../sql/text/member-id-sql.ts'
import type { Attempt } from './attempt.ts'
import type { Gathering } from './effects/current-gathering.ts'
import { draftsOf, type WriteCall, type WriteParts } from './write-call.ts'

/**
 * Does work that reads and plans, and in the same message draws ids for the new rows of a write that the history keeps.
 * So all is known before the statements that write, and the history goes in one message with them. Where nothing is
 * gained by it, or the database counts no ids, they are found out as those of other writes.
 */
export async function whileDrawing<Result>(
  { context, statements }: WriteParts,
  session: Session,
  call: WriteCall,
  { writing }: Attempt,
  gathering: Gathering | undefined,
  work: () => Promise<Result>,
): Promise<Result> {
  // Row by row, ids that are in use are passed over first.
  if (gathering?.isKept !== true || !session.pipelines || writing.rowByRow) return await work()
  const rows = newRowsIn(draftsOf(call)).filter(
    ({ resource, chosen }) => chosen.length === 0 && idSqlOf(context, resource).assigned !== undefined,
  )
  if (rows.length === 0) return await work()
  const draw = async () => {
    const json = await session.value<string | null>(statements.reserve(rows, false), reserveValues(context, rows))
    gathering.drawn = drawnIn(context, rows, json ?? null)
  }
  const [, result] = await pipeline(session, draw, work)
  return result
}

/**
 * The new rows that bodies have for sure, and whose ids the database gives: for each table. Ids that the client chose
 * are none that may be drawn besides.
 */
function newRowsIn(drafts: readonly Draft[]): readonly ToReserve[] {
  const found = new Map<string, { resource: Resource; numbers: number[]; chosen: Id[] }>()
  const open = [...drafts]
  for (let draft = open.pop(); draft !== undefined; draft = open.pop()) {
    const { resource, id, operation, owned } = draft
    if (operation === 'create' && resource.id.assignedBy === 'database') {
      const known = found.get(resource.table) ?? { resource, numbers: [], chosen: [] }
      found.set(resource.table, known)
      if (id === undefined) known.numbers.push(known.numbers.length)
      else known.chosen.push(id)
    }
    for (const child of owned.flat()) if (child) open.push(child)
  }
  return [...found.values()].filter(({ numbers }) => numbers.length > 0)
}

/** Whether ids have to be reserved, or kept from being given, before rows are inserted. */
export function mustPrepareIds({ inserts: all, rowByRow }: OrderedChanges, { toReserve }: NewIds): boolean {
  const inserts = all.filter(isInserted)
  return toReserve.length > 0 || (rowByRow && inserts.length > 0) || inserts.some(({ id }) => id !== undefined)
}

/** Whether the row is not there yet. */
function isInserted({ comesBack }: Insert): boolean {
  return comesBack !== 'kept'
}

/** Keeps the database from assigning ids that clients chose, and reserves those that several new rows of a resource
 * need. */
export async function prepareIds(
  { context, statements }: WriteParts,
  session: Session,
  ordered: OrderedChanges,
  newIds: NewIds,
): Promise<void> {
  if (ordered.rowByRow) await passOverUsedIds(session, statements, ordered)
  for (const { resource, id } of ordered.inserts.filter(isInserted)) {
    const statement = id === undefined ? undefined : statements.skipId(resource)
    if (statement !== undefined) await session.rows(statement, { id })
  }
  const { toReserve } = newIds
  if (toReserve.length === 0) return
  const statement = statements.reserve(toReserve, await hasSequences(session, statements))
  const json = await session.value<string>(statement, reserveValues(context, toReserve))
  noteReserved(context, newIds, json as string)
}

/** Rows that were written past the sequence may have the ids that it would give next. */
async function passOverUsedIds(session: Session, statements: Statements, { inserts }: OrderedChanges): Promise<void> {
  for (const resource of new Set(inserts.map(({ resource }) => resource))) {
    const statement = statements.skipUsedIds(resource)
    if (statement !== undefined) await session.rows(statement, {})
  }
}

const withSequences = new WeakMap<Statements, boolean>()

/** SQLite: whether the database keeps the highest id that each table ever gave. Asked once. */
async function hasSequences(session: Session, statements: Statements): Promise<boolean> {
  const known = withSequences.get(statements)
  if (known !== undefined || statements.sequences === undefined) return known ?? false
  const { length } = await session.rows(statements.sequences, {})
  withSequences.set(statements, length > 0)
  return length > 0
}
