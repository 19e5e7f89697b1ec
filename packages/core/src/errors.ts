import type { EffectChange, Effects } from './effects-form.ts'
import type { Blocker, BodyProblem, ParameterProblem, Problem } from './problem.ts'

export type { Blocker, BodyProblem, Fault, ParameterProblem, Problem } from './problem.ts'

/** Every code a {@link CrudError} can carry, with the HTTP status and title that belong to it. */
export const errorKinds = {
  CRUD_ERR_INVALID: { status: 400, title: 'Bad Request' },
  CRUD_ERR_TOO_LARGE: { status: 400, title: 'Bad Request' },
  CRUD_ERR_UNKNOWN_REFERENCE: { status: 400, title: 'Bad Request' },
  CRUD_ERR_FORBIDDEN: { status: 403, title: 'Forbidden' },
  CRUD_ERR_NOT_FOUND: { status: 404, title: 'Not Found' },
  CRUD_ERR_METHOD: { status: 405, title: 'Method Not Allowed' },
  CRUD_ERR_STILL_NEEDED: { status: 409, title: 'Conflict' },
  CRUD_ERR_NOT_UNIQUE: { status: 409, title: 'Conflict' },
  CRUD_ERR_EXISTS: { status: 409, title: 'Conflict' },
  CRUD_ERR_CHANGED: { status: 409, title: 'Conflict' },
  CRUD_ERR_REFUSED: { status: 409, title: 'Conflict' },
  CRUD_ERR_GONE: { status: 410, title: 'Gone' },
  CRUD_ERR_PRECONDITION: { status: 412, title: 'Precondition Failed' },
  CRUD_ERR_REPEAT: { status: 422, title: 'Unprocessable Content' },
  CRUD_ERR_BODY: { status: 413, title: 'Payload Too Large' },
  CRUD_ERR_BUSY: { status: 503, title: 'Service Unavailable' },
  CRUD_ERR_OUTCOME_UNKNOWN: { status: 500, title: 'Internal Server Error' },
  CRUD_ERR_INTERNAL: { status: 500, title: 'Internal Server Error' },
} as const

/** Every code of a {@link CrudError}. */
export type CrudErrorCode = keyof typeof errorKinds

/** A refusal as data: what a plan function returns instead of a plan. */
export interface Refusal {
  readonly code: CrudErrorCode
  readonly detail: string
  readonly errors: readonly Problem[]
  /** Of `CRUD_ERR_STILL_NEEDED`: the records in the way. */
  readonly blockers?: readonly Blocker[]
  /** Of `CRUD_ERR_PRECONDITION`: what the write would do now, and the tag of that, if it has other effects than the
   * request says. */
  readonly effects?: TaggedEffects
  /** Of `CRUD_ERR_CHANGED`: what later writes have changed of what the request would set back. */
  readonly changes?: readonly EffectChange[]
  /** Default: the status of the code. */
  readonly status?: number
  /** Of a batch: which of its requests is refused. */
  readonly request?: number
}

/** Effects as a caller is shown them, and their tag. */
export interface TaggedEffects {
  readonly shown: Effects
  readonly tag: string
}

const CRUD_ERROR = Symbol.for('@fastify-crud/core CrudError')
const MODEL_ERROR = Symbol.for('@fastify-crud/core ModelError')

/**
 * Every error that this library raises on purpose.
 *
 * `code` is stable and says what happened, `status` is the HTTP status that belongs to it, `errors` lists each problem
 * of the request and where it is, and `blockers` the records that keep another one from being removed.
 *
 * @example
 * const error = await store.publisher.delete(1).catch((error) => error)
 * if (error.code === 'CRUD_ERR_STILL_NEEDED') error.blockers // [{ resource: 'book', relation: 'publisher', count: 2 }]
 */
export class CrudError extends Error {
  /** Another copy of this package makes the same errors, so `instanceof` asks for the brand that all copies have. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    return isBranded(value, CRUD_ERROR)
  }

  override readonly name = 'CrudError'
  readonly code: CrudErrorCode
  readonly status: number
  readonly errors: readonly Problem[]
  /** Of `CRUD_ERR_STILL_NEEDED`: the records in the way that the caller may see. Undefined with any other code. */
  readonly blockers: readonly Blocker[] | undefined
  /** Of `CRUD_ERR_PRECONDITION`: what the write would do now, if it has other effects than the request says. Undefined
   * in any other case. */
  readonly effects: TaggedEffects | undefined
  /** Of a batch: the index of the request that is refused. Undefined in any other case. */
  readonly request: number | undefined
  /** Of `CRUD_ERR_CHANGED`: what later writes have changed of what an undo would set back. Undefined with any other
   * code. */
  readonly changes: readonly EffectChange[] | undefined

