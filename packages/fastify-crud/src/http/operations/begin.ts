import type { Id, Problem } from '@fastify-crud/core'
import type { Address, Asked, JsonStore, Mount, Operation, Repeat, Resource } from '@fastify-crud/core/internal'
import type { FastifyRequest } from 'fastify'
import { Access } from '../../access/access.ts'
import { ACTION_OF, type Authorize } from '../../access/authorize.ts'
import { idOfRecord } from '../../access/questions.ts'
import { anybody, type Requester, whoAsks } from '../../access/who-asks.ts'
import type { Limits } from '../../options.ts'
import type { Service } from '../../service.ts'
import { clientSignal } from '../client-gone.ts'
import { conditionsOf } from '../headers/conditions.ts'
import { type Preferences, preferencesOf } from '../headers/prefer.ts'
import { addressOf } from '../request.ts'
import type { Call, OperationTerms, RouteOperation } from './operation.ts'

/** How the requests for an operation begin. */
export interface BeginTerms {
  readonly operation: Operation
  /** The id that a request names; absent where it names none. */
  readonly idOf?: (request: FastifyRequest, mount: Mount) => Id | undefined
  /** It is about as many records as a body or a filter names: who is asked about access is asked about each of them. */
  readonly isOfMany?: boolean
  /** A client that goes away ends such a request. */
  readonly endsWithClient?: (request: FastifyRequest) => boolean
  /** Finds what is wrong with a preference. */
  readonly preferenceProblem?: (preferences: Preferences, limits: Limits) => Problem | undefined
  /** Reads by what a request is known if it is sent again. Adds what is wrong with the header to the problems. */
  readonly repeatIn?: (
    request: FastifyRequest,
    preferences: Preferences,
    caller: object | undefined,
    problems: Problem[],
  ) => Repeat | undefined
}

/** The first stages of an operation: who asks, address, headers. */
export function composeBegin(
  service: Service,
  mount: Mount,
  { authorizesByOwner }: OperationTerms,
  { operation, idOf, isOfMany = false, endsWithClient, preferenceProblem, repeatIn }: BeginTerms,
): RouteOperation['begin'] {
  const { authorize, limits } = service
  const { path } = mount
  const { resource } = path
  const asks = whoAsks(service, resource, operation)
  const somebody = anybody(service)
  const replica = operation === 'list' || operation === 'findOne' ? service.replica : undefined
  const isOfRecord = operation !== 'list' && operation !== 'create'
  const locates = asksOwner(service, mount, operation, authorizesByOwner) && !isOfMany
  const spells = authorize !== undefined && mayBeSpelledFreely(mount)

  return async (request, reply) => {
    const asking = asks === undefined ? somebody : await asks(request)
    const { caller, tenant, stores } = asking
    const primary = stores.of(caller)
    const store = replica === undefined ? primary : await replica.storeFor(request, primary, caller)
    const requestContext = { request, caller, tenant }
    const named = { inPath: addressOf(request, mount), id: idOf?.(request, mount) }
    const { inPath, id } =
      spells && isSpelledFreely(mount, named) ? await asRecordsSpell(store, mount, named, requestContext) : named
    const at = locates ? await store.locate(inPath, operation, id, request.body, { requestContext }) : inPath
    const recordId = isOfRecord ? idOfRecord(resource, id) : undefined
    const access = authorize && accessAt(authorize, request, at, { operation, recordId, resource, asking })
    if (locates) await access?.refuseUnseen(recordId)
    const headerProblems: Problem[] = []
    const conditions = conditionsOf(request.headers, headerProblems)
    const preferences = preferencesOf(request.headers.prefer, headerProblems)
    const problem = preferenceProblem?.(preferences, limits)
    if (problem !== undefined) headerProblems.push(problem)
    const repeat = repeatIn?.(request, preferences, caller, headerProblems)
    const signal = endsWithClient?.(request) === true ? clientSignal(reply) : undefined
    const queryNames = request.url.includes('?') ? Object.keys(request.query as object) : NONE
    return {
      request,
      reply,
      asking,
      requestContext,
      store,
      at,
      id,
      recordId,
      access,
      queryNames,
      conditions,
      preferences,
      repeat,
      signal,
      headerProblems,
    }
  }
}

