import { foldsAllLetters } from '../connection/folds-all-letters.ts'
import { withRetries } from '../connection/retries.ts'
import { sessionPool } from '../connection/session-pool.ts'
import type { SettingsOf } from '../connection/session-settings.ts'
import { CrudError, invalid, type Problem } from '../errors.ts'
import type { Address } from '../model/address.ts'
import { DEFAULT_LIMITS, limitsOf } from '../model/default-limits.ts'
import type { Id } from '../model/ids.ts'
import { checkModel, type Model } from '../model/model.ts'
import type { BodyOperation } from '../model/operations.ts'
import { type Draft, type Hidden, readingOf } from '../plan/body/draft.ts'
import { type BodyLimits, checkSize } from '../plan/body/limits.ts'
import { readBody } from '../plan/body/read-body.ts'
import type { Permit } from '../plan/decide/planned-actions.ts'
import type { Plan } from '../plan/plan.ts'
import { refusalOfChoice } from '../plan/plan-create.ts'
import { checkId, requireId } from '../plan/plan-update.ts'
import { mayHide, type Rights } from '../policies/rights.ts'
import { compilesAlike } from '../query/compiles-alike.ts'
import { type QueryContext, queryContext } from '../query/context.ts'
import { type AnyKysely, databaseOf } from '../query/dialect/database.ts'
import { HIGHEST_MAX_ANSWER } from '../query/reads/answer-size.ts'
import { ASCII_ONLY } from '../query/reads/filter-sql.ts'
import { type Statements, statementsOf } from '../query/statements.ts'
import type { ListRequest } from '../reading/list-query.ts'
import { PLAIN_RECORD, type RecordRequest } from '../reading/record-query.ts'
import type { ReadingLimits } from '../reading/scope.ts'
import type { ActiveRules } from '../rules/active-rules.ts'
import { storedRowsOf } from '../rules/stored-rows.ts'
import { blindDelete, blindPatch, mayDeleteOwned } from './blind-write.ts'
import { checkIds } from './check-ids.ts'
import {
  type ReadValue,
  readChosen,
  readPage,
  readRecord,
  recordTooLarge,
  shownIfSendable,
  unlessTooLarge,
} from './read.ts'
import { readToCreate, readToDelete, readToUpdate } from './read-current.ts'
import { queryReader } from './read-query.ts'
import { write } from './write.ts'
import type { BeforeWriting, WriteParts } from './write-request.ts'
import { mayBeBlind, type WriteTerms } from './write-terms.ts'

/**
 * The store in terms of JSON text: what only travels from the database to a client is never parsed. `createStore` is
 * the typed store on top of it; a server sends these texts as they are.
 *
 * Where a request cannot be met, a method rejects with a {@link CrudError}.
 */
export interface JsonStore {
  readonly model: Model
  /** Default: the whole record. */
  find(at: Address, id: Id, request?: RecordRequest, asked?: Asked): Promise<string>
  /** `{"rows":[…],"count":n,"next":"…"}`, with `"countIs":"atLeast"` behind the count where there may be more. */
  list(at: Address, request: ListRequest, asked?: Asked): Promise<string>
  /** With an id: the record gets that id. */
  create(at: Address, body: unknown, id?: Id, asked?: Asked): Promise<WrittenRecord>
  /** Without an id: the body carries it. */
  replace(at: Address, id: Id | undefined, body: unknown, asked?: Asked): Promise<WrittenRecord>
  patch(at: Address, id: Id, body: unknown, asked?: Asked): Promise<WrittenRecord>
  /** Resolves to the plan if all is undone at the end. */
  delete(at: Address, id: Id, asked?: Asked): Promise<Plan | undefined>
  /** The same store on another connection of the database. */
  in(db: AnyKysely): JsonStore
  /** Everything that is wrong with the body of a write, as far as the body alone tells. `id`: the record's, if the path names it. */
  bodyProblems(at: Address, operation: BodyOperation, body: unknown, id?: Id, asked?: Asked): readonly Problem[]
  /** The keys of the resources that a query names besides its own. */
  namedBy(at: Address, request: RecordRequest | ListRequest): readonly string[]
  /** Everything that is wrong with the query of a list, or else of a record. */
  queryProblems(at: Address, request: RecordRequest | ListRequest, asked?: Asked): readonly Problem[]
}

