import { type BodyProblem, CrudError, type Id, type Problem } from '@fastify-crud/core'
import {
  type Asked,
  type BatchPart,
  type BatchTarget,
  isObject,
  locksOf,
  type PartAnswer,
  type PathTable,
  type PlacedRequest,
  placeRequests,
  problemOfRequest,
  type Resource,
  readRequests,
  type SampledRequest,
  type SpelledRequest,
  spelledPath,
} from '@fastify-crud/core/internal'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Answered } from '../../access/access.ts'
import { anybody, contextOf, type Requester, requesterOf } from '../../access/who-asks.ts'
import type { EffectsSight, Within } from '../../access/within.ts'
import type { RouteConfig } from '../../document/documentation.ts'
import { queryOfWrite } from '../../query/request-query.ts'
import type { Service } from '../../service.ts'
import { addPath } from '../add-path.ts'
import { effectsMatchOf } from '../headers/effects-match.ts'
import { repeatReader } from '../headers/idempotency-key.ts'
import { preferencesOf, sayApplied } from '../headers/prefer.ts'
import { invalidRequest } from '../request.ts'
import type { RouteHandler } from '../route-settings.ts'
import { sendEffects } from './effects.ts'
import { InnerReply, innerRequest, type WholeBatch } from './inner-request.ts'
import { type Call, type OperationOf, type RouteOperation, sendJson } from './operation.ts'

/** What a method of a path is in a batch. */
export interface BatchRoute extends BatchTarget {
  /** Undefined: the application has a handler or hooks of its own, which a batch would go past. */
  readonly operationOf: OperationOf | undefined
  readonly isRead: boolean
}

/** Adds the route that carries out several requests as one write. */
export function addBatchRoute(
  fastify: FastifyInstance,
  service: Service,
  table: PathTable<BatchRoute>,
  config: RouteConfig,
): void {
  const handler = batchHandler(service, table)
  const route = { bodyLimit: service.limits.maxBody, handler: service.databases?.during(handler) ?? handler, config }
  addPath(fastify, BATCH_PATH, new Map([['POST', route]]), config)
}

/** Behind the prefix. */
const BATCH_PATH = '/$batch'

function batchHandler(service: Service, table: PathTable<BatchRoute>): RouteHandler {
  const { limits } = service
  const asks = requesterOf(service, false)
  const readRepeat = repeatReader(service, OK, true)

  return async (request, reply) => {
    const asking = asks === undefined ? anybody(service) : await asks(request)
    const headerProblems: Problem[] = [...queryOfWrite(request.url, []).problems, ...refusedHeaders(request)]
    const preferences = preferencesOf(request.headers.prefer, headerProblems)
    if (preferences.maxAffected !== undefined) headerProblems.push(NO_MOST)
    const match = effectsMatchOf(request.headers, headerProblems)
    const repeat = readRepeat(request, preferences, asking.caller, headerProblems)
    const areAnswer = preferences.returns === 'effects'
    const whole = {
      request,
      prefix: service.prefix === '/' ? '' : service.prefix,
      isMinimal: areAnswer || preferences.returns === 'minimal',
      key: preferences.tx === 'rollback' ? undefined : repeat?.key,
    }
    const batch = new Batch(service, table, whole, asking, areAnswer || match !== undefined)
    const parts = await batch.check(headerProblems)
    await batch.askEarly()
    const sight = service.authorize === undefined ? {} : { hides: batch.hides }
    const asked: Asked = {
      requestContext: contextOf(request, asking),
      repeat,
      rollsBack: preferences.tx === 'rollback',
      effects: areAnswer || match !== undefined ? { areAnswer, match, ...sight } : undefined,
      notePosition: notePositionOf(service, reply),
    }
    const { answers, effects } = await asking.stores.of(asking.caller).batch(parts, asked)
    if (effects !== undefined) return sendEffects(reply, OK, effects, { preferences }, limits.maxAnswer)
    const isUndone = preferences.tx === 'rollback'
    sayApplied(reply, preferences, preferences.returns === 'minimal' ? 'left out' : 'record')
    return sendJson(reply, OK, `{"answers":[${answers.map((one) => one.reply.text(isUndone)).join(',')}]}`)
  }
}

const OK = 200

function notePositionOf({ replica }: Service, reply: FastifyReply): Asked['notePosition'] {
  const notePosition = replica?.notePosition
  return notePosition && ((position) => notePosition(reply, position))
}

const NO_MOST: Problem = {
  parameter: 'Prefer',
  message: "the preference 'max-affected' is not for batches: each request says it as 'maxAffected'",
  keyword: 'preference',
  params: { preference: 'max-affected' },
}

/** An ETag is that of one record. */
function refusedHeaders({ headers }: FastifyRequest): readonly Problem[] {
  return (['If-Match', 'If-None-Match'] as const)
    .filter((name) => headers[name.toLowerCase()] !== undefined)
    .map((parameter) => {
      return {
        parameter,
        message: `the header ${parameter} is not for batches: each request says it as 'ifMatch'`,
        keyword: 'not',
      }
    })
}

interface InnerAnswer extends PartAnswer {
  readonly reply: InnerReply
}

/** The requests of one batch, with what the application has answered about each of them. */
class Batch {
  readonly #service: Service
  readonly #whole: WholeBatch
  readonly #asking: Requester
  readonly #showsEffects: boolean
  readonly #problems: BodyProblem[] = []
  readonly #placed: ReturnType<typeof placeRequests<BatchRoute>>
  readonly #answers = new Map<number, Map<string, Answered>>()
  readonly #sights = new Map<number, EffectsSight>()
  /** Stand for records that are not there yet. */
  readonly #samples = new Map<PlacedRequest<BatchRoute>, SampledRequest>()

