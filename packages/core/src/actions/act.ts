import { idAlone } from '../asking/select/selections.ts'
import { actionTookTooLong, type BodyProblem, CrudError, tooLarge, withoutPointers } from '../errors.ts'
import { askerIn } from '../model/callers.ts'
import type { Id } from '../model/ids/id-kind.ts'
import { idInPath } from '../model/ids/short-id.ts'
import { losesDigitsAt, roundNumbers } from '../model/values/long-number.ts'
import { type BodyLimits, checkSize, HOLDS_LONG_NUMBERS, pointerTo } from '../planning/body/faults.ts'
import type { ActionWork } from '../rules/stages/after-commits.ts'
import type { EndTogether } from '../rules/stages/end-together.ts'
import { refusals } from '../rules/stages/refusals.ts'
import { databaseErrorKind } from '../session/database-errors.ts'
import { type AnyTransaction, whileRulesRun } from '../session/kysely-transaction.ts'
import { behind, causeOf, type Session } from '../session/session.ts'
import { type Boundaries, boundariesOn, runCommand, undone } from '../session/transaction.ts'
import type { AnyKysely } from '../sql/dialect/database.ts'
import { ownerValues } from '../sql/rows/path-condition.ts'
import { whileGathering } from '../writing/effects/gathering.ts'
import { lockOf } from '../writing/lock.ts'
import { recordToClientJson } from '../writing/reads/client-json.ts'
import { readRecord } from '../writing/reads/read-record.ts'
import { type ActionNote, claimKey, noteActed, recordNow, repeatOf, writeOnceForKey } from '../writing/repeats.ts'
import { effectsTogether, type WritesTogether, writeTogether } from '../writing/together.ts'
import { ownerNotFound } from '../writing/vacancy.ts'
import type { CallTerms, WriteParts, Written } from '../writing/write-call.ts'
import type { CheckedAction } from './action.ts'

/** An action that was asked for. */
export interface ActCall extends CallTerms {
  readonly action: CheckedAction
  /** The record's; undefined for an action of the collection. */
  readonly id: Id | undefined
  readonly body: unknown
  readonly query: unknown
  readonly open: OpenStores
  /** In milliseconds, however often it is tried. */
  readonly limit: number
}

/** Opens the stores that an action is given. */
export type OpenStores = (db: AnyKysely | undefined, terms: OpenTerms) => ActionStores

export interface OpenTerms {
  /** Of the writes that end together. */
  readonly end?: EndTogether
  /** Why the stores do not write; absent: they do. */
  readonly onlyReads?: string
}

/** The caller's store, and that of the application itself for the same tenant. */
export interface ActionStores {
  readonly store: object
  readonly system: object
}

/** Everything that is wrong with a body and a query. */
export function problemsOfInput(
  { body, query }: CheckedAction,
  given: Pick<ActCall, 'body' | 'query'>,
  limits: BodyLimits,
) {
  const ofBody = problemsOfBody(body, given.body, limits)
  const ofQuery = query === undefined ? [] : query.check(given.query ?? {})
  return [...ofQuery.map(inQuery), ...ofBody]
}

/** The `detail` of an answer has the message alone, so that names the parameter. */
function inQuery({ pointer, message, ...fault }: BodyProblem) {
  const parameter = parameterAt(pointer)
  const isUnknown = fault.keyword === 'additionalProperties'
  const inWords = isUnknown
    ? `there is no query parameter '${parameter}'`
    : `the query parameter '${parameter}' ${message}`
  return { parameter, message: inWords, ...fault }
}

function parameterAt(pointer: string): string {
  const [, name = ''] = pointer.split('/')
  return name === '' ? 'query' : name.replaceAll('~1', '/').replaceAll('~0', '~')
}

function problemsOfBody(declared: CheckedAction['body'], body: unknown, limits: BodyLimits): readonly BodyProblem[] {
  if (declared === undefined) return isEmpty(body) ? [] : [{ pointer: '', ...NO_BODY }]
  if (body === undefined)
    return declared.isOptional ? [] : [{ pointer: '', message: 'a body is required', keyword: 'required' }]
  const found = checkSize(body, limits)
  if (found === HOLDS_LONG_NUMBERS)
    return [...roundNumbers(body).long.keys()].map((at) => losesDigitsAt(at) as BodyProblem)
  return found === undefined ? declared.check(body) : [found as BodyProblem]
}

const NO_BODY = { message: 'the action takes no body: leave it out', keyword: 'maxProperties', params: { limit: 0 } }

