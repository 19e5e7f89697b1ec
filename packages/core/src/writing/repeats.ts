import { busy, CrudError, usedWithAnotherBody } from '../errors.ts'
import { type Address, namesNoOwner } from '../model/collection-path.ts'
import type { Id } from '../model/ids/id-kind.ts'
import { PendingAnswersError } from '../planning/decide/planned-actions.ts'
import { databaseErrorKind, isUnknownTable } from '../session/database-errors.ts'
import { withRetries } from '../session/retries.ts'
import { causeOf, pipeline, type Session } from '../session/session.ts'
import { boundariesOn, withTransaction } from '../session/transaction.ts'
import type { AnyKysely } from '../sql/dialect/database.ts'
import { type WhoseRow, whoseRequest } from '../sql/rows/whose-rows.ts'
import { MOST_WAIT_MS } from '../sql/steps/repeat-queries.ts'
import { idSqlOf } from '../sql/text/member-id-sql.ts'
import type { Row } from '../sql/text/prepare.ts'
import { ownTableMissing, REPEATS_TABLE } from '../sql/text/stored-rows.ts'
import { type MovedRecord, readBackMany } from './bulk/read-many.ts'
import { mayRunRules } from './checks/check-allowed.ts'
import { placeNow } from './moves.ts'
import { recordToClientJson } from './reads/client-json.ts'
import { readRecord } from './reads/read-record.ts'
import type { BulkCall, CallTerms, Repeat, SingleCall, WriteCall, WriteParts, Written } from './write-call.ts'

/** How long a key is known. */
const KEPT_MS = 24 * 60 * 60 * 1_000

/** A process removes old rows once in so many requests with a key. */
const REQUESTS_PER_CLEANING = 100

/**
 * Carries out a write whose request has a key, or repeats the answer of an earlier one. A request with the key of one
 * that is under way waits for it. Fails with `CRUD_ERR_REPEAT` if that had another body, and with `CRUD_ERR_BUSY` if it
 * takes too long.
 */
export async function writeOnceForKey(
  parts: WriteParts,
  call: CallTerms,
  repeat: Repeat,
  carryOut: () => Promise<Written>,
): Promise<Written> {
  return await doOnceForKey(parts, call, repeat, carryOut, () => repeatOf(parts, call, repeat))
}

/** Who sends a key, and when. */
type KeyTerms = Pick<CallTerms, 'requestContext' | 'now'>

/** {@link writeOnceForKey} of anything. `again`: its answer, if an earlier request with the key is done. */
export async function doOnceForKey<Result>(
  parts: WriteParts,
  call: KeyTerms,
  repeat: Repeat,
  carryOut: () => Promise<Result>,
  again: () => Promise<Result | undefined>,
): Promise<Result> {
  const turns = turnsIn(parts.context.db)
  const key = JSON.stringify(rowOf(repeat, call.requestContext))
  const until = performance.now() + MOST_WAIT_MS
  // It needs no connection while it waits for another one in this process, and repeats do not wait for each other.
  for (let other = turns.get(key); other !== undefined; other = turns.get(key)) {
    await untilDone(other, until - performance.now())
    const written = await again()
    if (written !== undefined) return written
  }
  const { promise, resolve: endTurn } = Promise.withResolvers<void>()
  turns.set(key, promise)
  try {
    await cleanNowAndThen(parts, call)
    for (;;) {
      try {
        return await carryOut()
      } catch (error) {
        if (!(error instanceof KeyUsedError)) throw error
      }
      const written = await again()
      if (written !== undefined) return written
      // The earlier request has become too old in the meantime.
    }
  } finally {
    turns.delete(key)
    endTurn()
  }
}

/** The answer of an earlier request with the key, with the record as it is now. Undefined if there is none. */
export async function repeatOf(parts: WriteParts, call: CallTerms, repeat: Repeat): Promise<Written | undefined> {
  for (;;) {
    try {
      return await findRepeat(parts, call, repeat)
    } catch (error) {
      // Whoever has begun the transaction waits without it.
      if (!(error instanceof PendingAnswersError) || parts.end !== undefined) throw error
      await error.answers
    }
  }
}

