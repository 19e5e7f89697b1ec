import { andThen, type PromiseOrValue } from '../connection/promise-or-value.ts'
import { withRetries } from '../connection/retries.ts'
import { sessionPool } from '../connection/session-pool.ts'
import { CrudError, invalid, notFound, type Problem } from '../errors.ts'
import type { Address } from '../model/address.ts'
import type { Id } from '../model/ids.ts'
import { checkModel, type Model, type Resource } from '../model/model.ts'
import type { BodyOperation } from '../model/operations.ts'
import type { Draft } from '../plan/body/draft.ts'
import { type BodyLimits, checkLimits, defaultBodyLimits } from '../plan/body/limits.ts'
import { readBody } from '../plan/body/read-body.ts'
import { checkId, requireId } from '../plan/plan-update.ts'
import { DEFAULT_MAX_ANSWER, queryContext } from '../query/context.ts'
import type { AnyKysely } from '../query/dialect/database.ts'
import { HIGHEST_MAX_ANSWER } from '../query/reads/answer-size.ts'
import { statementsOf } from '../query/statements.ts'
import { blindDelete, blindPatch } from './blind-write.ts'
import { lookToCreate, lookToDelete, lookToUpdate } from './look.ts'
import { readPage, readRecord, recordTooLarge, shown, unlessTooLarge } from './read.ts'
import type { PageRange } from './store-types.ts'
import { write } from './write.ts'
import type { WriteParts } from './write-request.ts'

/**
 * The store in terms of JSON text: what only travels from the database to a client is never parsed. `createStore` is
 * the typed store on top of it; a server sends these texts as they are.
 *
 * What need not be waited for is there at once. Where a request cannot be met, a method throws a {@link CrudError}, or
 * rejects with one.
 */
export interface JsonStore {
  readonly model: Model
  find(at: Address, id: Id): PromiseOrValue<string>
  /** `{"rows":[…],"count":n}` */
  list(at: Address, page: PageRange): PromiseOrValue<string>
  /** With an id: the record gets that id. */
  create(at: Address, body: unknown, id?: Id): PromiseOrValue<WrittenRecord>
  /** Without an id: the body carries it. */
  replace(at: Address, id: Id | undefined, body: unknown): PromiseOrValue<WrittenRecord>
  patch(at: Address, id: Id, body: unknown): PromiseOrValue<WrittenRecord>
  delete(at: Address, id: Id): PromiseOrValue<undefined>
  /** Everything that is wrong with the body of a write, as far as the body alone tells. `id`: the record's, if the path names it. */
  bodyProblems(at: Address, mode: BodyOperation, body: unknown, id?: Id): readonly Problem[]
}

/** A record as a write left it. */
export interface WrittenRecord {
  readonly id: Id
  /** Undefined where it is too large for an answer: the write is done nevertheless. */
  readonly json: string | undefined
}

/** How much one body may hold, and one answer. */
export interface StoreLimits extends BodyLimits {
  /**
   * The most bytes of a record or a page; beyond: `CRUD_ERR_TOO_LARGE`. Default 32 MiB, at most 256 MiB.
   */
  readonly maxAnswer: number
}

export interface StoreOptions<M extends Model = Model> {
  /** A Kysely instance on SQLite or PostgreSQL. A transaction of the caller's is used as it is. */
  readonly db: AnyKysely
  readonly resources: M
  /** Default: 10,000 array elements and 64 levels of a body, 32 MiB of an answer. */
  readonly limits?: Partial<StoreLimits>
}

/** How a write begins: with its answer. */
const ANSWERED = { extent: 'whole', readsBack: true } as const

