import { CrudError, type Id, type Problem } from '@fastify-crud/core'
import {
  type Address,
  databaseKey,
  forbidden,
  keepsHistory,
  type Mount,
  mountsOf,
  type Resource,
} from '@fastify-crud/core/internal'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Authorize } from '../access/authorize.ts'
import { hiddenResources } from '../access/hidden-resources.ts'
import { contextOf, NOBODY, type Requester, scopeOf, whoAsksForAll } from '../access/who-asks.ts'
import { offerQuestions } from '../describe/offers.ts'
import { addPath, type PathRoute } from '../http/add-path.ts'
import { composeBegin } from '../http/operations/begin.ts'
import { invalidRequest, pathId } from '../http/request.ts'
import type { RouteHandler } from '../http/route-settings.ts'
import type { RouteTables } from '../http/routes.ts'
import type { CrudOptions } from '../options.ts'
import type { Service } from '../service.ts'
import type { ChangeStreams, StreamSight } from './change-streams.ts'

/** What a client of a route may see of its changes. */
type Look = (request: FastifyRequest, reply: FastifyReply) => Promise<StreamSight>

/** Behind the prefix, a collection or a record. */
const SUFFIX = '/$changes'

/** Adds the routes that tell of changes as they happen: of all, of each collection and of each record of a resource
 * with a history. */
export function addChangeRoutes(
  fastify: FastifyInstance,
  service: Service,
  streams: ChangeStreams,
  { handlers = {}, routes = {} }: Pick<CrudOptions, 'handlers' | 'routes'>,
  { config, documented }: Pick<RouteTables, 'config' | 'documented'>,
): void {
  const { stores, databases } = service
  const add = (url: string, isReplaced: boolean, route: PathRoute) => {
    if (!isReplaced) documented.add('GET', url)
    addPath(fastify, url, new Map(isReplaced ? [] : [['GET', route]]), config)
  }
  const routeOf = (look: Look): PathRoute => {
    const handler = streamHandler(streams, look)
    return { handler: databases?.during(handler) ?? handler, config }
  }
  for (const mount of mountsOf(stores.model)) {
    const { resource } = mount.path
    if (!keepsHistory(resource)) continue
    const replaced = Object.hasOwn(handlers, resource.key) ? handlers[resource.key] : undefined
    const settings = Object.hasOwn(routes, resource.key) ? routes[resource.key]?.changes : undefined
    for (const [suffix, isOfRecord] of [
      [SUFFIX, false],
      [`/:id${SUFFIX}`, true],
    ] as const) {
      const isReplaced = (isOfRecord ? replaced?.findOne : replaced?.list) !== undefined
      const crud = { resource: resource.key, operation: 'changes' }
      const route = { ...routeOf(lookAt(service, mount, isOfRecord)), config: { ...config, crud }, settings }
      add(`${mount.url}${suffix}`, isReplaced, route)
    }
  }
  // It is a further way to all of them, and goes past no handler.
  const all = [...stores.model.resources.values()]
  const replaced = all.filter(({ key }) => {
    const { list, findOne } = (Object.hasOwn(handlers, key) ? handlers[key] : undefined) ?? {}
    return list !== undefined || findOne !== undefined
  })
  const isReplaced = all.every((resource) => !keepsHistory(resource) || replaced.includes(resource))
  add(SUFFIX, isReplaced, routeOf(lookAtAll(service, replaced)))
}

function streamHandler(streams: ChangeStreams, look: Look): RouteHandler {
  return async (request, reply) => {
    const sight = await look(request, reply)
    const problems: Problem[] = []
    const after = positionIn(request, problems)
    if (problems.length > 0) throw invalidRequest(problems)
    if (request.method === 'HEAD') return reply.header('content-type', 'text/event-stream; charset=utf-8').send()
    await streams.open({ reply, sight, after, look: () => look(request, reply) })
    return reply
  }
}

