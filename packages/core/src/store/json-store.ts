import type { RawBuilder } from 'kysely'
import { type ActCall, act, problemsOfInput } from '../actions/act.ts'
import { ROW_ACTIONS } from '../actions/action.ts'
import { ASCII_ONLY, type Comparing, matchesAll } from '../asking/condition.ts'
import type { GroupRequest } from '../asking/groups/group-query.ts'
import type { ListRequest } from '../asking/list-query.ts'
import { PLAIN_RECORD, type RecordQuery, type RecordRequest } from '../asking/record-query.ts'
import { type BatchDone, type BatchPart, type PartAnswer, runBatch } from '../batch/run-batch.ts'
import type { HistoryOptions } from '../effects-form.ts'
import { CrudError, invalid, type Problem } from '../errors.ts'
import { feedOf, type LiveFeed } from '../feed/live-feed.ts'
import type { HistoryRow } from '../history/history-row.ts'
import type { Address } from '../model/collection-path.ts'
import { namesNoOwner } from '../model/collection-path.ts'
import { limitsOf } from '../model/descriptors/default-limits.ts'
import type { Id } from '../model/ids/id-kind.ts'
import { wholeId } from '../model/ids/short-id.ts'
import { checkModel, type Resource } from '../model/model.ts'
import type { Operation } from '../model/operations.ts'
import { hasHistory, hasUnconstrained } from '../model/resource-tree.ts'
import type { LinkChange } from '../planning/body/draft.ts'
import { NOTHING_HIDDEN } from '../planning/body/draft.ts'
import type { Plan } from '../planning/public/plan.ts'
import { chosenId, refusalOfChoice } from '../planning/public/plan-create.ts'
import type { AfterCommits } from '../rules/stages/after-commits.ts'
import type { EndTogether } from '../rules/stages/end-together.ts'
import { atFirstTry, withRetries } from '../session/retries.ts'
import type { Session } from '../session/session.ts'
import { sessionPool } from '../session/session-pool.ts'
import { boundariesOn, withTransaction } from '../session/transaction.ts'
import { queryContext } from '../sql/context.ts'
import { type AnyKysely, databaseOf } from '../sql/dialect/database.ts'
import { engineOf } from '../sql/dialect/postgres/engine.ts'
import { visibleTable } from '../sql/rows/visible-rows.ts'
import { keptStatements, statementsOf } from '../sql/statements.ts'
import { withValues } from '../sql/text/prepare.ts'
import { type HistoryCall, RecordGoneError } from '../writing/history/read-write.ts'
import { cascadesLearner } from '../writing/learn-cascades.ts'
import { readChosen, type ValueReader } from '../writing/reads/read-record.ts'
import { repeatOf } from '../writing/repeats.ts'
import { write } from '../writing/write.ts'
import type { CallTerms, WriteParts, Written, WrittenEffects } from '../writing/write-call.ts'
import { writeLink } from '../writing/write-link.ts'
import { type BodyOf, bodyReader, unlessUnfit } from './body-reader.ts'
import { idsThatMatch, MATCHES_ALL } from './bulk/bulk-records.ts'
import { type BulkStore, bulkStore } from './bulk/bulk-store.ts'
import { type ChangesScope, showChanges } from './changes/show-changes.ts'
import { checkIds, checkWritable } from './checks/check-ids.ts'
import { type RequestThen, readHistoryRequest, readMoment } from './history/history-request.ts'
import { checkHistoryOf, readHistory, readHistoryEntry } from './history/read-history.ts'
import { readRecordAt } from './history/record-at.ts'
import { hasMoments, typesLearner } from './learn-types.ts'
import {
  askingOutside,
  asSpelled,
  checkOwners,
  locate,
  locateHeld,
  locateNew,
  locateNewOfMany,
  type OwnersReader,
  withLocated,
} from './locate.ts'
import { purge } from './purge.ts'
import { asksHow, type ComparingQuery, howToCompare } from './read/how-to-compare.ts'
import { groupsPage } from './read/read-groups.ts'
import { readPage } from './read/read-page.ts'
import { queryReader, type ReadRequest } from './read/read-query.ts'
import { extrasIn, maxAnswerOf, type StoreExtras, type StoreOptions } from './types/store-options.ts'
import type { Asked } from './types/write-options.ts'