export function createJsonStore({ db, resources: model, limits }: StoreOptions): JsonStore {
  checkModel(model)
  const { maxAnswer = DEFAULT_MAX_ANSWER } = limits ?? {}
  checkMaxAnswer(maxAnswer)
  const context = queryContext(db, maxAnswer)
  const statements = statementsOf(context)
  const sessions = sessionPool(db)
  const parts: WriteParts = { context, statements, sessions }
  const bodyLimits = { ...defaultBodyLimits, ...limits }

  /** Adds every problem to the list; what it returns is complete only if there is none. */
  function readDraft({ place }: Address, mode: BodyOperation, body: unknown, id: Id | undefined, problems: Problem[]) {
    const tooMuch = checkLimits(body, bodyLimits)
    if (tooMuch !== undefined) {
      problems.push(tooMuch)
      return undefined
    }
    const draft = readBody(place.resource, mode, body, '', problems)
    if (id !== undefined) checkId(draft, id, problems)
    else if (mode !== 'create') requireId(draft, problems)
    return draft
  }

  function draftOf(at: Address, mode: BodyOperation, body: unknown, id?: Id): Draft {
    const problems: Problem[] = []
    const draft = readDraft(at, mode, body, id, problems)
    if (draft === undefined || problems.length > 0) throw new CrudError(invalid(problems))
    return draft
  }

  function update(
    mode: 'replace' | 'patch',
    at: Address,
    pathId: Id | undefined,
    body: unknown,
  ): PromiseOrValue<WrittenRecord> {
    const draft = draftOf(at, mode, body, pathId)
    const id = pathId ?? (draft.id as Id)
    checkIds(at, id)
    const blind = mode === 'patch' ? blindPatch(parts, at, id, draft) : undefined
    const look = lookToUpdate(parts, at, id, draft)
    const written = write(parts, { at, id, alwaysWrites: false, blind, ...ANSWERED, look })
    return andThen(written, ({ json }) => ({ id, json }))
  }

  return {
    model,
    find(at, id) {
      checkIds(at, id)
      const record = withRetries(db, () => unlessTooLarge(() => readRecord(sessions, statements, at, id)))
      return andThen(record, (found) => {
        if (found === undefined) throw recordTooLarge(at, id, maxAnswer)
        return shown(at, found)
      })
    },
    list(at, page) {
      checkIds(at)
      return withRetries(db, () => readPage(sessions, statements, at, page))
    },
    create(at, body, id) {
      const draft = draftOf(at, 'create', body)
      checkIds(at)
      if (id !== undefined) checkChosenId(at.place.resource, id)
      const look = lookToCreate(parts, at, id, draft)
      const written = write(parts, { at, id: undefined, alwaysWrites: true, blind: undefined, ...ANSWERED, look })
      return andThen(written, ({ id, json }) => ({ id: id as Id, json }))
    },
    replace: (at, id, body) => update('replace', at, id, body),
    patch: (at, id, body) => update('patch', at, id, body),
    delete(at, id) {
      checkIds(at, id)
      const blind = blindDelete(parts, at, id)
      const look = lookToDelete(parts, at, id)
      return andThen(write(parts, { at, id, alwaysWrites: true, blind, ...ANSWERED, look }), () => undefined)
    },
    bodyProblems(at, mode, body, id) {
      const problems: Problem[] = []
      readDraft(at, mode, body, id, problems)
      return problems
    },
  }
}

function checkMaxAnswer(maxAnswer: number): void {
  if (Number.isSafeInteger(maxAnswer) && maxAnswer >= 1 && maxAnswer <= HIGHEST_MAX_ANSWER) return
  throw new TypeError(`limits.maxAnswer: must be an integer from 1 to ${HIGHEST_MAX_ANSWER} (bytes)`)
}

/** An id that no record can have names nothing. */
function checkIds({ place, owners }: Address, id?: Id): void {
  for (const [level, owner] of owners.entries()) {
    checkPossible(place.path[level]?.source ?? place.resource, owner)
  }
  if (id !== undefined) checkPossible(place.resource, id)
}

function checkPossible({ key, id: kind }: Resource, id: Id): void {
  if (kind.fromJson(id) === undefined) throw new CrudError(notFound(key, id))
}

function checkChosenId({ id: kind }: Resource, id: Id): void {
  if (kind.isChoosable(id)) return
  throw new CrudError(invalid([{ pointer: '', message: kind.choiceProblem }]))
}