/** The position behind which a client wants to be told of changes; what it was sent last counts more than its URL. */
function positionIn({ url, headers }: FastifyRequest, problems: Problem[]): number | undefined {
  const start = url.indexOf('?')
  const query = start === -1 ? [] : [...new URLSearchParams(url.slice(start + 1))]
  for (const [name] of query) {
    if (name !== 'after') {
      problems.push({ parameter: name, message: "is not known; there is 'after'", keyword: 'additionalProperties' })
    }
  }
  const last = headers['last-event-id']
  const [parameter, value] =
    last === undefined || last === ''
      ? ['after', query.find(([name]) => name === 'after')?.[1]]
      : ['Last-Event-ID', String(last)]
  if (value === undefined) return undefined
  if (!/^\d{1,15}$/.test(value)) {
    problems.push({ parameter, message: 'must be the id of an event, an integer', keyword: 'type' })
    return undefined
  }
  return Number(value)
}

/** What a client may see of a collection, or of one record. Fails where it may not see it. */
function lookAt(service: Service, mount: Mount, isOfRecord: boolean): Look {
  const { resource } = mount.path
  const terms = { authorizesByOwner: resource.authorizedBy === 'owner' }
  const ofPath = isOfRecord ? ({ operation: 'history', idOf: pathId } as const) : ({ operation: 'list' } as const)
  const begin = composeBegin(service, mount, terms, { ...ofPath, action: 'changes' })
  const findHidden = hiddenResources(service, mount.path, [...service.stores.model.resources.values()])
  return async (request, reply) => {
    const call = await begin(request, reply)
    const { access, at, id, asking, store, headerProblems } = call
    await access?.check('View', call.recordId)
    if (headerProblems.length > 0) throw invalidRequest(headerProblems)
    const hidden = await findHidden?.(call, at, undefined)
    const sight = sightOf(service, asking, request, { at, id }, hidden)
    const checkGone = access && (() => access.check('Delete', call.recordId))
    await store.checkFollowed(at, id, { ...sight.asked, checkGone })
    return sight
  }
}

/** What a client may see of all records but those of `replaced`. Fails where it may see none that have a history. */
function lookAtAll(service: Service, replaced: readonly Resource[]): Look {
  const { authorize, stores } = service
  const asks = whoAsksForAll(service)
  const all = [...stores.model.resources.values()]
  const questions = authorize && offerQuestions(all)
  return async (request) => {
    const asking = await asks(request)
    const unseen =
      questions && authorize && (await unseenOf(authorize, request, asking.caller ?? NOBODY, questions, all))
    const hidden = new Set([...replaced, ...(unseen ?? [])])
    const seen = all.filter((resource) => keepsHistory(resource) && !hidden.has(resource))
    if (seen.length === 0) throw new CrudError(forbidden('View of what has a history is not allowed', []))
    return sightOf(service, asking, request, { at: undefined, id: undefined }, hidden)
  }
}

/** The resources of which the application does not let a client see any records. */
async function unseenOf(
  authorize: Authorize,
  request: FastifyRequest,
  caller: object,
  questions: ReturnType<typeof offerQuestions>,
  all: readonly Resource[],
): Promise<ReadonlySet<Resource>> {
  const answers = new Map<string, boolean>()
  const hidden = new Set<Resource>()
  for (const resource of all) {
    for (const { action, resource: asked, pair } of questions.of(resource, 'View')) {
      const question = { action, resource: asked.key, id: undefined, operation: 'changes', caller }
      const origin = { resource: resource.key, id: undefined }
      if (!answers.has(pair)) answers.set(pair, (await authorize(request, { ...question, origin })) === true)
      if (answers.get(pair) !== true) hidden.add(resource)
    }
  }
  return hidden
}

interface Followed {
  readonly at: Address | undefined
  readonly id: Id | undefined
}

function sightOf(
  { stores: { sightKey } }: Service,
  asking: Requester,
  request: FastifyRequest,
  { at, id }: Followed,
  hidden: ReadonlySet<Resource> | undefined,
): StreamSight {
  const { caller, db, stores } = asking
  const hides = (resource: Resource) => hidden?.has(resource) === true
  const path = at && [...at.path.relations.map(({ source, name }) => [source.key, name]), at.path.resource.key]
  const names = [...(hidden ?? [])].map(({ key }) => key).sort()
  const key = JSON.stringify([databaseKey(db), sightKey(caller), scopeOf(asking), path, at?.owners, id, names])
  return {
    key,
    store: stores.of(caller),
    scope: { at, id, hides },
    asked: { requestContext: contextOf(request, asking), effects: { areAnswer: false, hides } },
  }
}
