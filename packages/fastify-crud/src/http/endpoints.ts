import { CrudError, type Id, type Problem } from '@fastify-crud/core'
import {
  type GroupRequest,
  type JsonStore,
  type ListRequest,
  type Operation,
  preconditionRequired,
} from '@fastify-crud/core/internal'
import { type Answer, jsonOf, visible } from './answer.ts'
import type { Call, Endpoint } from './call.ts'
import type { BegunCall, CallReader } from './call-reader.ts'
import { refusalOfMatch } from './headers/conditions.ts'
import { tagOfAnswer } from './headers/etag.ts'
import { addressRead, problemsOfBody } from './link-endpoints.ts'
import { createOneOrMany, deleteMany, patchMany, replaceOneOrMany } from './many/answers.ts'
import { isOfMany } from './many/is-of-many.ts'
import { problemsOfMany } from './many/problems-of-many.ts'
import { onTerms } from './on-terms.ts'
import { bodyId, invalidRequest, pathId } from './request.ts'

const none = (): undefined => undefined

/** The endpoints of every resource. */
export const ENDPOINTS: readonly Endpoint[] = [
  {
    method: 'GET',
    operation: 'list',
    action: 'View',
    suffix: '',
    status: 200,
    idOf: none,
    answer: (store, { at, query, asked }) => store.list(at, query.list as ListRequest, asked),
  },
  {
    method: 'GET',
    operation: 'list',
    action: 'View',
    suffix: '/$group',
    status: 200,
    idOf: none,
    answer: (store, { at, query, asked }) => store.group(at, query.groups as GroupRequest, asked),
  },
  {
    method: 'GET',
    operation: 'findOne',
    action: 'View',
    suffix: '/:id',
    status: 200,
    idOf: pathId,
    answer: (store, { at, id, query, asked }) => store.find(at, id as Id, query.record, asked),
  },
  {
    method: 'POST',
    operation: 'create',
    action: 'Add',
    suffix: '',
    status: 201,
    idOf: none,
    answer: createOneOrMany,
  },
  {
    method: 'POST',
    operation: 'create',
    action: 'Add',
    suffix: '/:id',
    status: 201,
    idOf: pathId,
    answer: (store, { at, id, request, asked }) => store.create(at, request.body, id, asked),
  },
  {
    method: 'PUT',
    operation: 'replace',
    action: 'Edit',
    suffix: '/:id',
    status: 200,
    idOf: pathId,
    answer: (store, { at, id, request, asked }) => store.replace(at, id, request.body, asked),
  },
  {
    method: 'PUT',
    operation: 'replace',
    action: 'Edit',
    suffix: '',
    status: 200,
    idOf: bodyId,
    answer: replaceOneOrMany,
  },
  {
    method: 'PATCH',
    operation: 'patch',
    action: 'Edit',
    suffix: '',
    status: 200,
    idOf: none,
    answer: patchMany,
  },
  {
    method: 'DELETE',
    operation: 'delete',
    action: 'Delete',
    suffix: '',
    status: 200,
    idOf: none,
    answer: deleteMany,
  },
  {
    method: 'PATCH',
    operation: 'patch',
    action: 'Edit',
    suffix: '/:id',
    status: 200,
    idOf: pathId,
    answer: (store, { at, id, request, asked }) => store.patch(at, id as Id, request.body, asked),
  },
  {
    method: 'DELETE',
    operation: 'delete',
    action: 'Delete',
    suffix: '/:id',
    status: 204,
    idOf: pathId,
    async answer(store, { at, id, asked }) {
      await store.delete(at, id as Id, asked)
      return undefined
    },
  },
]

/**
 * Runs a predefined endpoint: access, then the query, then the store. Headers and a query that it does not take are refused, together with
 * all that is wrong with the body. The answer has no records that the request may not see. `mustRead`: a write reads the record even if
 * the client does not want it.
 */
export async function answerOf(
  endpoint: Endpoint,
  reader: CallReader,
  begunCall: BegunCall,
  { mustRead }: { readonly mustRead: boolean } = AS_THE_CLIENT_WANTS,
): Promise<Answer> {
  const { call: begun, access, store } = begunCall
  await checkAccess(endpoint, begunCall)
  const read = reader.withQuery(begun)
  const call = access === undefined ? read : await reader.withInvisible(read, access, store)
  checkRequest(endpoint, store, call)
  const answer = await endpoint.answer(store, onTerms(endpoint, call, mustRead))
  const { hidden } = call.asked
  const shown = hidden === undefined ? answer : visible(answer, addressRead(endpoint, call).path.resource, hidden)
  if (endpoint.action === 'View' && call.conditions.ifMatch !== undefined) {
    const state = { exists: true, tag: tagOfAnswer(endpoint, call, jsonOf(shown) as string) }
    const refusal = refusalOfMatch(call.conditions, state)
    if (refusal !== undefined) throw new CrudError(refusal)
  }
  return shown
}

const AS_THE_CLIENT_WANTS = { mustRead: false }

/** Whether the application lets the request do what it is for, as far as that is known before anything is read. */
async function checkAccess({ action }: Endpoint, { access, recordId, asksEach, call }: BegunCall): Promise<void> {
  if (access === undefined || asksEach) return
  await access.check(action, recordId)
  // A PUT by unique values may create the record.
  if (action === 'Edit' && Object.hasOwn(call.request.query as object, 'by')) await access.check('Add', undefined)
}

function checkRequest(endpoint: Endpoint, store: JsonStore, call: Call): void {
  const { query, headerProblems } = call
  const ofMany = problemsOfMany(endpoint, call)
  if (headerProblems.length + query.problems.length + ofMany.length > 0) {
    const others = otherProblems(endpoint, store, call)
    throw invalidRequest([...headerProblems, ...query.problems, ...ofMany, ...others])
  }
  if (!lacksIfMatch(endpoint, call)) return
  const ofBody = otherProblems(endpoint, store, call)
  if (ofBody.length > 0) throw invalidRequest(ofBody)
  const { key } = call.at.path.resource
  throw new CrudError(preconditionRequired(`send If-Match, with the ETag of the ${key} as you have read it`))
}

function lacksIfMatch({ operation }: Endpoint, { at, conditions }: Call): boolean {
  return at.path.resource.ifMatch === 'required' && changesRecord(operation) && conditions.ifMatch === undefined
}

/** Whether it changes or removes a record that is there. */
function changesRecord(operation: Operation): boolean {
  return operation !== 'create' && operation !== 'list' && operation !== 'findOne'
}

/** What is wrong with the body of a write or the query of a list, as far as the model tells. */
function otherProblems(endpoint: Endpoint, store: JsonStore, call: Call): readonly Problem[] {
  const { operation, suffix, link } = endpoint
  const { at, id, request, query, asked } = call
  if (link !== undefined && operation === 'patch') return problemsOfBody(request)
  switch (operation) {
    case 'create':
    case 'replace':
    case 'patch':
      if (isOfMany(endpoint, request))
        return store.bodyProblemsOfMany({ at, operation, body: request.body, by: query.by }, asked)
      return store.bodyProblems({ at, operation, body: request.body, id: suffix === '/:id' ? id : undefined }, asked)
    default: {
      const ofRead = query.list ?? query.groups ?? query.record ?? query.matching
      return ofRead === undefined ? [] : store.queryProblems(addressRead(endpoint, call), ofRead, asked)
    }
  }
}