function isEmpty(body: unknown): boolean {
  return body === undefined || body === null || (typeof body === 'object' && Object.keys(body).length === 0)
}

/** Carries out an action whose input fits; one whose request has a key, once. */
export async function act(parts: WriteParts, call: ActCall): Promise<Written> {
  const { action, repeat } = call
  if (repeat === undefined) return await prepareAndAct(parts, call)
  return await writeOnceForKey(parts, call, repeat, async () => {
    // What an action prepares may be done by others, and is done once.
    const earlier = action.prepare === undefined ? undefined : await repeatOf(parts, call, repeat)
    return earlier ?? (await prepareAndAct(parts, call))
  })
}

async function prepareAndAct(parts: WriteParts, call: ActCall): Promise<Written> {
  const { action } = call
  const prepared = await prepare(call)
  const until = performance.now() + call.limit
  const whenOver = `${nameOf(action)}: its transaction is over; await all that run begins`
  const terms = { ...call, boundaries: boundariesOf(parts, call), onlyReads: action.isRead, whenOver }
  return await writeTogether(parts, terms, async (together) => {
    const { session } = together
    if (readsOnly(parts, call)) await runCommand(session, parts.context.dialect.reading.first)
    return await withinLimit(call, until - performance.now(), session, () => actOnce(parts, together, call, prepared))
  })
}

async function prepare(call: ActCall): Promise<unknown> {
  const { action, open, limit } = call
  if (action.prepare === undefined) return undefined
  const { store } = open(undefined, { onlyReads: `${nameOf(action)}: prepare only reads; write in run` })
  const input = { ...requestInput(call), store }
  try {
    return await withinLimit(call, limit, undefined, async () => await action.prepare?.(input))
  } catch (error) {
    throw errorOfRun(action, error)
  }
}

async function actOnce(
  parts: WriteParts,
  together: WritesTogether,
  call: ActCall,
  prepared: unknown,
): Promise<Written> {
  const { session, db, end, gathering } = together
  const { action, rollsBack, repeat } = call
  if (repeat !== undefined) await claimKey(parts, session, call, repeat, action.resource.key, call.id)
  await readAsked(parts, session, call)
  const value = await whileGathering(gathering, !rollsBack, () => run(parts, db, call, prepared, end))
  // An action that another one carries out ends with that.
  if (parts.end === undefined || rollsBack) await end.checkInvariants()
  const written = await answerOf(parts, session, call, value)
  const effects = await effectsTogether(parts, together, call, { operation: action.name, id: call.id })
  return { ...written, effects }
}

function boundariesOf({ context: { db, dialect } }: WriteParts, { action, rollsBack }: ActCall): Boundaries {
  const { begin, last } = dialect.reading
  const boundaries = boundariesOn(db, dialect, action.isRead ? begin : undefined)
  if (!action.isRead) return rollsBack ? undone(boundaries, dialect.checkDeferred) : boundaries
  if (db.isTransaction || last === undefined) return { ...boundaries, commits: false }
  return { ...boundaries, commits: false, end: [...boundaries.end, last], rollback: [...boundaries.rollback, last] }
}

/** Whether the database itself takes no writes. In a transaction of the application's own, these may be others. */
function readsOnly({ context: { db } }: WriteParts, { action }: ActCall): boolean {
  return action.isRead && !db.isTransaction
}

/** Takes the lock, and fails unless the record is there, policies allow the action and the precondition is met. */
async function readAsked({ context, statements }: WriteParts, session: Session, call: ActCall): Promise<void> {
  const { at, id, action, precondition } = call
  const lock = action.isRead ? undefined : lockOf(context, statements, at, id)
  await behind(session, lock, async () => {
    if (id === undefined) {
      const [found] =
        at.path.relations.length === 0
          ? [ALL_THERE]
          : await session.rows(statements.vacancy(at.path, false), ownerValues(at.owners))
      if (!found?.owners) throw new CrudError(ownerNotFound(at))
    }
    const selection = precondition === undefined ? idAlone(at.path.resource) : undefined
    const record =
      id === undefined ? undefined : await readRecord(session, statements, at, id, { selection, action: call.asks })
    const json = precondition && recordToClientJson(statements, at, record, undefined)
    const refusal = precondition?.({ exists: id !== undefined, json })
    if (refusal !== undefined) throw new CrudError(refusal)
  })
}

const ALL_THERE = { owners: true }