/**
 * The store in terms of JSON text: what only travels from the database to a client is never parsed. `createStore` is
 * the typed store on top of it; a server sends these texts as they are.
 *
 * Where a request cannot be met, a method rejects with a {@link CrudError}. Ids are whole, but in bodies and answers.
 */
export interface JsonStore extends BulkStore {
  /** Default: the whole record. */
  find(at: Address, id: Id, request?: RecordRequest, asked?: Asked): Promise<string>
  /** `{"rows":[…],"count":n,"next":"…"}`, with `"countIs":"atLeast"` behind the count where there may be more. */
  list(at: Address, request: ListRequest, asked?: Asked): Promise<string>
  /** `{"rows":[…],"count":n}` of groups. */
  group(at: Address, request: GroupRequest, asked?: Asked): Promise<string>
  /** With an id: the record gets that id. */
  create(at: Address, body: unknown, id?: Id, asked?: Asked): Promise<WrittenRecord>
  /** Without an id: the body carries it. */
  replace(at: Address, id: Id | undefined, body: unknown, asked?: Asked): Promise<WrittenRecord>
  patch(at: Address, id: Id, body: unknown, asked?: Asked): Promise<WrittenRecord>
  /** Adds or removes a link of the record. */
  changeLink(at: Address, id: Id, change: LinkChange, asked?: Asked): Promise<WrittenAway>
  delete(at: Address, id: Id, asked?: Asked): Promise<WrittenAway>
  /** Carries out an action of the application's. `id`: undefined for one of the collection. */
  act(at: Address, id: Id | undefined, given: GivenAction, asked?: Asked): Promise<WrittenRecord>
  /** Everything that is wrong with the body and the query of an action. */
  actionProblems(given: Omit<GivenAction, 'open'>): readonly Problem[]
  /** Brings back a deleted record, and what was deleted together with it; resolves to the record. */
  restore(at: Address, id: Id, asked?: Asked): Promise<WrittenRecord>
  /** The JSON of a page of the writes that have touched a record, the newest first. */
  history(at: Address, id: Id, options?: HistoryOptions, asked?: Asked): Promise<string>
  /** The JSON of one of them. */
  historyEntry(at: Address, id: Id, write: string, asked?: Asked): Promise<string>
  /** The writes of the database as they happen. Throws a TypeError where they cannot be followed. */
  feed(): LiveFeed
  /** The JSON of each of some writes as a caller may see it now; undefined where it sees nothing of one. */
  changes(scope: ChangesScope, rows: readonly HistoryRow[], asked?: Asked): Promise<readonly (string | undefined)[]>
  /** Fails unless a caller sees the record whose changes it follows, or the owner of the collection. */
  checkFollowed(at: Address, id: Id | undefined, asked?: Asked): Promise<void>
  /** The JSON of the record as it was at a moment. */
  findAt(at: Address, id: Id, request: RequestThen, asked?: Asked): Promise<string>
  /** Undoes a write that has touched the record. */
  undo(at: Address, id: Id, write: string, asked?: Asked): Promise<WrittenRecord>
  /** Removes a deleted record and all that it owns for good. */
  purge(at: Address, id: Id, asked?: Asked): Promise<WrittenAway>
  /** Carries out several requests as one write. */
  batch<Answer extends PartAnswer>(requests: readonly BatchPart<Answer>[], asked?: Asked): Promise<BatchDone<Answer>>
  /** The address with the owners of the record that is there, or of the new one that a body describes. */
  locate(at: Address, operation: Operation, id: Id | undefined, body: unknown, asked?: Asked): Promise<Address>
  /** An id as its record has it, where columns take it in several spellings. */
  asSpelled(resource: Resource, id: Id, asked?: Asked): Promise<Id>
  /** The rows of a resource that a request may know of, for a query of the application's own. */
  visible(resource: Resource, requestContext: unknown): RawBuilder<unknown>
  /** A store of this model on another connection of the database. `end`: in the transaction of an action. */
  in(db: AnyKysely, end?: EndTogether): JsonStore
  /** The same in another database with the same tables: the same store each time. `afterCommits`: of that database. */
  on(db: AnyKysely, afterCommits: AfterCommits | undefined): JsonStore
  /** The same on another server that has the same records, and is only read: the same store each time. */
  onReplica(db: AnyKysely): JsonStore
  /** Everything that is wrong with the body of a write, as far as the body alone tells. */
  bodyProblems(given: Omit<BodyOf, 'hidden'>, asked: Asked): readonly Problem[]
  /** The same of a write of many records. */
  bodyProblemsOfMany(given: ManyBodies, asked: Asked): readonly Problem[]
  /** The keys of the resources that a query names besides its own. */
  namedBy(at: Address, request: ReadRequest): readonly string[]
  /** Everything that is wrong with a query. */
  queryProblems(at: Address, request: ReadRequest, asked: Asked): readonly Problem[]
}

