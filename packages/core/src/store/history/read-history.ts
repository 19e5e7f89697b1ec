import type { HistoryEntry } from '../../effects-form.ts'
import { CrudError, notFound } from '../../errors.ts'
import { type HistoryRow, toHistoryRow } from '../../history/history-row.ts'
import type { RecordName } from '../../history/stored-changes.ts'
import type { Model } from '../../model/model.ts'
import type { Session } from '../../session/session.ts'
import { HistorySight } from '../../writing/history/history-sight.ts'
import { adds, askHistory, checkSeen, type HistoryCall, readWrite, slotsOf } from '../../writing/history/read-write.ts'
import type { WriteParts } from '../../writing/write-call.ts'
import { type HistoryRequest, isAsked } from './history-request.ts'
import { changesOfRecord, type EntryScope, entriesOf } from './shown-entries.ts'

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
    const entries = await entriesOf(parts, sight, scopeOf(parts, call), asked)
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
  const [entry] = row === undefined ? [] : await entriesOf(parts, sight, scopeOf(parts, call), [row])
  if (entry === undefined) throw new CrudError(notFound('write', write))
  return entry
}

/** Fails unless the reader may see the history of a record. */
export async function checkHistoryOf(parts: WriteParts, session: Session, call: HistoryCall): Promise<void> {
  await checkSeen(parts, session, new HistorySight(parts, session, call.hides), call)
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

function scopeOf({ context }: WriteParts, { at, id, hides }: HistoryCall): EntryScope {
  const own: RecordName = [at.path.resource.key, id]
  return { own, hides, choose: ({ stored }) => changesOfRecord(context.model as Model, stored.changes, own) }
}
