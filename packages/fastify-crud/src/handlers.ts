import type { Id, Problem } from '@fastify-crud/core'
import {
  type Address,
  type JsonStore,
  type Operation,
  type Resource,
  resourceOf,
  type ShownResources,
  type Stores,
} from '@fastify-crud/core/internal'
import type { Mount } from '@fastify-crud/core/schema'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Access, accessOf } from './access.ts'
import { type Answer, jsonOf } from './answer.ts'
import { checkedCaller } from './caller.ts'
import { concernedAt, concernedResources } from './concerned-resources.ts'
import { conditionsOf } from './conditions.ts'
import { answerOf, type Call, type Endpoint } from './endpoints.ts'
import { idOfRecord } from './id-of-record.ts'
import { jsonText } from './json-text.ts'
import { looksAtRecord } from './on-terms.ts'
import { type Authorize, type CallerOf, isSingle, type Limits } from './options.ts'
import { preferencesOf } from './prefer.ts'
import { viewsOf, viewsOnce } from './questions.ts'
import type { ReplacedEndpoint } from './replaced-endpoint.ts'
import { addressOf } from './request.ts'
import { NO_QUERY, queryOfList, queryOfRecord, queryOfWrite, type RequestQuery } from './request-query.ts'
import { collectionUrl, sayApplied, send } from './send.ts'

/** What every handler of a registration works with. */
export interface Service {
  readonly stores: Stores
  readonly limits: Limits
  readonly prefix: string
  readonly caller: CallerOf | undefined
  readonly authorize: Authorize | undefined
}

export type RouteHandler = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>

/** The handler of a predefined endpoint: access, then store, then reply. */
export function predefinedHandler(service: Service, mount: Mount, endpoint: Endpoint): RouteHandler {
  const { prefix, caller: callerOf } = service
  const collection = collectionUrl(prefix, mount)
  const concerned = concernedAt(mount.path.resource, touchedAt(service, mount, endpoint))
  return async (request, reply) => {
    const caller = callerOf && checkedCaller(await callerOf(request))
    const { call: unread, access, store } = readCall(service, mount, endpoint, request, caller)
    if (access !== undefined) await access.check(endpoint.action, recordId(endpoint, unread))
    const read = withQuery(endpoint, service, unread)
    const call = access === undefined ? read : await withHidden(endpoint, service, store, read, access, concerned)
    const answer = await answerOf(endpoint, store, call)
    return send(reply, { endpoint, call, collection, isChanged: false }, answer)
  }
}

/** The handler of an endpoint that the application replaced. */
export function replacedHandler(
  service: Service,
  mount: Mount,
  endpoint: Endpoint,
  { access: declared, handler }: ReplacedEndpoint,
): RouteHandler {
  const { prefix, caller: callerOf } = service
  const { operation } = endpoint
  const collection = collectionUrl(prefix, mount)
  const concerned = concernedAt(mount.path.resource, touchedAt(service, mount, endpoint))
  return async (request, reply) => {
    const caller = callerOf && checkedCaller(await callerOf(request))
    const { call, access, store } = readCall(service, mount, endpoint, request, caller)
    const id = declared.id === 'id' ? idOfRecord(call.at.path.resource, call.id) : ownerId(call.at, mount, declared.id)
    await access?.check(declared.action, id)

    const ask = async () => {
      await access?.check(endpoint.action, recordId(endpoint, call))
      const read = withQuery(endpoint, service, call)
      const asked = access === undefined ? read : await withHidden(endpoint, service, store, read, access, concerned)
      const answer = await answerOf(endpoint, store, asked, { mustRead: true })
      // The handler may answer itself.
      if (endpoint.action !== 'View' && !reply.sent) sayApplied(reply, call.preferences, 'none')
      return answer
    }
    let predefined: Promise<AnswerWithResult> | undefined
    const next = (): Promise<unknown> => {
      predefined ??= withResult(ask)
      const result = predefined.then((one) => one.result)
      // A handler need not wait for it. What goes wrong is not lost: it is answered or logged below.
      result.catch(() => undefined)
      return result
    }
    let returned: unknown
    try {
      returned = await handler(request, reply, next)
    } catch (error) {
      await settled(predefined, request, error)
      throw error
    }
    if (reply.sent) {
      await settled(predefined, request)
      return reply
    }
    if (predefined === undefined) {
      const hint = returned === undefined ? '' : '; what it returns is not sent: use reply.send()'
      throw new Error(
        `the handler of ${mount.path.resource.key}.${operation} neither answered nor called next()${hint}`,
      )
    }
    const { answer, result, text } = await predefined
    const json = jsonText(result)
    const isChanged = json !== text
    const sending = { endpoint, call, collection, isChanged }
    if (!isChanged) return send(reply, sending, answer)
    return send(reply, sending, typeof answer === 'object' ? { ...answer, json } : json)
  }
}

