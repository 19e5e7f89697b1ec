import { idAlone } from '../../asking/select/selections.ts'
import { CrudError, notAllowed, notFound } from '../../errors.ts'
import { type HistoryRow, toHistoryRow } from '../../history/history-row.ts'
import { missingTable } from '../../history/keep-history.ts'
import { type OwnerName, type StoredChange, wholeChange } from '../../history/stored-changes.ts'
import { type Address, namesNoOwner } from '../../model/collection-path.ts'
import type { Id } from '../../model/ids/id-kind.ts'
import type { Model } from '../../model/model.ts'
import type { Session } from '../../session/session.ts'
import { readRecord } from '../reads/read-record.ts'
import type { EffectsTerms, WriteParts } from '../write-call.ts'
import { type ChangesToShow, type HistorySight, recordSlots } from './history-sight.ts'

/** Whose history is read, and by whom. */
export interface HistoryCall {
  readonly at: Address
  readonly id: Id
  /** Whether the reader may see no records of a resource. Default: it may see those of all. */
  readonly hides?: EffectsTerms['hides']
  /** Whether a record that is gone is told of only if somebody else agrees: then it is a {@link RecordGoneError}. */
  readonly asksIfGone?: boolean | undefined
}

/** The record of a history is gone. The reader might see and delete it as it was last, but others have to be asked, for
 * which no transaction waits. */
export class RecordGoneError extends Error {
  override readonly name = 'RecordGoneError'
}

/** One write, if it belongs to the record: writes before it was added are those of another one. */
export async function readWrite(
  parts: WriteParts,
  session: Session,
  call: Pick<HistoryCall, 'at' | 'id'>,
  write: string,
): Promise<HistoryRow | undefined> {
  const { writeOf, writesBehind } = parts.statements.history()
  const slots = slotsOf(session, call)
  const [row] = await askHistory(() => session.rows(writeOf, { ...slots, write }))
  if (row === undefined) return undefined
  const found = toHistoryRow(row)
  const later = await session.rows(writesBehind, { ...slots, position: found.position })
  return later.some((one) => adds(toHistoryRow(one), call)) ? undefined : found
}

/** By which the history finds the record of a call. */
export function slotsOf(session: Session, { at, id }: Pick<HistoryCall, 'at' | 'id'>) {
  return recordSlots(session, { resource: at.path.resource, id })
}

/** Asks the history, and says what to do where its tables are missing. */
export async function askHistory<Result>(read: () => Promise<Result>): Promise<Result> {
  try {
    return await read()
  } catch (error) {
    throw missingTable(error) ?? error
  }
}

/** Whether the write has added the record: what was before was another one. What an undo brings back is the same. */
export function adds({ stored }: HistoryRow, { at, id }: Pick<HistoryCall, 'at' | 'id'>): boolean {
  const { key } = at.path.resource
  const isOwn = (one: StoredChange) => one.resource === key && one.id === id && one.relation === undefined
  return stored.changes.some((one) => one.action === 'Add' && one.soft !== true && one.because !== 'undo' && isOwn(one))
}

/** Fails unless the reader sees the record; of one that is gone, unless it might delete it, too. */
export async function checkSeen(
  { statements }: WriteParts,
  session: Session,
  sight: HistorySight,
  { at, id, hides, asksIfGone }: HistoryCall,
): Promise<void> {
  const { resource } = at.path
  if (hides?.(resource) === true) throw new CrudError(notFound(resource.key, id))
  try {
    await readRecord(session, statements, at, id, { selection: idAlone(resource) })
    return
  } catch (error) {
    if (!(error instanceof CrudError) || error.code !== 'CRUD_ERR_NOT_FOUND') throw error
    const above = await lastOwners(statements, session, { at, id })
    const isHere = above !== undefined && isAddressed(at, above)
    if (!isHere || !(await sight.seesGone({ resource, id }))) throw error
  }
  if (!(await sight.mayDelete({ resource, id }))) throw new CrudError(notAllowed())
  if (asksIfGone === true) throw new RecordGoneError()
}

/** Whether the owners are those that an address names, if it names some. */
function isAddressed({ path, owners }: Address, above: readonly OwnerName[]): boolean {
  if (namesNoOwner(path)) return true
  // Records of a tree are reached from the top, too.
  const ids = above.flatMap(([key, id]) => (key === path.resource.key ? [] : [id])).reverse()
  return ids.length === owners.length && ids.every((id, level) => id === owners[level])
}

/** The owners of a record that is gone; undefined where it is not gone, or not known. */
async function lastOwners(
  statements: WriteParts['statements'],
  session: Session,
  call: Pick<HistoryCall, 'at' | 'id'>,
): Promise<readonly OwnerName[] | undefined> {
  const slots = { ...slotsOf(session, call), before: Number.MAX_SAFE_INTEGER, most: 1 }
  const [row] = await askHistory(() => session.rows(statements.history().writesOf, slots))
  const { key } = call.at.path.resource
  const last = row && toHistoryRow(row).stored.changes.find((one) => one.resource === key && one.id === call.id)
  return last?.action === 'Delete' ? (last.above ?? []) : undefined
}

/** Those that the model knows by their names. */
export function known(model: Model, all: readonly StoredChange[]): ChangesToShow {
  const pairs = all.flatMap((stored) => {
    const change = wholeChange(model, stored)
    return change === undefined ? [] : [{ stored, change }]
  })
  return { stored: pairs.map(({ stored }) => stored), changes: pairs.map(({ change }) => change) }
}