/** Whether an earlier request with the key is done. Fails if that had another body. */
export async function isKeyUsed(parts: WriteParts, call: KeyTerms, repeat: Repeat): Promise<boolean> {
  const boundaries = boundariesOn(parts.context.db, parts.context.dialect)
  const found = await withRetries(parts.context.db, () =>
    parts.sessions.use(call.requestContext, (session) =>
      withTransaction(session, boundaries, () => findKey(parts, session, call, repeat)),
    ),
  )
  return found !== undefined
}

async function findRepeat(parts: WriteParts, call: CallTerms, repeat: Repeat): Promise<Written | undefined> {
  const { context, sessions } = parts
  const boundaries = boundariesOn(context.db, context.dialect)
  return await withRetries(context.db, () =>
    sessions.use(call.requestContext, (session) => {
      session.notePosition = call.notePosition
      return withTransaction(session, boundaries, () => readRepeat(parts, session, call, repeat))
    }),
  )
}

async function readRepeat(
  parts: WriteParts,
  session: Session,
  call: CallTerms,
  repeat: Repeat,
): Promise<Written | undefined> {
  const { context } = parts
  const found = await findKey(parts, session, call, repeat)
  if (found === undefined) return undefined
  const firstStatus = Number(found.status)
  const isShown = call.readsBack && firstStatus !== WITHOUT_BODY
  if (found.count !== null) {
    return { id: undefined, json: JSON.stringify({ count: Number(found.count) }), firstStatus }
  }
  const { fromText } = idSqlOf(context, call.at.path.resource)
  const noted = JSON.parse(String(found.ids)) as readonly string[] | ActionNote
  if ('acted' in noted) {
    const acted = await readActed(parts, session, call, noted)
    return { ...acted, json: isShown ? acted.json : undefined, firstStatus }
  }
  const ids = noted.map(fromText)
  if (repeat.isMany) {
    return { id: undefined, json: isShown ? await manyAtLast(parts, session, call, ids) : undefined, firstStatus }
  }
  const [id] = ids as [Id]
  const json = isShown ? (await recordAtLast(parts, session, call, id))?.json : undefined
  return { id, json, isOutOfSight: isShown && json === undefined, firstStatus }
}

/** What is noted of an earlier request with the key. */
async function findKey(
  { statements }: WriteParts,
  session: Session,
  { requestContext, now }: KeyTerms,
  repeat: Repeat,
): Promise<Row | undefined> {
  const { find, forget } = statements.repeats()
  const row = rowOf(repeat, requestContext)
  const [found] = await session.rows(find, row)
  if (found === undefined) return undefined
  const tooOld = now.getTime() - KEPT_MS
  // A driver may return an integer as a text.
  if (!(Number(found.at) > tooOld)) {
    await session.rows(forget, { ...row, at: tooOld })
    return undefined
  }
  if (found.body !== repeat.body) throw new CrudError(usedWithAnotherBody())
  return found
}

const WITHOUT_BODY = 204

/** What is noted of an action that is done. */
export interface ActionNote {
  readonly acted: true
  /** Of its record; absent where it has none, or the record was gone at the end. */
  readonly id?: string
  /** The JSON that it answered; absent where it answers its record. */
  readonly answer?: string
}

/** What an action has answered. Policies are asked again whether the caller may do it to the record. */
async function readActed(
  { context, statements }: WriteParts,
  session: Session,
  { at, asks }: CallTerms,
  { id: text, answer }: ActionNote,
): Promise<Written> {
  if (text === undefined) return { id: undefined, json: answer, isOutOfSight: answer === undefined }
  const id = idSqlOf(context, at.path.resource).fromText(text)
  const record = await readRecord(session, statements, at, id, { action: asks })
  return { id, json: answer ?? recordToClientJson(statements, at, record, statements.noteUnshown) }
}

