import { shownChanges, type Viewer } from '../../effects/shown-effects.ts'
import type { EffectRecord, WholeChange } from '../../effects/whole-change.ts'
import type { HistoryEntry } from '../../effects-form.ts'
import { CrudError, notFound } from '../../errors.ts'
import { type HistoryRow, toHistoryRow } from '../../history/history-row.ts'
import { isLinkTo, isWithin, type RecordName, type StoredChange } from '../../history/stored-changes.ts'
import type { Id } from '../../model/ids/id-kind.ts'
import type { Model } from '../../model/model.ts'
import type { Session } from '../../session/session.ts'
import { type ChangesToShow, HistorySight } from '../../writing/history/history-sight.ts'
import {
  adds,
  askHistory,
  checkSeen,
  type HistoryCall,
  known,
  readWrite,
  slotsOf,
} from '../../writing/history/read-write.ts'
import type { WriteParts } from '../../writing/write-call.ts'
import { type HistoryRequest, isAsked } from './history-request.ts'

/** A page of the writes that have touched a record, the newest first, and where the next page begins. */
export interface HistoryPage {
  readonly rows: readonly HistoryEntry[]
  readonly next?: string
}

/** The most writes that are read at once. */
const MOST_AT_ONCE = 100

/** Reads a page of a record's history. Fails with `CRUD_ERR_NOT_FOUND` unless the reader sees the record. */
export async function readHistory(
  parts: WriteParts,
  session: Session,
  call: HistoryCall,
  request: HistoryRequest,
): Promise<HistoryPage> {
  const sight = new HistorySight(parts, session, call.hides)
  await checkSeen(parts, session, sight, call)
  const rows: HistoryEntry[] = []
  let before = request.before
  for (;;) {
    const found = await writesOf(parts, session, call, before)
    const asked = found.rows.filter((row) => isAsked(request, row))
    const entries = await entriesOf(parts, sight, call, asked)
    for (const [index, entry] of entries.entries()) {
      if (entry === undefined) continue
      if (rows.length === request.limit) return { rows, next: String(before) }
      rows.push(entry)
      before = (asked[index] as HistoryRow).position
    }
    if (found.isLast) return { rows }
    before = (found.rows.at(-1) as HistoryRow).position
  }
}

/** One write that has touched a record. Fails with `CRUD_ERR_NOT_FOUND` where the reader sees none of it. */
export async function readHistoryEntry(
  parts: WriteParts,
  session: Session,
  call: HistoryCall,
  write: string,
): Promise<HistoryEntry> {
  const sight = new HistorySight(parts, session, call.hides)
  await checkSeen(parts, session, sight, call)
  const row = await readWrite(parts, session, call, write)
  const [entry] = row === undefined ? [] : await entriesOf(parts, sight, call, [row])
  if (entry === undefined) throw new CrudError(notFound('write', write))
  return entry
}

interface SomeWrites {
  readonly rows: readonly HistoryRow[]
  readonly isLast: boolean
}

async function writesOf(
  { statements }: WriteParts,
  session: Session,
  call: HistoryCall,
  before: number,
): Promise<SomeWrites> {
  const slots = { ...slotsOf(session, call), before, most: MOST_AT_ONCE }
  const found = (await askHistory(() => session.rows(statements.history().writesOf, slots))).map(toHistoryRow)
  // A new record with an old one's id inherits nothing.
  const first = found.findIndex((row) => adds(row, call))
  if (first !== -1) return { rows: found.slice(0, first + 1), isLast: true }
  return { rows: found, isLast: found.length < MOST_AT_ONCE }
}

/** The writes as the reader is shown them; undefined where it is shown nothing of one. */
async function entriesOf(
  { context }: WriteParts,
  sight: HistorySight,
  { at, id, hides }: HistoryCall,
  rows: readonly HistoryRow[],
): Promise<readonly (HistoryEntry | undefined)[]> {
  const model = context.model as Model
  const own: RecordName = [at.path.resource.key, id]
  const toShow = rows.map(({ stored }) => known(model, ofRecord(model, stored.changes, own)))
  const viewers = await sight.viewersOf(toShow)
  return rows.map((row, index) => {
    const { changes } = toShow[index] as ChangesToShow
    const viewer = viewers[index] as Viewer
    const shown = shownChanges(changes, viewer, false)
    if (shown.length === 0) return undefined
    const subject = model.resources.get(row.resource)
    const about = subject && { resource: subject, id: row.id }
    const isShown = about !== undefined && hides?.(about.resource) !== true && isAmong(changes, about, viewer)
    const [resource, of] = isShown ? [row.resource, row.id] : own
    const isOfMany = row.resource === ''
    return {
      effects: 1,
      write: row.write,
      at: row.at,
      operation: row.operation,
      ...(!isOfMany && { resource, ...(of !== undefined && { id: of }) }),
      ...(row.by !== undefined && { by: row.by }),
      changes: shown,
    }
  })
}

/** Whether the reader is shown what a request was about. */
function isAmong(
  changes: readonly WholeChange[],
  { resource, id }: { readonly resource: EffectRecord['resource']; readonly id: Id | undefined },
  viewer: Viewer,
): boolean {
  if (id === undefined) return true
  const record = { resource, id }
  const isNamed = changes.some((one) => one.resource === resource && one.id === id)
  return isNamed && (viewer.sees('before', record) || viewer.sees('after', record))
}

/** The changes of one record and of what it owns, and those that come of them. */
function ofRecord(model: Model, all: readonly StoredChange[], own: RecordName): readonly StoredChange[] {
  const within = new Set(all.filter((one) => isWithin(one, own) || isLinkTo(model, one, own)))
  const named = new Set([...within].map(({ resource, id }) => `${resource} ${id}`))
  return all.filter((one) => within.has(one) || (one.cause !== undefined && named.has(one.cause.join(' '))))
}