/** The bodies of a write of many records. `by`: the names of the unique values that name them. */
interface ManyBodies extends Pick<BodyOf, 'at' | 'operation' | 'body'> {
  readonly by: readonly string[] | undefined
}

/** An action, and what it is given. */
export type GivenAction = Pick<ActCall, 'action' | 'body' | 'query' | 'open'>

const BY_NOBODY: Asked = {}

/** Tells whether there is a collection. */
const ONE_ID: ListRequest = { limit: 1, fields: ['id'], count: 'none' }

/** A record whose query costs so much may take as long as a list: its nested arrays are sorted or searched. */
const COSTLY = 10

/** A record as a write left it. */
export interface WrittenRecord {
  readonly id: Id
  /** Undefined where it is too large for an answer, or the caller may not see it any more: the write is done
   * nevertheless. */
  readonly json: string | undefined
  /** The caller may not see it, or it is gone. */
  readonly isOutOfSight: boolean
  /** It is what an earlier request with the same key has written, whose answer had this status. */
  readonly firstStatus?: number | undefined
  /** What would be done, if all is undone at the end. */
  readonly plan?: Plan | undefined
  /** Where it is, if it has moved to another owner. */
  readonly movedTo?: Address | undefined
  /** What the write does, if that is asked for. */
  readonly effects?: WrittenEffects | undefined
}

/** What a write has left that has no record to answer with. */
export type WrittenAway = Pick<WrittenRecord, 'plan' | 'effects'>