async function run(
  { context }: WriteParts,
  db: AnyTransaction,
  call: ActCall,
  prepared: unknown,
  end: EndTogether,
): Promise<unknown> {
  const { action, open } = call
  const name = nameOf(action)
  const refusing = refusals()
  const stores = open(db, action.isRead ? { end, onlyReads: `${name}: a GET only reads` } : { end })
  const { refuse } = refusing.of(AT_ROOT)
  const input = {
    ...requestInput(call),
    ...stores,
    prepared,
    db,
    refuse,
    invalid: (place: string, message: string) =>
      refusing.of({ ...AT_ROOT, pointer: pointerOf(place) }).invalid('', message),
    afterCommit: (work: ActionWork['work']) => end.take([], [{ of: name, work }]),
  }
  const work = async () => await action.run(input)
  const value = await whileRulesRun(context.db, work, `${name}: use the store that run is given`).catch((error) => {
    // What follows from a refusal is none of the client's concern.
    refusing.check()
    throw errorOfRun(action, error)
  })
  refusing.check()
  return value
}

const AT_ROOT = { pointer: '', isInBody: false, isShown: true }

/** A pointer, or the name of a property of the body. */
function pointerOf(place: string): string {
  return place === '' || place.startsWith('/') ? place : pointerTo('', place)
}

function errorOfRun(action: CheckedAction, error: unknown): unknown {
  if (error instanceof CrudError) return new CrudError(withoutPointers(error), { cause: error.cause })
  if (!action.isRead || databaseErrorKind(causeOf(error)) !== 'unavailable') return error
  return new Error(`${nameOf(action)}: a GET only reads, and the database takes no writes of it`, { cause: error })
}

/** What the action answers, which is noted for a repeat. */
async function answerOf(parts: WriteParts, session: Session, call: ActCall, value: unknown): Promise<Written> {
  const { action, id, repeat, readsBack } = call
  const answer = action.answer === undefined ? undefined : answered(parts, action, value)
  const isRead = id !== undefined && (repeat !== undefined || (answer === undefined && readsBack))
  const record = isRead ? await recordNow(parts, session, call, id) : undefined
  const noted: ActionNote = {
    acted: true,
    ...(record !== undefined && { id: String(id) }),
    ...(answer !== undefined && { answer }),
  }
  await noteActed(parts, session, call, noted)
  const isOutOfSight = answer === undefined && record === undefined
  return { id, json: readsBack ? (answer ?? record?.json) : undefined, isOutOfSight }
}

/** Throws an error, which is the application's, unless the value is what the action says that it answers. */
function answered({ context: { maxAnswer } }: WriteParts, action: CheckedAction, value: unknown): string {
  const json: string | undefined = JSON.stringify(value)
  const problems = json === undefined ? [NO_ANSWER] : (action.answer?.check(JSON.parse(json)) ?? [])
  if (problems.length > 0) {
    const all = problems.map(({ pointer, message }) => `${pointer} ${message}`.trim())
    throw new Error(`${nameOf(action)}: what run returned does not fit 'answer': ${all.join('; ')}`)
  }
  if (json.length * 3 <= maxAnswer || Buffer.byteLength(json) <= maxAnswer) return json
  throw new CrudError(tooLarge(`the answer of ${nameOf(action)}`, maxAnswer, 'nothing is stored'))
}

const NO_ANSWER: BodyProblem = { pointer: '', message: 'is undefined' }

function requestInput({ at, id, body, query, requestContext }: ActCall) {
  return {
    id: id === undefined ? undefined : idInPath(at.path, id),
    owners: at.owners,
    body,
    query: query ?? {},
    ...askerIn(requestContext),
  }
}

function nameOf({ resource, name }: CheckedAction): string {
  return `actions.${resource.key}.${name}`
}

/** Does work that fails if it takes longer. The statement that runs then is ended, where the driver can do that. */
async function withinLimit<Result>(
  { action, limit }: ActCall,
  ms: number,
  session: Session | undefined,
  work: () => Promise<Result>,
): Promise<Result> {
  const late = Promise.withResolvers<never>()
  let refusal: CrudError | undefined
  const timer = setTimeout(async () => {
    refusal = new CrudError(actionTookTooLong(`${action.resource.key}.${action.name}`, limit))
    await session?.cancel?.()
    late.reject(refusal)
  }, ms)
  try {
    const result = await Promise.race([work(), late.promise])
    // Its connection is being closed.
    if (refusal !== undefined) throw refusal
    return result
  } catch (error) {
    // The work has failed because its statement was ended.
    throw refusal ?? error
  } finally {
    clearTimeout(timer)
  }
}
