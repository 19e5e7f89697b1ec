import { CrudError, type Id, type Problem } from '@fastify-crud/core'
import { type Address, forbidden, type JsonStore, type Mount, resourceOf } from '@fastify-crud/core/internal'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Access, accessOf } from '../access/access.ts'
import { concernedAt, concernedResources } from '../access/concerned-resources.ts'
import { idOfRecord } from '../access/id-of-record.ts'
import { viewsOf, viewsOnce } from '../access/questions.ts'
import type { Asking } from '../access/who-asks.ts'
import type { Limits } from '../options.ts'
import {
  NO_QUERY,
  queryOfGroups,
  queryOfList,
  queryOfMatching,
  queryOfRecord,
  queryOfReplace,
  queryOfWrite,
  type RequestQuery,
} from '../query/request-query.ts'
import type { Service } from '../service.ts'
import { asRecordsSpell, isSpelledFreely } from './as-records-spell.ts'
import { answersPage, type Call, type Endpoint } from './call.ts'
import { clientSignal } from './client-gone.ts'
import { conditionsOf } from './headers/conditions.ts'
import { repeatIn } from './headers/idempotency-key.ts'
import { preferencesOf } from './headers/prefer.ts'
import { isSingle } from './is-single.ts'
import { addressRead } from './link-endpoints.ts'
import { checkEach } from './many/check-each.ts'
import { isOfMany } from './many/is-of-many.ts'
import { tooManyAllowed } from './many/problems-of-many.ts'
import { looksAtRecord } from './on-terms.ts'
import { addressOf } from './request.ts'

/** Reads what requests for an endpoint ask for. */
export interface CallReader {
  /** Reads the path and the headers. */
  begin(request: FastifyRequest, reply: FastifyReply, asking: Asking): Promise<BegunCall>
  /** Reads the query, which a handler may have changed by now. */
  withQuery(call: Call): Call
  /** Asks which of the resources that make a difference to the request it may not see. */
  withInvisible(call: Call, access: Access, store: JsonStore): Promise<Call>
}

/** A request of which the query is not read yet. */
export interface BegunCall {
  readonly call: Call
  /** The id of the record that the request is about; undefined for a list, and where the record is a new one. */
  readonly recordId: Id | undefined
  /** Undefined without `authorize`: nothing is asked. */
  readonly access: Access | undefined
  /** It is asked about each record of the request, once they are known, and not before. */
  readonly asksEach: boolean
  readonly store: JsonStore
}