  constructor(refusal: Refusal, options?: ErrorOptions) {
    super(refusal.detail, options)
    this.code = refusal.code
    this.status = refusal.status ?? errorKinds[refusal.code].status
    this.errors = refusal.errors
    this.blockers = refusal.blockers
    this.effects = refusal.effects
    this.request = refusal.request
    this.changes = refusal.changes
  }
}

/** One thing that is wrong with a model, and where. */
export interface ModelProblem {
  /** Where in the descriptors, e.g. `book.relations.authors`. */
  readonly place: string
  readonly message: string
}

/** Thrown by `defineResources`: lists every problem of a model at once. */
export class ModelError extends Error {
  static override [Symbol.hasInstance](value: unknown): boolean {
    return isBranded(value, MODEL_ERROR)
  }

  override readonly name = 'ModelError'
  readonly code = 'CRUD_ERR_MODEL'
  readonly problems: readonly ModelProblem[]

  constructor(problems: readonly ModelProblem[]) {
    const lines = problems.map((problem) => `  ${problem.place}: ${problem.message}`)
    const count = problems.length === 1 ? 'a problem' : `${problems.length} problems`
    super(`The resource descriptors have ${count}:\n${lines.join('\n')}`)
    this.problems = problems
  }
}

Object.defineProperty(CrudError.prototype, CRUD_ERROR, { value: true })
Object.defineProperty(ModelError.prototype, MODEL_ERROR, { value: true })

function isBranded(value: unknown, brand: symbol): boolean {
  return typeof value === 'object' && value !== null && brand in value
}

/** More than this many problems of one body are counted, but not listed. */
const MOST_LISTED = 1_000

function refusal(code: CrudErrorCode, detail: string, errors: readonly Problem[] = []): Refusal {
  return { code, detail, errors: errors.slice(0, MOST_LISTED) }
}

/** Refusals of one kind, of several records, as one. */
export function together(refusals: readonly [Refusal, ...Refusal[]]): Refusal {
  const [first, ...others] = refusals
  if (others.length === 0) return first
  return { ...first, errors: refusals.flatMap(({ errors }) => errors).slice(0, MOST_LISTED) }
}

export function invalid(errors: readonly Problem[]): Refusal {
  return refusal('CRUD_ERR_INVALID', summary(errors, 'the request is not valid'), errors)
}

export function unknownReference(errors: readonly Problem[]): Refusal {
  const detail = summary(errors, 'the body names a record that does not exist')
  return refusal('CRUD_ERR_UNKNOWN_REFERENCE', detail, errors)
}

/** `what` would be a larger answer than there may be; `advice`: what to ask for instead. */
export function tooLarge(what: string, maxAnswer: number, advice: string): Refusal {
  return refusal('CRUD_ERR_TOO_LARGE', `${what} is larger than an answer may be (${maxAnswer} bytes); ${advice}`)
}

/** It does not say how many they are: some may be there that the client may not see. */
export function tooManyAffected(maxAffected: number): Refusal {
  const records = maxAffected === 1 ? '1 record' : `${maxAffected} records`
  return refusal('CRUD_ERR_TOO_LARGE', `the write would add, change or remove more than ${records}`)
}

/** `errors`: what could have more records than an answer may, and what to ask for instead. */
export function tooManyRows(errors: readonly ParameterProblem[]): Refusal {
  return refusal('CRUD_ERR_TOO_LARGE', summary(errors, 'the answer would have too many records'), errors)
}

export function writtenButTooLarge(resource: string, id: number | string): Refusal {
  const detail = `${resource} ${id} was written, but the record is larger than limits.maxAnswer, so it cannot be returned`
  return refusal('CRUD_ERR_TOO_LARGE', detail)
}

export function manyWrittenButTooLarge(): Refusal {
  const detail =
    'the records were written, but together they are larger than limits.maxAnswer, so they cannot be returned'
  return refusal('CRUD_ERR_TOO_LARGE', detail)
}

export function writtenButHidden(resource: string, id: number | string): Refusal {
  return refusal('CRUD_ERR_NOT_FOUND', `${resource} ${id} was written, but a policy hides it from the caller`)
}

export function notFound(resource: string, id: number | string): Refusal {
  return refusal('CRUD_ERR_NOT_FOUND', `there is no ${resource} ${shortened(String(id))}`)
}

/** Records that a body names are not there. */
export function notAllFound(errors: readonly BodyProblem[]): Refusal {
  return refusal('CRUD_ERR_NOT_FOUND', summary(errors, 'there is no such record'), errors)
}

/** `why`: what the descriptor says. */
export function onlyRead(resource: string, why: string): Refusal {
  return refusal('CRUD_ERR_METHOD', `records of ${resource} are only read: its descriptor says ${why}`)
}