const NONE: readonly never[] = []

/** Whether who is asked about access is told of an owner that the path does not name. */
export function asksOwner(
  { authorize }: Service,
  { path }: Mount,
  operation: Operation,
  authorizesByOwner: boolean,
): boolean {
  return authorize !== undefined && authorizesByOwner && path.isTopLevel && operation !== 'list'
}

/** What a question about access needs besides the address. */
interface QuestionOrigin {
  readonly operation: Operation
  readonly recordId: Id | undefined
  readonly resource: Resource
  readonly asking: Requester
}

/** Asks about one address of a request. */
export function accessAt(
  authorize: Authorize,
  request: FastifyRequest,
  at: Address,
  { operation, recordId, resource, asking }: QuestionOrigin,
): Access {
  const origin = { resource: resource.key, id: recordId }
  return new Access(authorize, request, at, { operation, origin, caller: asking.caller })
}

// A column of UUIDs or of moments finds its record by any spelling, but an application compares ids as texts.

/** The ids that a request names. */
interface PathIds {
  readonly inPath: Address
  readonly id: Id | undefined
}

/** Whether requests to a mount may name records in a spelling that columns take, but do not print. */
function mayBeSpelledFreely({ path, owners }: Mount): boolean {
  return [path.resource, ...owners.map(({ owns }) => owns.source)].some(({ id }) => id.isSpelledFreely !== undefined)
}

/** Whether one of the ids may have another spelling in its record. */
function isSpelledFreely({ path, owners }: Mount, { inPath, id }: PathIds): boolean {
  const isFree = ({ id: kind }: Resource, one: Id | undefined) =>
    one !== undefined && kind.fromJson(one) !== undefined && kind.isSpelledFreely?.(one) === true
  return (
    isFree(path.resource, id) || inPath.owners.some((one, level) => isFree(owners[level]?.owns.source as Resource, one))
  )
}

/** The ids as the records have them. */
async function asRecordsSpell(
  store: JsonStore,
  { path, owners }: Mount,
  { inPath, id }: PathIds,
  requestContext: object,
): Promise<PathIds> {
  const spell = (resource: Resource, one: Id) => store.asSpelled(resource, one, { requestContext })
  const above = await Promise.all(inPath.owners.map((one, level) => spell(owners[level]?.owns.source as Resource, one)))
  return { inPath: { ...inPath, owners: above }, id: id === undefined ? undefined : await spell(path.resource, id) }
}

/** How the application is asked about the records of a write of many. */
interface RecordCheck {
  /** The questions are about owners, which the path does not name: none can be asked before they are known. */
  readonly asksOwner: boolean
  of(call: Call): Asked['checkRecords']
}

/** Asks the application about each record that a write of many names, as if each were written alone. */
export function checkEach(
  service: Service,
  mount: Mount,
  operation: Operation,
  authorizesByOwner: boolean,
  authorize: Authorize,
): RecordCheck {
  const { resource } = mount.path
  const ofOwner = asksOwner(service, mount, operation, authorizesByOwner)
  return {
    asksOwner: ofOwner,
    of: ({ request, requestContext, store, asking, recordId }) => {
      const access = (at: Address) => accessAt(authorize, request, at, { operation, recordId, resource, asking })
      return async (at, records) => {
        const atPath = access(at)
        for (const one of records) {
          const action = ACTION_OF[one.operation]
          const id = one.operation === 'create' ? undefined : idOfRecord(at.path.resource, one.id)
          if (!ofOwner) {
            await atPath.check(action, id)
            continue
          }
          const isNew = one.operation === 'create'
          const located = isNew ? one.at : await store.locate(at, one.operation, one.id, undefined, { requestContext })
          const atOwner = access(located)
          await atOwner.refuseUnseen(id)
          await atOwner.check(action, id)
        }
      }
    },
  }
}