  constructor(
    service: Service,
    table: PathTable<BatchRoute>,
    whole: WholeBatch,
    asking: Requester,
    showsEffects: boolean,
  ) {
    const { batch, maxDepth } = service.limits
    this.#service = service
    this.#whole = whole
    this.#asking = asking
    this.#showsEffects = showsEffects
    const requests = readRequests(whole.request.body, batch, this.#problems)
    this.#placed = placeRequests(this.#problems.length > 0 ? [] : requests, table, maxDepth, this.#problems)
  }

  /** Fails with all that is wrong with the requests themselves, and if one of them leads to nothing. */
  async check(headerProblems: readonly Problem[]): Promise<readonly BatchPart<InnerAnswer>[]> {
    const { placed, refusal } = this.#placed
    const parts: BatchPart<InnerAnswer>[] = []
    for (const one of placed) parts.push(await this.#part(one))
    if (headerProblems.length + this.#problems.length > 0) throw invalidRequest([...headerProblems, ...this.#problems])
    if (refusal !== undefined) throw refusal
    for (const [one, sampled] of this.#samples) operationOf(one, this.#inner(one, sampled))
    return parts
  }

  /** Asks the application what the requests may do, as far as their paths tell, while no transaction waits for it. What
   * is not allowed is refused when its turn comes. */
  async askEarly(): Promise<void> {
    if (this.#service.authorize === undefined) return
    for (const [one, sampled] of this.#samples) {
      const inner = this.#inner(one, sampled)
      const operation = one.target.operationOf?.(inner)
      const isNew = (_: Resource, id: Id) => sampled.samples.has(id)
      const within = this.#within(one, this.#asking, { mayWait: true, isNew })
      await operation
        ?.begin(inner, new InnerReply().asReply, within)
        .then(operation.ask)
        .catch(() => undefined)
    }
  }

  /** What the effects of the batch do not show. */
  readonly hides = (resource: Resource): boolean => {
    const concerned = [...this.#sights.values()].filter(({ touched }) => touched.has(resource))
    return concerned.length === 0 || concerned.some(({ hidden }) => hidden?.has(resource) === true)
  }

  async #part(one: PlacedRequest<BatchRoute>): Promise<BatchPart<InnerAnswer>> {
    const sampled = this.#placed.sampled(one, this.#problems)
    this.#samples.set(one, sampled)
    const call = await this.#checked(one, sampled)
    const { names } = this.#placed
    return {
      as: one.request.as,
      locks: call === undefined || one.target.isRead ? [] : locksOf(one, call.at, call.id, sampled.named),
      run: async ({ db, end, names: ids }) => {
        const stores = this.#asking.stores.in(db, end)
        const isNew = (resource: Resource, id: Id) =>
          [...ids].some(([name, known]) => known === id && names.get(name)?.resource === resource)
        const within = this.#within(one, { ...this.#asking, stores }, { mayWait: false, isNew })
        return await this.#run(one, this.#placed.spelled(one, ids), within)
      },
    }
  }

  /** The call of a request, with what is wrong with it among the problems; undefined if its path is wrong. */
  async #checked(one: PlacedRequest<BatchRoute>, sampled: SampledRequest): Promise<Call | undefined> {
    const inner = this.#inner(one, sampled)
    const add = (found: readonly Problem[]) => {
      const said = found.map((problem) => problemOfRequest(problem, one.index))
      this.#problems.push(...said.filter((problem) => !sampled.isAboutSample(problem)))
    }
    try {
      const operation = operationOf(one, inner)
      const within = this.#within(one, this.#asking, { mayWait: false, isNew: () => false }, true)
      const call = await operation.begin(inner, new InnerReply().asReply, within)
      add(operation.problems(call))
      return call
    } catch (error) {
      if (!(error instanceof CrudError)) throw error
      if (error.code === 'CRUD_ERR_INVALID') add(error.errors)
      return undefined
    }
  }

  async #run(one: PlacedRequest<BatchRoute>, spelled: SpelledRequest, within: Within): Promise<InnerAnswer> {
    const inner = this.#inner(one, spelled)
    const operation = operationOf(one, inner)
    const reply = new InnerReply()
    const call = await operation.begin(inner, reply.asReply, within)
    const answer = await operation.answer(call, false)
    operation.send(reply.asReply, call, answer, false)
    const id = isObject(answer) && 'id' in answer ? (answer.id as Id | undefined) : undefined
    return { id, json: reply.json, reply }
  }

  #inner(one: PlacedRequest<BatchRoute>, spelled: SpelledRequest): FastifyRequest {
    return innerRequest(one, spelled, spelledPath(one, spelled), this.#whole)
  }

  #within(
    { index }: PlacedRequest,
    asking: Requester,
    memory: Pick<Within['memory'], 'mayWait' | 'isNew'>,
    isCheck = false,
  ): Within {
    const answers = this.#answers.get(index) ?? new Map<string, Answered>()
    this.#answers.set(index, answers)
    const noteSight = this.#showsEffects ? (sight: EffectsSight) => void this.#sights.set(index, sight) : undefined
    return { request: this.#whole.request, asking, memory: { ...memory, answers }, isCheck, noteSight }
  }
}

/** Fails with `CRUD_ERR_METHOD` where the application has something of its own in the place of an endpoint. */
function operationOf({ target, index }: PlacedRequest<BatchRoute>, inner: FastifyRequest): RouteOperation {
  const operation = target.operationOf?.(inner)
  if (operation !== undefined) return operation
  const detail = `request ${index}: it is not allowed in a batch: the application has a handler or hooks of its own`
  throw new CrudError({ code: 'CRUD_ERR_METHOD', detail, errors: [], request: index })
}