/** A new record was given an id that another one has. */
export function idTaken(resource: string, id: number | string): Refusal {
  return refusal('CRUD_ERR_EXISTS', `there is ${withArticle(resource)} ${id} already`)
}

/** An owner has the only record already that it may have in a relation. */
export function placeTaken(owner: string, id: number | string, relation: string): Refusal {
  return refusal('CRUD_ERR_EXISTS', `${owner} ${id} has its ${relation} already`)
}

/** Changes behind a position cannot be told any more. */
export function changesGone(position: number): Refusal {
  const detail = `the changes behind ${position} are not all kept any more: read the records anew, and follow from now on`
  return refusal('CRUD_ERR_GONE', detail)
}

/** The effects of a write would have more changes than they may. */
export function tooManyChanges(maxChanges: number): Refusal {
  return refusal(
    'CRUD_ERR_TOO_LARGE',
    `the write has more than ${maxChanges} changes, too many to list; nothing is stored`,
  )
}

/** A write of many records would have to read more than it may. */
export function tooManyToRead(maxRows: number): Refusal {
  const detail = `the request is about more than ${maxRows} records, with all that they own; write fewer at once`
  return refusal('CRUD_ERR_TOO_LARGE', detail)
}

/** The same, for owners in a body. */
export function placesTaken(errors: readonly Problem[]): Refusal {
  return refusal('CRUD_ERR_EXISTS', summary(errors, 'an owner already has its only record, or an id is taken'), errors)
}

export function forbidden(detail: string, errors: readonly Problem[]): Refusal {
  return refusal('CRUD_ERR_FORBIDDEN', detail, errors)
}

/** A policy does not allow the change. `pointers`: to what asks for it in the body; undefined: nothing may be said of
 * it. */
export function notAllowed(pointers: readonly (string | undefined)[] = []): Refusal {
  const message = 'this is not allowed'
  const known = pointers.filter((pointer) => pointer !== undefined)
  return forbidden(
    message,
    known.map((pointer) => ({ pointer, message, keyword: 'forbidden' })),
  )
}

/** The database refused a request for want of a right. What it says of its tables is not for the client. */
export function forbiddenByDatabase(): Refusal {
  return refusal('CRUD_ERR_FORBIDDEN', 'the database does not allow this')
}

/** What the request says of the record's state is not so. */
export function preconditionFailed(detail: string): Refusal {
  return refusal('CRUD_ERR_PRECONDITION', detail)
}

/** The write has not the effects that the request says. */
export function effectsChanged(effects: TaggedEffects): Refusal {
  const detail = 'the write would do something else by now: look at its effects again'
  return { ...refusal('CRUD_ERR_PRECONDITION', detail), effects }
}

/** The request must say which state of the record it changes. */
export function preconditionRequired(detail: string): Refusal {
  return { ...refusal('CRUD_ERR_PRECONDITION', detail), status: 428 }
}

/** A request with the same `Idempotency-Key` was done, and was not this one. */
export function usedWithAnotherBody(): Refusal {
  return refusal('CRUD_ERR_REPEAT', 'the Idempotency-Key was already used with another body')
}

export function notUnique(detail: string, errors: readonly Problem[]): Refusal {
  return refusal('CRUD_ERR_NOT_UNIQUE', detail, errors)
}

/** `blockers`: the records in the way that the caller may see. */
export function stillNeeded(
  detail: string,
  errors: readonly BodyProblem[] = [],
  blockers: readonly Blocker[] = [],
): Refusal {
  return { ...refusal('CRUD_ERR_STILL_NEEDED', detail, errors), blockers }
}

/** So many streams of changes are open in a process. */
export function busyWithStreams(most: number): Refusal {
  return refusal('CRUD_ERR_BUSY', `${most} clients follow changes here already; try again later`)
}

/** Others hold locks. */
export function busy(): Refusal {
  return refusal('CRUD_ERR_BUSY', 'the database is busy with other writes; try again')
}

/** Requests use all connections that the application lets the service have. */
export function poolFull(): Refusal {
  return refusal('CRUD_ERR_BUSY', 'all connections of the service to the database are in use; try again')
}

export function serverFull(): Refusal {
  return refusal('CRUD_ERR_BUSY', 'the database accepts no more connections at the moment; try again')
}

/** It took longer than a statement may, or the driver waits. */
export function tookTooLong(): Refusal {
  return refusal('CRUD_ERR_BUSY', 'the database did not finish this in time; try again, or ask for less')
}

export function unreachable(): Refusal {
  return refusal('CRUD_ERR_BUSY', 'the database cannot be reached at the moment; try again')
}

/** The database is read-only, full, or out of another resource. */
export function unavailable(): Refusal {
  return refusal('CRUD_ERR_BUSY', 'the database cannot do this at the moment; try again later')
}