export function createJsonStore({ db, ...others }: StoreOptions, extras: StoreExtras = {}): JsonStore {
  const { resources: model, limits } = others
  const { rules, errors, rights, fieldRights, settingsOf } = extras
  checkModel(model)
  if (settingsOf !== undefined && databaseOf(db) === 'sqlite') {
    throw new TypeError('session: SQLite has no settings that a request could set; leave out the option')
  }
  if (settingsOf !== undefined && !engineOf(db).setConfig) {
    throw new TypeError('session: the engine has no set_config, which would tell it the settings; leave out the option')
  }
  const maxAnswer = maxAnswerOf(limits)
  const context = queryContext(db, { model, maxAnswer, rights, fieldRights, reach: extras.reach })
  const kept = extras.kept ?? keptStatements()
  const statements = extras.statements ?? statementsOf(context, kept, extras.noteUnshown)
  const sessions = sessionPool(db, settingsOf)
  const learnTypes = typesLearner(context, model)
  const learnMoments = hasMoments(model) ? learnTypes : undefined
  const learnCascades = cascadesLearner(context, model)
  const parts: WriteParts = {
    context,
    statements,
    sessions,
    rules,
    errors,
    end: extras.end,
    afterCommits: extras.afterCommits,
    history: hasHistory(model) ? { historyOf: extras.historyOf } : undefined,
    learnTypes,
    learnCascades,
    hasUnconstrained: hasUnconstrained(model),
    ...limitsOf(['maxRows', 'maxChanges'], limits),
  }
  const extrasOn = (other: AnyKysely, afterCommits?: AfterCommits): StoreExtras =>
    extrasIn(other, context, statements, { ...extras, kept, end: undefined }, afterCommits)
  const elsewhere = new WeakMap<AnyKysely, JsonStore>()
  const replicas = new WeakMap<AnyKysely, JsonStore>()
  const bodies = bodyReader(model, limits, context)
  const ofActions = limitsOf(['action', 'maxItems', 'maxDepth'], limits)
  const queries = queryReader(context, limits)

  async function update(
    operation: 'replace' | 'patch',
    at: Address,
    pathId: Id | undefined,
    body: unknown,
    asked: Asked = BY_NOBODY,
  ): Promise<WrittenRecord> {
    checkWritable(context, model, at.path.resource)
    const read = bodies.read({ at, operation, body, id: pathId, hidden: asked.hidden })
    const { draft, said, owner } = read
    const id = pathId ?? wholeId(at.path.resource, draft.id as Id, owner?.id ?? at.owners.at(-1))
    checkIds(at, id)
    const earlier = await repeatAtTop(at, asked)
    if (earlier !== undefined) return earlier
    return await unlessUnfit([read], () =>
      whereItIs(at, id, asked, async (located) => {
        checkOwners(located, said)
        const call = { ...termsOf(asked), operation, at: located, id, draft }
        return writtenRecord(id, await write(parts, call))
      }),
    )
  }

  /** Where the path names no owners, these are looked up before the write, and may be gone since an earlier request
   * with the same key. */
  async function repeatAtTop(at: Address, asked: Asked): Promise<WrittenRecord | undefined> {
    if (asked.repeat === undefined || !namesNoOwner(at.path)) return undefined
    const terms = termsOf(asked)
    if (terms.repeat === undefined) return undefined
    const earlier = await repeatOf(parts, { at, ...terms }, terms.repeat)
    return earlier && writtenRecord(earlier.id as Id, earlier)
  }

  /** Reads on any connection. `query`: what a client asks for, which may take long. */
  const reader = (
    { requestContext, signal }: Asked,
    query?: Pick<RecordQuery, 'cost'>,
    isOfMany = false,
  ): ValueReader => {
    const terms = query && { signal, takesTurn: isOfMany || query.cost >= COSTLY, cost: query.cost }
    return (statement, values) => sessions.value(statement, values, requestContext, terms)
  }

  const tried = extras.isReplica === true ? atFirstTry : withRetries
  /** Reads once all is known that the statement of a query depends on. Most depend on nothing, and wait for nothing. */
  const readAs = <Result>(query: ComparingQuery, read: (comparing: Comparing) => Promise<Result>): Promise<Result> => {
    const asks = asksHow(query)
    const readWhenKnown = async (learning: Promise<void> | undefined) => {
      await learning
      return await read(asks ? await howToCompare(context, query, learnTypes) : ASCII_ONLY)
    }
    return tried(db, () => {
      const learning = learnMoments?.()
      return learning === undefined && !asks ? read(ASCII_ONLY) : readWhenKnown(learning)
    })
  }

  /** Reads owners, and tries again as all reads do. */
  const ownersReader = async (asked: Asked): Promise<OwnersReader> => {
    await learnMoments?.()
    return { statements, read: (query, id) => withRetries(db, () => reader(asked)<string>(query, { id })) }
  }

  const bulk = bulkStore({
    parts,
    model,
    bodies,
    ...limitsOf(['maxItems'], limits),
    termsOf,
    async locateNew(at, owners, { requestContext }) {
      await learnMoments?.()
      return await locateNewOfMany(parts, at, owners, askingOutside(parts, requestContext))
    },
    async match(at, matching, most, asked) {
      const query = queries.ofList(at, { ...matching, limit: most, fields: ['id'], count: 'none' }, asked.hidden)
      if (matchesAll(query.condition)) throw new CrudError(invalid([MATCHES_ALL]))
      return await readAs(query, (comparing) =>
        idsThatMatch(reader(asked, query, true), statements, at, most, query, comparing),
      )
    },
  })
  /** Does a write where the record is that the path names. */
  const whereItIs = async <Result>(
    at: Address,
    id: Id,
    asked: Asked,
    work: (located: Address) => Promise<Result>,
  ): Promise<Result> => {
    if (!namesNoOwner(at.path)) return await work(at)
    const reader = await ownersReader(asked)
    return await withLocated(at.path.resource, () => locate(reader, at, id), work)
  }

  /** Where a deleted record was that the path names, and that is to be written. */
  const ofDeleted = async (at: Address, id: Id, asked: Asked): Promise<Address> => {
    checkWritable(context, model, at.path.resource)
    checkIds(at, id)
    return namesNoOwner(at.path) ? await locateHeld(await ownersReader(asked), at, id) : at
  }

  /** Reads in one transaction. */
  const inReading = <Result>({ requestContext }: Asked, read: (session: Session) => Promise<Result>) => {
    const boundaries = { ...boundariesOn(db, context.dialect, context.dialect.reading.begin), commits: false }
    return tried(db, () =>
      sessions.use(requestContext, (session) => withTransaction(session, boundaries, () => read(session))),
    )
  }

  /** Reads the history of a record. */
  const ofHistory = async <Result>(
    { at, id }: Pick<HistoryCall, 'at' | 'id'>,
    asked: Asked,
    read: (session: Session, call: HistoryCall) => Promise<Result>,
  ): Promise<Result> => {
    checkIds(at, id)
    const { effects, checkGone } = asked
    const call = { at, id, hides: effects?.hides }
    const readOnce = (asksIfGone: boolean) => inReading(asked, (session) => read(session, { ...call, asksIfGone }))
    return await readOnce(checkGone !== undefined).catch(async (error) => {
      if (!(error instanceof RecordGoneError)) throw error
      await checkGone?.()
      return await readOnce(false)
    })
  }

  return {
    ...bulk,
    async find(at, id, request, asked = BY_NOBODY) {
      const query = request === undefined ? PLAIN_RECORD : queries.ofRecord(at, request, asked.hidden)
      checkIds(at, id)
      const value = reader(asked, query === PLAIN_RECORD ? undefined : query)
      return await readAs(query, (comparing) => readChosen(value, statements, at, id, query, comparing))
    },
    async list(at, request, asked = BY_NOBODY) {
      const query = queries.ofList(at, request, asked.hidden)
      checkIds(at)
      const { limit, offset = query.offset ?? 0 } = request
      const range = { limit, offset }
      const value = reader(asked, query, true)
      return await readAs(query, (comparing) => readPage(value, statements, at, range, query, comparing))
    },
    async group(at, request, asked = BY_NOBODY) {
      const query = queries.ofGroups(at, request, asked.hidden)
      checkIds(at)
      const { limit, offset = 0 } = request
      const value = reader(asked, query, true)
      return await readAs(query, (comparing) => groupsPage(value, statements, at, { limit, offset }, query, comparing))
    },
    async create(at, body, inPath, asked = BY_NOBODY) {
      checkWritable(context, model, at.path.resource)
      const { draft, owner } = bodies.read({ at, operation: 'create', body, id: inPath, hidden: asked.hidden })
      checkIds(at)
      const refusal = inPath === undefined ? undefined : refusalOfChoice(at.path.resource, inPath, at.owners.at(-1))
      if (refusal !== undefined) throw new CrudError(refusal)
      const earlier = await repeatAtTop(at, asked)
      if (earlier !== undefined) return earlier
      const createAt = async (located: Address) => {
        const chosen = chosenId(draft, inPath, located.owners.at(-1))
        const terms = { ...termsOf(asked), operation: 'create', at: located, id: undefined } as const
        const written = await write(parts, { ...terms, chosenId: chosen, draft })
        return writtenRecord(written.id as Id, written)
      }
      if (owner === undefined) return await createAt(at)
      const reader = await ownersReader(asked)
      return await withLocated(owner.by.target, () => locateNew(reader, at, owner), createAt)
    },
    replace: (at, id, body, asked) => update('replace', at, id, body, asked),
    patch: (at, id, body, asked) => update('patch', at, id, body, asked),
    async changeLink(at, id, change, asked = BY_NOBODY) {
      checkWritable(context, model, at.path.resource)
      checkIds(at, id)
      const earlier = await repeatAtTop(at, asked)
      if (earlier !== undefined) return earlier
      return await whereItIs(at, id, asked, (located) =>
        writeLink(parts, { at: located, id, change, hidden: asked.hidden, ...termsOf(asked) }),
      )
    },
    async delete(at, id, asked = BY_NOBODY) {
      const { hidden = NOTHING_HIDDEN } = asked
      checkWritable(context, model, at.path.resource)
      checkIds(at, id)
      const earlier = await repeatAtTop(at, asked)
      if (earlier !== undefined) return earlier
      return await whereItIs(at, id, asked, async (located) => {
        const { plan, effects } = await write(parts, {
          ...termsOf(asked),
          operation: 'delete',
          at: located,
          id,
          hidden,
        })
        return { plan, effects }
      })
    },
    async act(at, id, given, asked = BY_NOBODY) {
      const problems = problemsOfInput(given.action, given, ofActions)
      if (problems.length > 0) throw new CrudError(invalid(problems))
      checkIds(at, id)
      const terms = { ...termsOf(asked), asks: ROW_ACTIONS[given.action.asks] }
      const isLookedUp = id !== undefined && namesNoOwner(at.path)
      const earlier = isLookedUp && terms.repeat ? await repeatOf(parts, { at, ...terms }, terms.repeat) : undefined
      if (earlier !== undefined) return writtenRecord(id as Id, earlier)
      const actAt = (located: Address) => act(parts, { at: located, id, limit: ofActions.action, ...given, ...terms })
      const written = id === undefined ? await actAt(at) : await whereItIs(at, id, asked, actAt)
      return writtenRecord(id as Id, written)
    },
    actionProblems: (given) => problemsOfInput(given.action, given, ofActions),
    async restore(at, id, asked = BY_NOBODY) {
      const earlier = await repeatAtTop(at, asked)
      if (earlier !== undefined) return earlier
      const located = await ofDeleted(at, id, asked)
      return writtenRecord(id, await write(parts, { operation: 'restore', at: located, id, ...termsOf(asked) }))
    },
    async history(at, id, options, asked = BY_NOBODY) {
      const request = readHistoryRequest(options)
      return await ofHistory({ at, id }, asked, (session, call) => readHistory(parts, session, call, request))
    },
    async historyEntry(at, id, write, asked = BY_NOBODY) {
      return await ofHistory({ at, id }, asked, (session, call) => readHistoryEntry(parts, session, call, write))
    },
    feed: () => feedOf(db, model),
    async changes(scope, rows, asked = BY_NOBODY) {
      const shown = await inReading(asked, (session) => showChanges(parts, session, scope, rows))
      return shown.map((one) => one && JSON.stringify(one))
    },
    async checkFollowed(at, id, asked = BY_NOBODY) {
      if (id === undefined) await this.list(at, ONE_ID, asked)
      else await ofHistory({ at, id }, asked, (session, call) => checkHistoryOf(parts, session, call))
    },
    async findAt(at, id, request, asked = BY_NOBODY) {
      const time = readMoment(request)
      return await ofHistory({ at, id }, asked, (session, call) => readRecordAt(parts, session, call, time, Date.now()))
    },
    async undo(at, id, write_, asked = BY_NOBODY) {
      checkWritable(context, model, at.path.resource)
      checkIds(at, id)
      const earlier = await repeatAtTop(at, asked)
      if (earlier !== undefined) return earlier
      const { hidden = NOTHING_HIDDEN } = asked
      const call = { ...termsOf(asked), operation: 'undo', at, id, write: write_, hidden } as const
      return writtenRecord(id, await write(parts, call))
    },
    async purge(at, id, asked = BY_NOBODY) {
      const earlier = await repeatAtTop(at, asked)
      if (earlier !== undefined) return earlier
      return await purge(parts, { at: await ofDeleted(at, id, asked), id, ...termsOf(asked) })
    },
    batch: (requests, asked = BY_NOBODY) => runBatch(parts, requests, termsOf(asked)),
    async locate(at, operation, id, body, asked = BY_NOBODY) {
      checkIds(at, id)
      const isOfDeleted = operation === 'deleted' || operation === 'restore' || operation === 'purge'
      if (id !== undefined && isOfDeleted) return await locateHeld(await ownersReader(asked), at, id)
      if (id !== undefined && operation !== 'create') return await locate(await ownersReader(asked), at, id)
      if (operation !== 'create') return at
      const owner = bodies.ownerIn({ at, operation, body, id, hidden: asked.hidden })
      return owner === undefined ? at : await locateNew(await ownersReader(asked), at, owner)
    },
    asSpelled: async (resource, id, asked = BY_NOBODY) => asSpelled(await ownersReader(asked), resource, id),
    visible: (resource, requestContext) => withValues(visibleTable(context, resource), requestContext),
    in: (other, end = other.isTransaction ? extras.end : undefined) =>
      createJsonStore({ db: other, ...others }, { ...extrasOn(other), end }),
    on: (other, afterCommits) =>
      keptIn(elsewhere, other, () => createJsonStore({ db: other, ...others }, extrasOn(other, afterCommits))),
    onReplica: (other) =>
      keptIn(replicas, other, () => createJsonStore({ db: other, ...others }, { ...extrasOn(other), isReplica: true })),
    bodyProblems: (given, { hidden }) => bodies.problemsOf({ ...given, hidden }),
    bodyProblemsOfMany({ at, operation, body, by }, { hidden }) {
      if (operation === 'patch' && !Array.isArray(body)) {
        return bodies.problemsOf({ at, operation, body, id: undefined, hidden, isForMany: true })
      }
      const meaning = { operation: by === undefined ? operation : 'create' } as const
      return bodies.problemsOfAll({ at, body, hidden, meaning: () => meaning })
    },
    namedBy: queries.namedBy,
    queryProblems: (at, request, { hidden }) => queries.problems(at, request, hidden),
  }
}