export async function noteActed(
  { statements }: WriteParts,
  session: Session,
  { repeat, requestContext }: CallTerms,
  acted: ActionNote,
): Promise<void> {
  if (repeat === undefined) return
  const noted = { ids: JSON.stringify(acted), count: null }
  await session.rows(statements.repeats().note, { ...rowOf(repeat, requestContext), ...noted })
}

/** {@link recordNow} of a record that the first request, or another one, may have moved: also to an owner that the
 * caller may not see. */
async function recordAtLast(
  parts: WriteParts,
  session: Session,
  { at, permit }: Pick<CallTerms, 'at' | 'permit'>,
  id: Id,
): Promise<{ readonly json: string | undefined } | undefined> {
  const found = await recordNow(parts, session, { at }, id)
  if (found !== undefined || at.path.resource.movedBy.length === 0) return found
  const now = await placeNow(parts, session, at, id)
  if (now === undefined || permit?.seesOwner(now) === false) return undefined
  return await recordNow(parts, session, { at: now }, id)
}

/** {@link recordAtLast} of many records. */
async function manyAtLast(
  parts: WriteParts,
  session: Session,
  { at, permit }: Pick<CallTerms, 'at' | 'permit'>,
  ids: readonly Id[],
): Promise<string | undefined> {
  if (at.path.resource.movedBy.length === 0 || namesNoOwner(at.path)) {
    return await readBackMany(parts, session, { at }, ids)
  }
  const moved: MovedRecord[] = []
  const unseen = new Set<Id>()
  for (const id of ids) {
    const now = await placeNow(parts, session, at, id)
    if (now === undefined || isAt(now, at)) continue
    if (permit?.seesOwner(now) === false) unseen.add(id)
    else moved.push({ id, places: { before: at, after: now } })
  }
  const seen = ids.filter((id) => !unseen.has(id))
  return await readBackMany(parts, session, { at }, seen, moved)
}

function isAt(one: Address, other: Address): boolean {
  return one.path === other.path && one.owners.every((id, level) => id === other.owners[level])
}

/** Undefined if it is gone, or the caller may not see it. Without JSON, it is too large. */
export async function recordNow(
  { statements }: WriteParts,
  session: Session,
  { at }: Pick<CallTerms, 'at'>,
  id: Id,
): Promise<{ readonly json: string | undefined } | undefined> {
  try {
    const record = await readRecord(session, statements, at, id)
    return { json: recordToClientJson(statements, at, record, statements.noteUnshown) }
  } catch (error) {
    if (error instanceof CrudError && error.code === 'CRUD_ERR_NOT_FOUND') return undefined
    throw error
  }
}

/** What is under way in this process, by the adapter, which an instance shares with its transactions and copies. */
const underWay = new WeakMap<object, Map<string, Promise<void>>>()

function turnsIn(db: AnyKysely): Map<string, Promise<void>> {
  const { adapter } = db.getExecutor()
  const turns = underWay.get(adapter) ?? new Map<string, Promise<void>>()
  underWay.set(adapter, turns)
  return turns
}

async function untilDone(other: Promise<void>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const tooLong = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new CrudError(busy())), Math.max(0, ms))
  })
  try {
    await Promise.race([other, tooLong])
  } finally {
    clearTimeout(timer)
  }
}

/** The requests with a key, by the adapter. */
const counts = new WeakMap<object, number>()

/** Removes a limited number of old rows. What fails here is no failure of the request. */
async function cleanNowAndThen({ context, sessions, statements }: WriteParts, call: KeyTerms): Promise<void> {
  const { adapter } = context.db.getExecutor()
  const count = counts.get(adapter) ?? 0
  counts.set(adapter, count + 1)
  if (count % REQUESTS_PER_CLEANING !== 0 || context.db.isTransaction) return
  const { clean } = statements.repeats()
  const work = (session: Session) => session.rows(clean, { at: call.now.getTime() - KEPT_MS })
  await sessions.use(call.requestContext, work).catch(() => undefined)
}

