import { CrudError, notFound, tooLarge } from '../../errors.ts'
import { type HistoryRow, toHistoryRow } from '../../history/history-row.ts'
import type { RecordName } from '../../history/stored-changes.ts'
import type { Model } from '../../model/model.ts'
import type { Session } from '../../session/session.ts'
import { HistorySight } from '../../writing/history/history-sight.ts'
import { adds, askHistory, checkSeen, type HistoryCall, readWrite, slotsOf } from '../../writing/history/read-write.ts'
import { sendable } from '../../writing/reads/client-json.ts'
import type { WriteParts } from '../../writing/write-call.ts'
import { type HistoryRequest, isAsked } from './history-request.ts'
import { changesOfRecord, type EntryScope, entriesOf } from './shown-entries.ts'

/** The most writes that are read at once. */
const MOST_AT_ONCE = 100

/**
 * The JSON of a page of a record's history. Fails with `CRUD_ERR_NOT_FOUND` unless the reader sees the record, and with
 * `CRUD_ERR_TOO_LARGE`, as lists do.
 */
export async function readHistory(
  parts: WriteParts,
  session: Session,
  call: HistoryCall,
  request: HistoryRequest,
): Promise<string> {
  const { maxAnswer } = parts.context
  const sight = new HistorySight(parts, session, call.hides)
  await checkSeen(parts, session, sight, call)
  const rows: string[] = []
  let size = 0
  let before = request.before
  // One more than the page has tells whether there is another page.
  for (let most = request.limit + 1; ; most *= 2) {
    const found = await writesOf(parts, session, call, before, Math.min(most, MOST_AT_ONCE))
    const asked = found.rows.filter((row) => isAsked(request, row))
    const entries = await entriesOf(parts, sight, scopeOf(parts, call), asked)
    for (const [index, entry] of entries.entries()) {
      if (entry === undefined) continue
      if (rows.length === request.limit) return pageOf(rows, String(before))
      const row = JSON.stringify(entry)
      size += Buffer.byteLength(row)
      if (size > maxAnswer) throw pageTooLarge(request, maxAnswer)
      rows.push(row)
      before = (asked[index] as HistoryRow).position
    }
    if (found.isLast) return pageOf(rows)
    before = (found.rows.at(-1) as HistoryRow).position
  }
}

function pageOf(rows: readonly string[], next?: string): string {
  return `{"rows":[${rows.join(',')}]${next === undefined ? '' : `,"next":"${next}"`}}`
}

function pageTooLarge({ limit }: HistoryRequest, maxAnswer: number): CrudError {
  const advice = limit > 1 ? "ask for fewer writes with 'limit'" : RAISE
  return new CrudError(tooLarge('this page', maxAnswer, advice))
}

const RAISE = 'ask the operator to raise limits.maxAnswer'

/**
 * The JSON of one write that has touched a record. Fails with `CRUD_ERR_NOT_FOUND` where the reader sees none of it,
 * and with `CRUD_ERR_TOO_LARGE`.
 */
export async function readHistoryEntry(
  parts: WriteParts,
  session: Session,
  call: HistoryCall,
  write: string,
): Promise<string> {
  const { maxAnswer } = parts.context
  const sight = new HistorySight(parts, session, call.hides)
  await checkSeen(parts, session, sight, call)
  const row = await readWrite(parts, session, call, write)
  const [entry] = row === undefined ? [] : await entriesOf(parts, sight, scopeOf(parts, call), [row])
  if (entry === undefined) throw new CrudError(notFound('write', write))
  const json = sendable(JSON.stringify(entry), maxAnswer)
  if (json === undefined) throw new CrudError(tooLarge('this write', maxAnswer, RAISE))
  return json
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
  most: number,
): Promise<SomeWrites> {
  const slots = { ...slotsOf(session, call), before, most }
  const found = (await askHistory(() => session.rows(statements.history().writesOf, slots))).map(toHistoryRow)
  // A new record with an old one's id inherits nothing.
  const first = found.findIndex((row) => adds(row, call))
  if (first !== -1) return { rows: found.slice(0, first + 1), isLast: true }
  return { rows: found, isLast: found.length < most }
}

function scopeOf({ context }: WriteParts, { at, id, hides }: HistoryCall): EntryScope {
  const own: RecordName = [at.path.resource.key, id]
  return { own, hides, choose: ({ stored }) => changesOfRecord(context.model as Model, stored.changes, own) }
}