/** The engine behind the connection lacks something of PostgreSQL. `needed` says for which part of the request, and
 * `advice` the way out. */
export function unsupported(needed = 'what this request needs', advice?: string): Refusal {
  const detail = `the engine of the database does not support ${needed}${advice === undefined ? '' : `; ${advice}`}`
  return { ...refusal('CRUD_ERR_INTERNAL', detail), status: 501 }
}

/** A trigger or a constraint of the database refused a write. Its own words are not for the client. */
export function refused(pointers: readonly string[]): Refusal {
  const message = 'the database refused the change'
  return refusal(
    'CRUD_ERR_REFUSED',
    message,
    pointers.map((pointer) => ({ pointer, message, keyword: 'database' })),
  )
}

/** A deleted record is not brought back: what it cannot be without is not there any more. */
export function cannotComeBack(resource: string, id: number | string, reasons: readonly string[]): Refusal {
  return refusal('CRUD_ERR_REFUSED', `${resource} ${id} cannot come back: ${reasons.join('; ')}`)
}

/** A write cannot be undone: later ones have changed what it would set back, or not all of it is known any more. */
export function cannotUndo(detail: string, changes: readonly EffectChange[] = []): Refusal {
  return { ...refusal('CRUD_ERR_CHANGED', detail), changes: changes.slice(0, MOST_LISTED) }
}

/** Rules of the application refused a write, in their own words. */
export function refusedByRules(errors: readonly Problem[]): Refusal {
  return refusal('CRUD_ERR_REFUSED', summary(errors, 'a rule refused the write'), errors)
}

/** An action did not end in time. */
export function actionTookTooLong(name: string, ms: number): Refusal {
  return refusal('CRUD_ERR_BUSY', `the action ${name} did not end within ${ms} ms; nothing is stored; try again`)
}

/** An action does not tell where in its own body a record was refused: that is not the body of the client. */
export function withoutPointers({ code, status, message, errors, blockers }: CrudError): Refusal {
  const [first] = errors
  const place = first?.pointer ? `${shortened(first.pointer)}: ` : ''
  const detail = message.startsWith(place) ? message.slice(place.length) : message
  const kept = errors.map(({ pointer: _, parameter: __, ...fault }): BodyProblem => ({ pointer: '', ...fault }))
  return { code, status, detail, errors: kept, ...(blockers && { blockers }) }
}

/** What is wrong with a request of a batch, as the batch says it: pointers lead into its body. */
export function ofRequest({ code, status, message, errors, blockers, effects }: CrudError, index: number): Refusal {
  const found = errors.map((problem) => problemOfRequest(problem, index))
  const [[first], [said]] = [errors, found]
  const place = first?.pointer ? `${shortened(first.pointer)}: ` : ''
  const words = message.startsWith(place) ? message.slice(place.length) : message
  const detail = said === undefined ? `request ${index}: ${words}` : `${said.pointer}: ${words}`
  const more = { ...(blockers && { blockers }), ...(effects && { effects }) }
  return { code, status, detail, errors: found, request: index, ...more }
}

/** One problem of a request of a batch. What is wrong with a path, or with what the request says in place of a header,
 * has a pointer, too. */
export function problemOfRequest({ pointer, parameter, ...fault }: Problem, index: number): BodyProblem {
  const at = `/requests/${index}`
  if (pointer !== undefined) return { pointer: `${at}/body${pointer}`, ...fault }
  return { pointer: `${at}/${IN_REQUEST[String(parameter)] ?? 'path'}`, ...fault }
}

/** The members of a request that say what single requests say by headers. */
const IN_REQUEST: Readonly<Record<string, string>> = { 'If-Match': 'ifMatch', Prefer: 'maxAffected' }

/** The connection was lost during the commit. */
export function outcomeUnknown(): Refusal {
  const detail =
    'the connection to the database was lost during the write: check whether it was done before you send it again'
  return refusal('CRUD_ERR_OUTCOME_UNKNOWN', detail)
}

/** The first problem in words, and how many more there are. */
function summary(errors: readonly Problem[], fallback: string): string {
  const [first] = errors
  if (first === undefined) return fallback
  // The message about a parameter names it.
  const place = first.pointer ? `${shortened(first.pointer)}: ` : ''
  const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : ''
  return `${place}${first.message}${more}`
}

/** A client's own words, as far as a message can carry them. */
export function shortened(text: string): string {
  return text.length <= 100 ? text : `${text.slice(0, 100)}…`
}

/** By their sound, as far as names of resources go: `a user`, `a unit`, `an umbrella`. */
const VOWEL = /^(?!eu|one|u(?:ni|s|ti|rl))[aeiou]/i

/** `a book`, `an author`. */
export function withArticle(name: string): string {
  return `${VOWEL.test(name) ? 'an' : 'a'} ${name}`
}