/** `namesOwner`: who is asked about access is told of the owner, whether the path names it or not. */
export function callReader(
  service: Service,
  mount: Mount,
  endpoint: Endpoint,
  namesOwner = mount.path.resource.authorizedBy === 'owner',
): CallReader {
  const { stores, limits, authorize, replica } = service
  const { resource } = mount.path
  const { operation, action, link } = endpoint
  const isRead = action === 'View'
  const isPage = answersPage(endpoint)
  const asksOwner = namesOwner && mount.path.isTopLevel && authorize !== undefined && operation !== 'list'
  // The resources for which rules run. Of a row that the request may not see, a rule's refusal says nothing.
  const touched = action === 'View' ? [] : stores.touched(resource)
  const pathRead = addressRead(endpoint, { at: { path: mount.path, owners: [] }, id: undefined }).path
  const atEndpoint = concernedAt(pathRead.resource, touched)
  const linked = link === undefined ? [] : [link.target]

  function withQuery(call: Call): Call {
    const { request, queryNames } = call
    if (!isPage && !request.url.includes('?')) return call
    const takenOut = queryNames.filter((name) => !Object.hasOwn(request.query as object, name))
    return { ...call, query: readQuery(endpoint, request.url, takenOut, limits) }
  }

  async function withInvisible(call: Call, access: Access, store: JsonStore): Promise<Call> {
    const { query, asked } = call
    const at = addressRead(endpoint, call)
    if (operation === 'delete' && touched.length === 0 && !looksAtRecord(call)) return call
    const ofRead = query.list ?? query.groups ?? query.record ?? query.matching
    const named = ofRead === undefined ? [] : store.namedBy(at, ofRead)
    const inQuery = named.map((key) => resourceOf(stores.model, key))
    const concerned = concernedResources(operation, { ...call, at }, atEndpoint, [...inQuery, ...touched, ...linked])
    const views =
      concerned === atEndpoint && at.path === pathRead ? viewsOnce(at.path, concerned) : viewsOf(at.path, concerned)
    const hidden = await access.hiddenOf(views)
    if (isPage && linked.some((target) => hidden?.has(target))) {
      throw new CrudError(forbidden(`View of ${at.path.resource.key} is not allowed`, []))
    }
    return hidden === undefined ? call : { ...call, asked: { ...asked, hidden } }
  }

  return {
    async begin(request, reply, { caller, tenant, stores: ofRequest }) {
      const primary = ofRequest.of(caller)
      const store = isRead && replica ? await replica.storeFor(request, primary, caller) : primary
      const requestContext = { request, caller, tenant }
      const spelled = { inPath: addressOf(request, mount), id: endpoint.idOf(request, mount) }
      const { inPath, id } =
        authorize && isSpelledFreely(mount, spelled)
          ? await asRecordsSpell(store, mount, spelled, requestContext)
          : spelled
      const ofMany = isOfMany(endpoint, request)
      const asksEach = asksOwner && ofMany
      const at =
        asksOwner && !ofMany ? await store.locate(inPath, operation, id, request.body, { requestContext }) : inPath
      const recordId = isSingle(operation) ? idOfRecord(resource, id) : undefined
      const origin = { resource: resource.key, id: recordId }
      const accessAt = authorize && ((one: Address) => accessOf(authorize, request, one, { operation, origin, caller }))
      const access = accessAt?.(at)
      if (asksOwner && !ofMany) await access?.refuseUnseen(recordId)
      const hasQuery = request.url.includes('?')
      const mayTakeLong = isPage || (operation === 'findOne' && hasQuery)
      const signal = mayTakeLong ? clientSignal(reply) : undefined
      const note = isRead ? undefined : replica?.notePosition
      const notePosition = note && ((position: string) => note(reply, position))
      const checkRecords = ofMany && accessAt ? checkEach({ store, requestContext, asksOwner, accessAt }) : undefined
      const headerProblems: Problem[] = []
      const conditions = conditionsOf(request.headers, headerProblems)
      const preferences = preferencesOf(request.headers.prefer, headerProblems)
      const tooMany = ofMany ? tooManyAllowed(endpoint, request, preferences, limits) : undefined
      if (tooMany !== undefined) headerProblems.push(tooMany)
      const repeat = isRead ? undefined : repeatIn(request, endpoint, preferences, service, caller, headerProblems)
      const asked = { requestContext, notePosition, permit: access?.permit, signal, repeat, checkRecords }
      const queryNames = hasQuery ? Object.keys(request.query as object) : NONE
      const call = { at, id, request, queryNames, query: NO_QUERY, asked, conditions, preferences, headerProblems }
      return { call, recordId, access, asksEach, store }
    },
    withQuery,
    withInvisible,
  }
}

const NONE: readonly never[] = []

function readQuery(endpoint: Endpoint, url: string, without: readonly string[], limits: Limits): RequestQuery {
  const { operation, suffix } = endpoint
  if (suffix === '/$group') return queryOfGroups(url, without, limits)
  if (suffix === '' && operation === 'replace') return queryOfReplace(url, without)
  if (suffix === '' && (operation === 'patch' || operation === 'delete')) return queryOfMatching(url, without)
  if (answersPage(endpoint)) return queryOfList(url, without, limits)
  return operation === 'findOne' ? queryOfRecord(url, without) : queryOfWrite(url, without)
}