/** A store that writes nothing, and says why. */
export function readingStore(store: JsonStore, why: string): JsonStore {
  const refuse = async (): Promise<never> => {
    throw new TypeError(why)
  }
  return {
    ...store,
    ...{ create: refuse, replace: refuse, patch: refuse, changeLink: refuse, delete: refuse },
    ...{ batch: refuse, restore: refuse, purge: refuse, undo: refuse, createMany: refuse, replaceMany: refuse },
    ...{ patchMany: refuse },
    ...{ upsert: refuse, upsertMany: refuse, patchMatching: refuse, deleteMatching: refuse },
    act: (at, id, given, asked) => (given.action.isRead ? store.act(at, id, given, asked) : refuse()),
    in: (db, end) => readingStore(store.in(db, end), why),
  }
}

/** One for each instance, as long as that is there. */
function keptIn(stores: WeakMap<AnyKysely, JsonStore>, db: AnyKysely, make: () => JsonStore): JsonStore {
  const store = stores.get(db) ?? make()
  stores.set(db, store)
  return store
}

function writtenRecord(
  id: Id,
  { json, isOutOfSight = false, plan, firstStatus, movedTo, effects }: Written,
): WrittenRecord {
  return { id, json, isOutOfSight, plan, firstStatus, movedTo, effects }
}

/** The first part of a call: V8 copies an object quickly where nothing stands before it. */
function termsOf({
  requestContext,
  permit,
  precondition,
  maxAffected,
  rollsBack = false,
  readsBack = true,
  effects,
  repeat,
  notePosition,
}: Asked): Omit<CallTerms, 'at'> {
  return {
    requestContext,
    permit,
    precondition,
    maxAffected,
    rollsBack,
    readsBack,
    effects,
    // What is undone at the end is nothing to repeat.
    repeat: rollsBack ? undefined : repeat,
    notePosition,
    now: new Date(),
  }
}
