import type { Blocker, Effects, Problem } from '@fastify-crud/core/types'

/** What a service answers where it does not do what it is asked (RFC 9457). */
interface ProblemBody {
  readonly code?: string
  readonly title?: string
  readonly detail?: string
  readonly errors?: readonly Problem[]
  readonly blockers?: readonly Blocker[]
  readonly effects?: Effects
}

/**
 * The service has refused a request, or failed.
 *
 * @example
 * const error = await api.publisher.create({ name: '' }).catch((refused) => refused)
 * if (error instanceof ServiceError) console.log(error.forField('name')?.message)
 */
export class ServiceError extends Error {
  override readonly name: string = 'ServiceError'
  readonly status: number
  /** One of the library's codes, such as `CRUD_ERR_NOT_UNIQUE`, or that of an application's own error. */
  readonly code: string
  /** What is wrong with the request, each with a pointer into the body, or the name of a parameter. */
  readonly errors: readonly Problem[]
  /** The records that keep one from being deleted. */
  readonly blockers: readonly Blocker[]

  constructor(status: number, body: ProblemBody = {}) {
    super(body.detail ?? body.title ?? `the service has answered ${status}`)
    this.status = status
    this.code = body.code ?? 'ERR_HTTP'
    this.errors = body.errors ?? []
    this.blockers = body.blockers ?? []
  }

  /** The first problem of a property of the body: `forField('chapters', 0, 'title')`. */
  forField(...path: readonly (string | number)[]): Problem | undefined {
    const pointer = path.map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
    return this.errors.find((problem) => problem.pointer === pointer)
  }
}

/** Somebody else has changed or deleted the record since it was read: `If-Match` has failed, and nothing is stored. */
export class ConflictError<R = unknown, B = unknown> extends ServiceError {
  override readonly name = 'ConflictError'
  /** The record as it was read. */
  readonly base: R
  /** What was to be written; undefined for a deletion. */
  readonly mine: B
  readonly #read: () => Promise<R>

  constructor(status: number, body: ProblemBody, base: R, mine: B, read: () => Promise<R>) {
    super(status, body)
    this.base = base
    this.mine = mine
    this.#read = read
  }

  /** Reads the record as it is now. Rejects with a {@link ServiceError} of 404 if it is gone. */
  theirs(): Promise<R> {
    return this.#read()
  }
}

/** A write that was confirmed would do something else by now than its preview has shown, and nothing is stored. */
export class EffectsChangedError<P extends object = Effects> extends ServiceError {
  override readonly name = 'EffectsChangedError'
  /** What it would do now: a preview, which can be confirmed. */
  readonly effects: P
  /** The tag of these effects. */
  readonly tag: string | null
  readonly #status: number
  readonly #body: ProblemBody

  constructor(status: number, body: ProblemBody, effects: P, tag: string | null) {
    super(status, body)
    this.effects = effects
    this.tag = tag
    this.#status = status
    this.#body = body
  }

  /** The same error with these effects. */
  with<Q extends object>(effects: Q): EffectsChangedError<Q> {
    return new EffectsChangedError(this.#status, this.#body, effects, this.tag)
  }
}