/** Reads what a request asks for. Without `authorize`, nothing is asked about access. */
function readCall(
  { stores, authorize }: Service,
  mount: Mount,
  endpoint: Endpoint,
  request: FastifyRequest,
  caller: object | undefined,
): { readonly call: Call; readonly access: Access | undefined; readonly store: JsonStore } {
  const at = addressOf(request, mount)
  const id = endpoint.idOf(request, mount)
  const { operation } = endpoint
  const origin = { resource: mount.path.resource.key, id: recordId(endpoint, { at, id }) }
  const access = authorize && accessOf(authorize, request, at, { operation, origin, caller })
  const asked = { requestContext: { request, caller }, permit: access?.permit }
  const headerProblems: Problem[] = []
  const conditions = conditionsOf(request.headers, headerProblems)
  const preferences = preferencesOf(request.headers.prefer, headerProblems)
  const queryNames = Object.keys(request.query as object)
  const call = { at, id, request, queryNames, query: NO_QUERY, asked, conditions, preferences, headerProblems }
  return { call, access, store: stores.of(caller) }
}

/** Reads the query, which a handler may have changed by now. */
function withQuery({ operation }: Endpoint, { limits }: Service, call: Call): Call {
  const { request, queryNames } = call
  if (operation !== 'list' && !request.url.includes('?')) return call
  const takenOut = queryNames.filter((name) => !Object.hasOwn(request.query as object, name))
  return { ...call, query: readQuery(operation, request.url, takenOut, limits) }
}

/** The resources for which rules run. Of a row that the request may not see, a rule's refusal says nothing. */
function touchedAt({ stores }: Service, { path }: Pick<Mount, 'path'>, { action }: Endpoint): readonly Resource[] {
  return action === 'View' ? [] : stores.touched(path.resource)
}

/** Asks which of the resources that make a difference to the request it may not see. */
async function withHidden(
  endpoint: Endpoint,
  service: Service,
  store: JsonStore,
  call: Call,
  access: Access,
  atEndpoint: ShownResources,
): Promise<Call> {
  const { operation } = endpoint
  const { at, query, asked } = call
  const touched = touchedAt(service, at, endpoint)
  if (operation === 'delete' && touched.length === 0 && !looksAtRecord(call)) return call
  const ofRead = query.list ?? query.record
  const named = ofRead === undefined ? [] : store.namedBy(at, ofRead)
  const inQuery = named.map((key) => resourceOf(service.stores.model, key))
  const concerned = concernedResources(operation, call, atEndpoint, [...inQuery, ...touched])
  const views = concerned === atEndpoint ? viewsOnce(at.path, concerned) : viewsOf(at.path, concerned)
  const hidden = await access.hiddenOf(views)
  return hidden === undefined ? call : { ...call, asked: { ...asked, hidden } }
}

function readQuery(operation: Operation, url: string, without: readonly string[], limits: Limits): RequestQuery {
  if (operation === 'list') return queryOfList(url, without, limits)
  return operation === 'findOne' ? queryOfRecord(url, without) : queryOfWrite(url, without)
}

/** The id of the record that a request is about; undefined for a list, and where the record is a new one. */
function recordId({ operation }: Endpoint, { at, id }: Pick<Call, 'at' | 'id'>): Id | undefined {
  return isSingle(operation) ? idOfRecord(at.path.resource, id) : undefined
}

interface AnswerWithResult {
  readonly answer: Answer
  /** What it says, for a handler to change. */
  readonly result: unknown
  /** The result's own JSON, by which a change of it is found. */
  readonly text: string | undefined
}

async function withResult(ask: () => Promise<Answer>): Promise<AnswerWithResult> {
  const answer = await ask()
  const json = jsonOf(answer)
  const result: unknown = json === undefined ? undefined : JSON.parse(json)
  return { answer, result, text: jsonText(result) }
}

/** Waits for the predefined endpoint, whose answer nobody gets any more; `passedOn`: the error that is answered instead. */
async function settled(
  predefined: Promise<unknown> | undefined,
  request: FastifyRequest,
  passedOn?: unknown,
): Promise<void> {
  try {
    await predefined
  } catch (error) {
    if (error === passedOn) return
    request.log.error({ err: error }, 'the predefined endpoint failed, and the handler has answered otherwise')
  }
}

function ownerId(at: Address, { owners }: Mount, param: string | undefined): Id | undefined {
  const level = owners.findIndex((owner) => owner.param === param)
  const owner = owners[level]
  return owner === undefined ? undefined : idOfRecord(owner.owns.source, at.owners[level])
}
