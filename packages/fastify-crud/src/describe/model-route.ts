import { hash } from 'node:crypto'
import { CrudError } from '@fastify-crud/core'
import { etagOf, type Stores } from '@fastify-crud/core/internal'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { anybody, NOBODY, type Requester, reachOf, requesterOf } from '../access/who-asks.ts'
import { addPath } from '../http/add-path.ts'
import { conditionsOf, namesState, refusalOfMatch } from '../http/headers/conditions.ts'
import { maySendKeys } from '../http/headers/idempotency-key.ts'
import { vary } from '../http/headers/prefer.ts'
import { sendJson, tagOf } from '../http/operations/operation.ts'
import { invalidRequest } from '../http/request.ts'
import type { CrudOptions } from '../options.ts'
import { queryOfWrite } from '../query/request-query.ts'
import type { Service } from '../service.ts'
import { type DescribedService, describeModel } from './describe-model.ts'
import type { ModelDocument } from './model-document.ts'
import { askOffers, offerQuestions, withinTime } from './offers.ts'
import { type Sight, sightOf, WHOLE } from './sight.ts'

/** Where a service describes itself, behind the prefix. */
export const MODEL_PATH = '/$model'

/** What of a service its description is made of. */
export function describedService(
  { model, actions, writesMore }: Stores,
  limits: Service['limits'],
  { handlers = {}, batch = false, changes = false }: Pick<CrudOptions, 'handlers' | 'batch' | 'changes'>,
): DescribedService {
  return { model, actions, limits, handlers, hasBatches: batch, hasChanges: changes !== false, writesMore }
}

/** Equal for services whose clients may go on as they are. */
export function modelHash(service: DescribedService): string {
  const values = [...service.model.resources.values()].flatMap(({ fields, computed }) => [...fields, ...computed])
  // Who may see and set a field is in no description, and changes what clients are shown.
  const access = values.map((value) => value.access ?? null)
  return hash('sha256', JSON.stringify([describeModel(service, WHOLE), access]), 'base64url').slice(0, HASH_LENGTH)
}

const HASH_LENGTH = 24

/** The answers that are kept: one for all callers with the same rights whom the same is offered. */
const MOST_ANSWERS = 20

/** Adds the route by which the service describes itself to each caller. */
export function addModelRoute(
  fastify: FastifyInstance,
  service: Service & { readonly modelHash: string },
  described: DescribedService,
  config: object,
): void {
  const { authorize, databases, modelHash } = service
  const asks = requesterOf(service, false)
  const questions = authorize && offerQuestions(described.model.resources.values())
  const keyed = new WeakSet<Stores>()
  const answers = new Map<string, string>()

  /** Whether the caller's writes may have keys. */
  const takesKeys = async ({ stores, caller }: Requester): Promise<boolean> => {
    if (!maySendKeys(service, caller)) return false
    if (keyed.has(stores)) return true
    const knows = await withinTime(stores.knowsRepeats(), false).catch(() => false)
    if (knows) keyed.add(stores)
    return knows
  }

  const describe = async (request: FastifyRequest): Promise<string> => {
    const asking = asks === undefined ? anybody(service) : await asks(request)
    const { stores, caller } = asking
    const reach = reachOf(asking)
    const [offers, idempotency] = await Promise.all([
      questions && authorize && askOffers(authorize, request, caller ?? NOBODY, questions),
      takesKeys(asking),
    ])
    const rights = stores.rightsOf(caller)
    const said = questions && offers ? questions.all.map((one) => (offers.isYes(one) ? '1' : '0')).join('') : ''
    const key = [rights.key, reach.key, idempotency, said].join(' ')
    const kept = answers.get(key)
    if (kept !== undefined) return kept
    const ofRights = sightOf(rights, reach)
    const sight: Sight = {
      ...ofRights,
      offers: (resource, actions) =>
        ofRights.offers(resource, actions) && actions.every((action) => offers?.allows(resource, action) !== false),
    }
    const { model, ...description } = describeModel(described, sight)
    const document: ModelDocument = { model, hash: modelHash, ...(idempotency && { idempotency }), ...description }
    const json = JSON.stringify(document)
    if (answers.size === MOST_ANSWERS) answers.clear()
    answers.set(key, json)
    return json
  }

  const handler = async (request: FastifyRequest, reply: FastifyReply) => {
    const problems = [...queryOfWrite(request.url, []).problems]
    const conditions = conditionsOf(request.headers, problems)
    if (problems.length > 0) throw invalidRequest(problems)
    const json = await describe(request)
    const tag = tagOf(reply) ?? etagOf(json)
    reply.header('etag', tag)
    if (!reply.hasHeader('cache-control')) reply.header('cache-control', 'private, no-cache')
    for (const header of ['Authorization', 'Cookie']) vary(reply, header)
    const state = { exists: true, tag }
    const refusal = refusalOfMatch(conditions, state)
    if (refusal !== undefined) throw new CrudError(refusal)
    return namesState(conditions, state) ? reply.code(304).send() : sendJson(reply, 200, json)
  }
  addPath(fastify, MODEL_PATH, new Map([['GET', { handler: databases?.during(handler) ?? handler, config }]]), config)
}
