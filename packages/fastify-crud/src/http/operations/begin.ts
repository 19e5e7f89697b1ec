import type { Id, Problem } from '@fastify-crud/core'
import {
  type Address,
  deletedPath,
  type JsonStore,
  type Mount,
  type Operation,
  type Repeat,
  type Resource,
  reads,
} from '@fastify-crud/core/internal'
import type { FastifyRequest } from 'fastify'
import { accessAt, asksOwner } from '../../access/check-each.ts'
import { idOfRecord } from '../../access/questions.ts'
import { anybody, contextOf, whoAsks } from '../../access/who-asks.ts'
import { askedWithin, type Within } from '../../access/within.ts'
import type { Limits } from '../../options.ts'
import type { Service } from '../../service.ts'
import { clientSignal } from '../client-gone.ts'
import { conditionsOf } from '../headers/conditions.ts'
import { effectsMatchOf } from '../headers/effects-match.ts'
import { type Preferences, preferencesOf } from '../headers/prefer.ts'
import { addressOf } from '../request.ts'
import type { OperationTerms, RouteOperation } from './operation.ts'

/** How the requests for an operation begin. */
export interface BeginTerms {
  readonly operation: Operation
  /** The action of the application's, which who is asked about access is told in place of the operation. */
  readonly action?: string
  /** The id that a request names; absent where it names none. */
  readonly idOf?: (request: FastifyRequest, mount: Mount) => Id | undefined
  /** It is about as many records as a body or a filter names: who is asked about access is asked about each of them. */
  readonly isOfMany?: boolean
  /** A client that goes away ends such a request. */
  readonly endsWithClient?: (request: FastifyRequest) => boolean
  /** Finds what is wrong with a preference. */
  readonly preferenceProblem?: (preferences: Preferences, limits: Limits) => Problem | undefined
  /** Only in a batch may the request have such a key of its own: alone, to do it twice is the same as once. */
  readonly isRepeatableAlone?: boolean
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
  terms: BeginTerms,
): RouteOperation['begin'] {
  const { operation, action, idOf, isOfMany = false, endsWithClient, preferenceProblem, repeatIn } = terms
  const { isRepeatableAlone = true } = terms
  const { authorize, limits } = service
  const { path } = mount
  const { resource } = path
  const asks = whoAsks(service, resource, operation)
  const asksWithin = askedWithin(service, resource, operation)
  const somebody = anybody(service)
  const replica = action === undefined && reads(operation) ? service.replica : undefined
  const isOfRecord = operation !== 'list' && operation !== 'create'
  const locates = asksOwner(service, mount, operation, authorizesByOwner) && !isOfMany
  const isWrite = action !== undefined || !reads(operation)
  const spells = authorize !== undefined && mayBeSpelledFreely(mount)

  const whoIs = async (request: FastifyRequest, within: Within | undefined) => {
    if (within !== undefined) return asksWithin(within)
    return asks === undefined ? somebody : await asks(request)
  }

  return async (request, reply, within) => {
    const asking = await whoIs(request, within)
    const isCheck = within?.isCheck === true
    const { caller, stores } = asking
    const primary = stores.of(caller)
    const store =
      replica === undefined || within !== undefined ? primary : await replica.storeFor(request, primary, caller)
    const requestContext = contextOf(within?.request ?? request, asking)
    const named = { inPath: addressOf(request, mount), id: idOf?.(request, mount) }
    const { inPath, id } =
      spells && !isCheck && isSpelledFreely(mount, named)
        ? await asRecordsSpell(store, mount, named, requestContext)
        : named
    const located =
      locates && !isCheck ? await store.locate(inPath, operation, id, request.body, { requestContext }) : inPath
    const at = operation === 'deleted' ? { ...located, path: deletedPath(located.path) } : located
    const recordId = isOfRecord ? idOfRecord(resource, id) : undefined
    const origin = { operation: action ?? operation, recordId, resource, asking, within }
    const access = authorize && !isCheck ? accessAt(authorize, request, at, origin) : undefined
    if (locates) await access?.refuseUnseen(recordId)
    const headerProblems: Problem[] = []
    const conditions = conditionsOf(request.headers, headerProblems)
    const preferences = preferencesOf(request.headers.prefer, headerProblems)
    const effectsMatch = isWrite ? effectsMatchOf(request.headers, headerProblems) : undefined
    const problem = preferenceProblem?.(preferences, limits)
    if (problem !== undefined) headerProblems.push(problem)
    const mayRepeat = isRepeatableAlone || within !== undefined
    const repeat = mayRepeat ? repeatIn?.(request, preferences, caller, headerProblems) : undefined
    const endsEarly = within === undefined && endsWithClient?.(request) === true
    const signal = endsEarly ? clientSignal(reply) : undefined
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
      effectsMatch,
      repeat,
      signal,
      headerProblems,
      within,
    }
  }
}

const NONE: readonly never[] = []

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
