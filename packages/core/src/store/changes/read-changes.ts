import { shownChanges, type Viewer } from '../../effects/shown-effects.ts'
import type { LiveChange } from '../../effects-form.ts'
import { CrudError, invalid } from '../../errors.ts'
import { DEFAULT_POLL, type FeedListener, feedOf } from '../../feed/live-feed.ts'
import type { HistoryRow } from '../../history/history-row.ts'
import { fromStored } from '../../history/stored-changes.ts'
import { ALL_FIELDS } from '../../model/field-rights.ts'
import { checkModel, type Model } from '../../model/model.ts'
import type { AnyKysely } from '../../sql/dialect/database.ts'
import { NO_ONES, WHOSE, whoseRequest } from '../../sql/rows/whose-rows.ts'
import { askerNamed } from '../tenants.ts'
import type { WhoseRecords } from '../types/store-types.ts'

/** What is followed, and from when on. In a model with tenants: of the one that is named, or else of all. */
export interface ReadChangesOptions extends Partial<WhoseRecords> {
  /** The position of the last change that is known already. Default: what is written from now on. */
  readonly after?: number
  /** Ends the reading. Default: it goes on until the loop is left. */
  readonly signal?: AbortSignal
  /** Milliseconds between two looks at the database. What this process writes is found at once. Default 1,000. */
  readonly poll?: number
}

/**
 * Follows what is written to the records of resources with a history: each committed write once, in the order of their
 * positions, with all that it did and whoever may see it. It waits for further ones. To go on after a restart, keep the
 * `position` of the last change that you are done with, and give it as `after`.
 *
 * Fails with a `CrudError` `CRUD_ERR_GONE` if changes behind `after` were pruned, and with a TypeError in a
 * transaction.
 *
 * @example
 * const resources = defineResources({ memo: { history: true, fields: { text: Type.String() } } })
 * await createTables(db, resources)
 * const ends = new AbortController()
 * const loop = (async () => {
 *   for await (const { position, changes } of readChanges(db, resources, { after: 0, signal: ends.signal })) {
 *     console.log(position, changes)
 *     ends.abort()
 *   }
 * })()
 * await createStore({ db, resources }).memo.create({ text: 'milk' })
 * await loop
 */
export async function* readChanges(
  db: AnyKysely,
  model: Model,
  { after, signal, poll = DEFAULT_POLL, ...options }: ReadChangesOptions = {},
): AsyncGenerator<LiveChange, void, undefined> {
  checkModel(model)
  checkNumbers(after, poll)
  const whose = whoseRequest(askerNamed(model, options))[WHOSE]
  const feed = feedOf(db, model)
  const news = new News(poll, signal)
  try {
    const begin = await Promise.race([feed.follow(news, after), news.over])
    for (let position = begin ?? 0; !news.isOver(); ) {
      if (position >= feed.position) {
        await news.wait()
        continue
      }
      const { rows, to } = await feed.after(position)
      for (const row of rows) {
        if (news.isOver()) return
        if (whose === NO_ONES || row.whose === whose) yield toChange(model, row)
      }
      position = to
    }
  } finally {
    feed.leave(news)
    news.end()
  }
}

function checkNumbers(after: unknown, poll: unknown): void {
  const isWhole = (value: unknown, least: number) =>
    typeof value === 'number' && Number.isSafeInteger(value) && value >= least
  if (after !== undefined && !isWhole(after, 0)) {
    const message = 'must be the position of a change, an integer'
    throw new CrudError(invalid([{ parameter: 'after', message, keyword: 'type' }]))
  }
  if (!isWhole(poll, 1)) throw new TypeError('poll: must be a positive integer (milliseconds)')
}

/** Sees what there is; values that clients may only write are not kept. */
const SEES_ALL: Viewer = { fieldRights: ALL_FIELDS, sees: () => true }

function toChange(model: Model, row: HistoryRow): LiveChange {
  const { position, write, at, operation, resource, id, by } = row
  return {
    position,
    effects: 1,
    write,
    at,
    operation,
    ...(resource !== '' && { resource, ...(id !== undefined && { id }) }),
    ...(by !== undefined && { by }),
    changes: shownChanges(fromStored(model, row.stored), SEES_ALL, false),
  }
}

/** Waits until the feed goes on, or a signal ends that. */
class News implements FeedListener {
  readonly poll: number
  readonly #signal: AbortSignal | undefined
  #isDue = false
  #error: { readonly cause: unknown } | undefined
  #resolve = () => {}
  #end = () => {}
  /** Resolves when the signal is aborted. */
  readonly over = new Promise<undefined>((resolve) => {
    this.#end = () => resolve(undefined)
  })

  constructor(poll: number, signal: AbortSignal | undefined) {
    this.poll = poll
    this.#signal = signal
    signal?.addEventListener('abort', this.#abort)
    if (this.isOver()) this.#end()
  }

  #abort = (): void => {
    this.#end()
    this.news()
  }

  news = (): void => {
    this.#isDue = true
    this.#resolve()
  }

  failed(cause: unknown): void {
    this.#error = { cause }
    this.news()
  }

  /** Fails if the database could not be asked. */
  async wait(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#resolve = resolve
      if (this.#isDue || this.isOver()) resolve()
    })
    this.#isDue = false
    if (this.#error !== undefined) throw this.#error.cause
  }

  isOver(): boolean {
    return this.#signal?.aborted === true
  }

  end(): void {
    this.#signal?.removeEventListener('abort', this.#abort)
  }
}