/** On whose behalf a method is called, and on which terms. */
export interface Asked extends WriteTerms {
  /**
   * Whatever the calling code has to say of the request, such as the request itself: planning and statements can ask it. Policies find
   * who is asking in its `caller`.
   */
  readonly requestContext?: unknown
  /** Is asked what a write may do to records other than its own. Default: everything. */
  readonly permit?: Permit | undefined
  /** Resources whose records a body cannot name, and whose absence from a PUT changes nothing. Default: none. */
  readonly hidden?: Hidden
}

const BY_NOBODY: Asked = {}

/** A record as a write left it. */
export interface WrittenRecord {
  readonly id: Id
  /** Undefined where it is too large for an answer, or the caller may not see it any more: the write is done nevertheless. */
  readonly json: string | undefined
  /** The caller may not see it. */
  readonly isHidden: boolean
  /** What would be done, if all is undone at the end. */
  readonly plan?: Plan | undefined
}

/** How much one body may hold, one query may ask for, and one answer may have. */
export interface StoreLimits extends BodyLimits, ReadingLimits {
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

/** What a store does for each request besides. */
export interface StoreExtras {
  /** Is told of each write when it is planned. */
  readonly beforeWriting?: BeforeWriting | undefined
  /** What the application adds to its records. The resources are those of its model. Default: nothing. */
  readonly rules?: ActiveRules | undefined
  /** Those of a store that differs in its connection only. Default: they are compiled anew. */
  readonly statements?: Statements | undefined
  /** What callers may do with which rows. Default: everything. */
  readonly rights?: Rights | undefined
  /** What PostgreSQL is told of each request. */
  readonly settingsOf?: SettingsOf | undefined
}

export function createJsonStore({ db, ...others }: StoreOptions, extras: StoreExtras = {}): JsonStore {
  const { resources: model, limits } = others
  const { beforeWriting, rules, rights, settingsOf } = extras
  checkModel(model)
  if (settingsOf !== undefined && databaseOf(db) === 'sqlite') {
    throw new TypeError('session: SQLite has no settings that a request could set; leave out the option')
  }
  const { maxAnswer = DEFAULT_LIMITS.maxAnswer } = limits ?? {}
  checkMaxAnswer(maxAnswer)
  const context = queryContext(db, maxAnswer, rights)
  const statements = extras.statements ?? statementsOf(context)
  const sessions = sessionPool(db, settingsOf)
  const parts: WriteParts = { context, statements, sessions, beforeWriting, rules }
  const bodyLimits = limitsOf(['maxItems', 'maxDepth'], limits)
  const queries = queryReader(db, limits)
  const partlyHidden = new Set([...model.resources.values()].filter((resource) => mayHide(rights, resource)))

  /** Whether rules are told of what a write does, so that it has to read first. */
  const asksRules = ({ path }: Address, by: 'ofPatches' | 'ofWrites') =>
    rules?.concern[by].has(path.resource.key) ?? false

  /** Reads a body as a draft, and adds every problem to the list. The draft is complete only if there is none. */
  function readDraft(
    { path }: Address,
    operation: BodyOperation,
    body: unknown,
    id: Id | undefined,
    hidden: Hidden | undefined,
    problems: Problem[],
  ) {
    const tooMuch = checkSize(body, bodyLimits)
    if (tooMuch !== undefined) {
      problems.push(tooMuch)
      return undefined
    }
    const draft = readBody(path.resource, operation, body, '', problems, readingOf(operation, hidden, partlyHidden))
    if (id !== undefined) checkId(draft, id, problems)
    else if (operation !== 'create') requireId(draft, problems)
    return draft
  }

  function draftOf(at: Address, operation: BodyOperation, body: unknown, id: Id | undefined, hidden?: Hidden): Draft {
    const problems: Problem[] = []
    const draft = readDraft(at, operation, body, id, hidden, problems)
    if (draft === undefined || problems.length > 0) throw new CrudError(invalid(problems))
    return draft
  }

  async function update(
    operation: 'replace' | 'patch',
    at: Address,
    pathId: Id | undefined,
    body: unknown,
    asked: Asked = BY_NOBODY,
  ): Promise<WrittenRecord> {
    const draft = draftOf(at, operation, body, pathId, asked.hidden)
    const id = pathId ?? (draft.id as Id)
    checkIds(at, id)
    const isBlind = operation === 'patch' && mayBeBlind(asked) && !asksRules(at, 'ofPatches')
    const blind = isBlind ? blindPatch(parts, at, id, draft) : undefined
    const readCurrent = readToUpdate(parts, at, id, draft, asked)
    const request = { ...firstAttempt(asked), at, id, alwaysWrites: false, blind, readCurrent }
    const { json, isHidden = false, plan } = await write(parts, request)
    return { id, json, isHidden, plan }
  }

  /** Reads on any connection. */
  const reader = (requestContext: unknown): { value: ReadValue } => ({
    value: (statement, values) => sessions.value(statement, values, requestContext),
  })

  return {
    model,
    async find(at, id, request, asked = BY_NOBODY) {
      const query = request === undefined ? PLAIN_RECORD : queries.ofRecord(at, request, asked.hidden)
      checkIds(at, id)
      const comparing = query.foldsCase ? { foldsAll: await foldsAllLetters(db) } : ASCII_ONLY
      const read = async () => {
        const session = reader(asked.requestContext)
        if (query !== PLAIN_RECORD) return await readChosen(session, statements, at, id, query, comparing)
        return shownIfSendable(at, await readRecord(session, statements, at, id))
      }
      const found = await withRetries(db, () => unlessTooLarge(read))
      if (found === undefined) throw recordTooLarge(at, id, maxAnswer)
      return found
    },
    async list(at, request, asked = BY_NOBODY) {
      const query = queries.ofList(at, request, asked.hidden)
      checkIds(at)
      const comparing = query.foldsCase ? { foldsAll: await foldsAllLetters(db) } : ASCII_ONLY
      const { limit, offset = 0 } = request
      const range = { limit, offset }
      const read = () => readPage(reader(asked.requestContext), statements, at, range, query, comparing)
      return await withRetries(db, read)
    },
    async create(at, body, chosenId, asked = BY_NOBODY) {
      const draft = draftOf(at, 'create', body, undefined, asked.hidden)
      checkIds(at)
      const refusal = chosenId === undefined ? undefined : refusalOfChoice(at.path.resource, chosenId)
      if (refusal !== undefined) throw new CrudError(refusal)
      const readCurrent = readToCreate(parts, at, chosenId, draft, asked)
      const request = { ...firstAttempt(asked), at, id: undefined, alwaysWrites: true, blind: undefined, readCurrent }
      const { id, json, isHidden = false, plan } = await write(parts, request)
      return { id: id as Id, json, isHidden, plan }
    },
    replace: (at, id, body, asked) => update('replace', at, id, body, asked),
    patch: (at, id, body, asked) => update('patch', at, id, body, asked),
    async delete(at, id, asked = BY_NOBODY) {
      checkIds(at, id)
      const isBlind =
        mayBeBlind(asked) && !asksRules(at, 'ofWrites') && (await mayDeleteOwned(at.path.resource, asked.permit))
      const blind = isBlind ? blindDelete(parts, at, id) : undefined
      const readCurrent = readToDelete(parts, at, id, asked)
      const { plan } = await write(parts, { ...firstAttempt(asked), at, id, alwaysWrites: true, blind, readCurrent })
      return plan
    },
    in: (other) => createJsonStore({ db: other, ...others }, extrasIn(other, context, statements, extras)),
    bodyProblems(at, operation, body, id, { hidden } = BY_NOBODY) {
      const problems: Problem[] = []
      readDraft(at, operation, body, id, hidden, problems)
      return problems
    },
    namedBy: queries.namedBy,
    queryProblems: (at, request, { hidden } = BY_NOBODY) => queries.problems(at, request, hidden),
  }
}

/** What another connection has in common with the first: all statements, if they are compiled alike. */
function extrasIn(db: AnyKysely, context: QueryContext, statements: Statements, extras: StoreExtras): StoreExtras {
  if (compilesAlike(context.db, db)) return { ...extras, statements }
  const rules = extras.rules && { ...extras.rules, stored: storedRowsOf(queryContext(db)) }
  return { ...extras, rules, statements: undefined }
}

/** A write reads the whole record at its first attempt. */
function firstAttempt({ requestContext, permit, maxAffected, rollsBack = false, readsBack = true }: Asked) {
  return { requestContext, permit, maxAffected, rollsBack, readsBefore: 'whole', readsBack } as const
}

function checkMaxAnswer(maxAnswer: number): void {
  if (Number.isSafeInteger(maxAnswer) && maxAnswer >= 1 && maxAnswer <= HIGHEST_MAX_ANSWER) return
  throw new TypeError(`limits.maxAnswer: must be an integer from 1 to ${HIGHEST_MAX_ANSWER} (bytes)`)
}