/** Another request with the key of this one is done. */
export class KeyUsedError extends Error {
  override readonly name = 'KeyUsedError'
}

/** What the row of a request is found by. */
function rowOf({ key }: Repeat, requestContext: unknown): WhoseRow & { readonly key: string } {
  return { ...whoseRequest(requestContext), key }
}

/**
 * Does the work of a write behind the statement that claims the key of its request: in the same message if the session
 * pipelines. So a repeat that comes in the meantime waits for this one. Fails with a {@link KeyUsedError}, whatever the
 * work says, if the key was used before.
 */
export async function behindClaim<Result>(
  parts: WriteParts,
  session: Session,
  call: WriteCall,
  work: () => Promise<Result>,
): Promise<Result> {
  const { repeat, at } = call
  if (repeat === undefined) return await work()
  const claim = () => claimKey(parts, session, call, repeat, at.path.resource.key, claimedId(call))
  if (call.operation === 'bulk' || (call.operation === 'create' && mayRunRules(parts, at))) {
    // A new record may need no reading, and then its rules would run before it is known whether the request is a
    // repeat. Many records are locked and read in several messages anyway.
    await claim()
    return await work()
  }
  const [, result] = await pipeline(session, claim, work)
  return result
}

/** Claims the key of a request about a resource. Fails with a {@link KeyUsedError} if it was used before. `id`: of the
 * record, if it is known. */
export async function claimKey(
  parts: WriteParts,
  session: Session,
  call: KeyTerms,
  repeat: Repeat,
  resource: string,
  id?: Id,
): Promise<void> {
  const { body, status } = repeat
  const row = {
    ...rowOf(repeat, call.requestContext),
    body,
    status,
    resource,
    ids: idsText(id),
    count: null,
    at: call.now.getTime(),
  }
  try {
    await session.rows(parts.statements.repeats().claim, row)
  } catch (error) {
    const cause = causeOf(error)
    if (databaseErrorKind(cause) === 'unique')
      throw new KeyUsedError('another request had the same key', { cause: error })
    throw isUnknownTable(cause, REPEATS_TABLE) ? new Error(ownTableMissing(REPEATS_TABLE), { cause: error }) : error
  }
}

/** Notes what a request about many records has written: the records, or how many there were. */
export async function noteMany(
  { statements }: WriteParts,
  session: Session,
  { repeat, requestContext, stillMeant }: BulkCall,
  { ids, count }: NonNullable<Written['many']>,
): Promise<void> {
  if (repeat === undefined) return
  const isByFilter = stillMeant !== undefined
  const noted = isByFilter ? { ids: null, count } : { ids: JSON.stringify(ids.map(String)), count: null }
  await session.rows(statements.repeats().note, { ...rowOf(repeat, requestContext), ...noted })
}

/** Notes the record that a request with a key has written, where its claim did not know it. Undefined: the transaction
 * keeps the id. */
export async function noteResult(
  { statements }: WriteParts,
  session: Session,
  call: SingleCall,
  id: Id | undefined,
): Promise<void> {
  const { repeat } = call
  // Of a record that is deleted, or that an undo takes away, the claim knows the id.
  const isAway = call.operation === 'delete' || (call.operation === 'undo' && id === undefined)
  if (repeat === undefined || isAway) return
  const row = rowOf(repeat, call.requestContext)
  if (id === undefined) {
    const noted = statements.pipelined?.noteKept(call.at.path.resource)
    if (noted !== undefined) await session.rows(noted, row)
  } else if (id !== claimedId(call))
    await session.rows(statements.repeats().note, { ...row, ids: idsText(id), count: null })
}

/** The id of the record, as far as it is known before the write. */
function claimedId(call: WriteCall): Id | undefined {
  if (call.operation !== 'create') return call.id
  const isWhole = call.at.path.resource.idMembers.length === 0
  return call.chosenId ?? (isWhole ? call.draft.id : undefined)
}

function idsText(id: Id | undefined): string | null {
  return id === undefined ? null : JSON.stringify([String(id)])
}
