import { CrudError, type Problem } from '@fastify-crud/core'
import {
  type Address,
  type Asked,
  etagOf,
  idInPath,
  type Link,
  mayBeMoved,
  type Precondition,
  preconditionRequired,
  type Resource,
  type ResourcesInRecord,
  recordPath,
  type Upserted,
  type WrittenRecord,
} from '@fastify-crud/core/internal'
import { ACTION_OF } from '../../access/authorize.ts'
import { asksOwner, checkEach } from '../../access/check-each.ts'
import { allInRecord, hiddenResources, namedByBody, withoutHidden } from '../../access/hidden-resources.ts'
import { NO_QUERY, queryOfWrite, type RequestQuery } from '../../query/request-query.ts'
import { type Answer, collectionUrl, effectsIn, filledIn, isMany, jsonOf, withoutUnseen } from '../answer.ts'
import { type Conditions, NO_CONDITIONS, refusalOfWrite } from '../headers/conditions.ts'
import { repeatReader } from '../headers/idempotency-key.ts'
import { NO_PREFERENCES, sayApplied } from '../headers/prefer.ts'
import { invalidRequest } from '../request.ts'
import { type BeginTerms, composeBegin } from './begin.ts'
import { effectsOfRoute, sendEffects } from './effects.ts'
import { type Call, type OperationMaker, type RouteOperation, sendJson, tagOf, takenOut } from './operation.ts'

/** How writes differ. */
export interface Write extends Pick<BeginTerms, 'idOf' | 'preferenceProblem' | 'isOfMany'> {
  readonly operation: 'create' | 'replace' | 'patch' | 'delete' | 'restore' | 'purge' | 'undo'
  /** Of its answer. Default: that of a record that was made (201) or is there (200), or is not there any more (204). */
  readonly status?: number
  /** It may create a record where there is none. */
  readonly mayCreate?: boolean
  /** The link that it adds or removes. */
  readonly link?: Link
  /** Default: it takes no query. */
  readonly readQuery?: (url: string, without: readonly string[]) => RequestQuery
  /** What is wrong with headers and query besides. */
  readonly requestProblems?: (call: Call, query: RequestQuery) => readonly Problem[]
  /** What is wrong with the body, as far as the model tells. */
  readonly bodyProblems: (call: Call, query: RequestQuery, asked: Asked) => readonly Problem[]
  readonly run: (call: Call, query: RequestQuery, asked: Asked) => Promise<Answer>
}

/** A write of one record, of many, or of a link. */
export function writer(write: Write): OperationMaker {
  return (...route) => composeWrite(write, ...route)
}

function composeWrite(write: Write, ...[service, mount, terms]: Parameters<OperationMaker>): RouteOperation {
  const { stores, authorize, replica, prefix, limits } = service
  const { operation, status = STATUS_OF[operation], isOfMany = false, mayCreate = false, link } = write
  const { readQuery = queryOfWrite, requestProblems, bodyProblems, run } = write
  const { resource } = mount.path
  const removes = operation === 'delete' || operation === 'purge'
  // The resources for which rules run. Of a row that the request may not see, a rule's refusal says nothing.
  const touched = stores.touched(resource)
  const needsMatch = resource.ifMatch === 'required' && !['create', 'restore', 'undo'].includes(operation)
  const notePosition = replica?.notePosition
  const eachAsked =
    isOfMany && authorize ? checkEach(service, mount, operation, terms.authorizesByOwner, authorize) : undefined
  const asksEach = eachAsked?.asksOwner === true
  // An earlier write may have changed records of any resource.
  const besides = operation === 'undo' ? [...stores.model.resources.values()] : touched
  const findHidden = hiddenResources(service, mount.path, [...besides, ...(link === undefined ? [] : [link.target])])
  const effects = effectsOfRoute(service, mount, stores.changedWith(resource))
  const url = collectionUrl(prefix, mount)
  // To do the others twice is the same as once.
  const isRepeatableAlone = link === undefined && ['create', 'patch', 'restore', 'undo'].includes(operation)
  const repeatIn = repeatReader(service, status, isOfMany)

  /** What the record has besides that matters to a request; undefined: what it carries. */
  function shownBesides({ request, preferences }: Call): ResourcesInRecord | undefined {
    if (resource.carriesAll) return undefined
    if (removes || preferences.maxAffected !== undefined) return allInRecord(resource)
    return namedByBody(resource, request.body)
  }

  // What a DELETE leaves unseen matters only to rules, and to who looks at the record.
  const seesNothing = operation === 'purge' || (operation === 'delete' && touched.length === 0)

  const begin = composeBegin(service, mount, terms, { ...write, repeatIn, isRepeatableAlone })
  const looksUpOwners = asksOwner(service, mount, operation, terms.authorizesByOwner) && !isOfMany

  const queryOf = (call: Call) =>
    call.request.url.includes('?') ? readQuery(call.request.url, takenOut(call)) : NO_QUERY

  async function ask({ access, recordId }: Call): Promise<void> {
    if (access === undefined || asksEach) return
    await access.check(ACTION_OF[operation], recordId)
    if (mayCreate) await access.check('Add', undefined)
    if (operation === 'restore') await access.check('Add', recordId)
  }

  const composed: RouteOperation = {
    isRead: false,
    begin,
    ask,

    problems(call) {
      const query = queryOf(call)
      const problems = [...call.headerProblems, ...query.problems, ...(requestProblems?.(call, query) ?? [])]
      return [...problems, ...bodyProblems(call, query, { requestContext: call.requestContext })]
    },

    async answer(call, mustRead) {
      const { reply, requestContext, access, repeat, conditions, headerProblems, within } = call
      await ask(call)
      const query = queryOf(call)
      const hidden =
        seesNothing && !looksAtRecord(call)
          ? undefined
          : await findHidden?.(call, call.at, query.matching, shownBesides(call))
      const asked: Asked = {
        requestContext,
        permit: access,
        repeat,
        notePosition: within === undefined ? notePosition && ((position) => notePosition(reply, position)) : undefined,
        checkRecords: eachAsked?.of(call),
        effects: await effects(call),
        ...(hidden && { hidden }),
        ...termsOf({ operation, resource, mustRead }, call, hidden, query),
      }
      const problems = requestProblems?.(call, query) ?? []
      if (headerProblems.length + query.problems.length + problems.length > 0) {
        const ofBody = bodyProblems(call, query, asked)
        throw invalidRequest([...headerProblems, ...query.problems, ...problems, ...ofBody])
      }
      if (needsMatch && conditions.ifMatch === undefined) {
        const ofBody = bodyProblems(call, query, asked)
        if (ofBody.length > 0) throw invalidRequest(ofBody)
        const advice = `send If-Match, with the ETag of the ${resource.key} as you have read it`
        throw new CrudError(preconditionRequired(advice))
      }
      const answer = await run(call, query, asked)
      return hidden === undefined ? answer : withoutUnseen(answer, resource, hidden)
    },

    send(reply, call, answer, isChanged) {
      const { at, request, preferences } = call
      const sent = typeof answer === 'object' ? answer : undefined
      const firstStatus = sent !== undefined && 'firstStatus' in sent ? sent.firstStatus : undefined
      const isNew = sent !== undefined && 'isNew' in sent && sent.isNew
      const code = firstStatus ?? (isNew ? CREATED : status)
      const isLeftOut = preferences.returns === 'minimal'
      const json = isLeftOut ? undefined : jsonOf(answer)
      const done = isChanged ? undefined : effectsIn(answer)
      const isNone = status === NO_CONTENT
      if (done === undefined)
        sayApplied(reply, preferences, json !== undefined ? 'record' : isNone ? 'none' : 'left out')
      // What is undone at the end has no place.
      if (sent !== undefined && isOfRecord(sent) && code === CREATED && preferences.tx !== 'rollback') {
        reply.header('location', `${filledIn(url, request)}/${encodeURIComponent(idInPath(at.path, sent.id))}`)
      }
      // RFC 9110, section 8.7: the answer is the record as a GET there shows it.
      const movedTo = sent !== undefined && isWritten(sent) ? sent.movedTo : undefined
      if (movedTo !== undefined && done === undefined && isElsewhere(movedTo, at) && preferences.tx !== 'rollback') {
        const start = filledIn(collectionUrl(prefix, { url: '' }), request)
        reply.header(
          'content-location',
          `${start === '/' ? '' : start}${recordPath(movedTo, (sent as WrittenRecord).id)}`,
        )
      }
      if (done !== undefined) return sendEffects(reply, code === NO_CONTENT ? OK : code, done, call, limits.maxAnswer)
      if (json === undefined) {
        // An undo may take the record away.
        const isGone = operation === 'undo'
        const isEmpty = (isGone || (isLeftOut && firstStatus === undefined)) && code === OK
        return reply.code(isEmpty ? NO_CONTENT : code).send()
      }
      const hasTag = !isChanged && !isMany(answer) && preferences.tx !== 'rollback'
      const tag = tagOf(reply) ?? (hasTag ? etagOf(json) : undefined)
      if (tag !== undefined) reply.header('etag', tag)
      return sendJson(reply, code, json)
    },
  }
  return looksUpOwners && mayBeMoved(resource) ? lookingUpAgain(composed) : composed
}

/** The owners were looked up to ask them. If others move the record meanwhile, the new ones are asked. */
function lookingUpAgain(operation: RouteOperation): RouteOperation {
  return {
    ...operation,
    async answer(first, mustRead) {
      let call = first
      for (let times = 1; ; times++) {
        try {
          return await operation.answer(call, mustRead)
        } catch (error) {
          const isGone = error instanceof CrudError && error.code === 'CRUD_ERR_NOT_FOUND'
          if (!isGone || times === MOST_TIMES) throw error
          call = await operation.begin(call.request, call.reply, call.within)
        }
      }
    },
  }
}

const MOST_TIMES = 8

/** Whether a record has another address than that of the request. At the top, no address has owners. */
function isElsewhere({ path, owners }: Address, at: Address): boolean {
  return !path.isTopLevel && (path !== at.path || owners.some((id, level) => id !== at.owners[level]))
}

/** What the headers of a request for a resource ask for. */
export function termsOf(
  { operation, resource, mustRead }: WriteTerms,
  { conditions, preferences }: Call,
  hidden: Asked['hidden'],
  { by }: Pick<Partial<RequestQuery>, 'by'>,
): Partial<Asked> {
  if (conditions === NO_CONDITIONS && preferences === NO_PREFERENCES) return NO_TERMS
  // Every record matches `*`, and where there is none, the answer is 404 anyway, unless one is created.
  const matchesAny = conditions.ifMatch === '*' && operation !== 'create' && by === undefined
  const asksState = conditions.ifNoneMatch !== undefined || (conditions.ifMatch !== undefined && !matchesAny)
  return {
    precondition: asksState ? preconditionOf(resource, conditions, hidden) : undefined,
    maxAffected: preferences.maxAffected,
    rollsBack: preferences.tx === 'rollback',
    readsBack: mustRead || (preferences.returns !== 'minimal' && preferences.returns !== 'effects'),
  }
}

interface WriteTerms extends Pick<Write, 'operation'> {
  readonly resource: Resource
  readonly mustRead: boolean
}

function preconditionOf(resource: Resource, conditions: Conditions, hidden: Asked['hidden']): Precondition {
  return ({ exists, json }) => {
    if (json === undefined || hidden?.has(resource)) return refusalOfWrite(conditions, { exists, tag: undefined })
    const shown = hidden === undefined ? json : withoutHidden(resource, json, hidden)
    return refusalOfWrite(conditions, { exists, tag: etagOf(shown) })
  }
}

function isWritten(answer: object): answer is WrittenRecord {
  return 'movedTo' in answer
}

/** Whether an answer is that of one record, which has an id. */
function isOfRecord(answer: object): answer is WrittenRecord | Upserted {
  return 'id' in answer
}

const NO_TERMS: Partial<Asked> = {}

const STATUS_OF = { create: 201, replace: 200, patch: 200, delete: 204, restore: 200, purge: 204, undo: 200 }

const OK = 200
const CREATED = 201
const NO_CONTENT = 204

/** Whether a DELETE has to look at the record as the caller sees it. */
function looksAtRecord({ conditions, preferences }: Call): boolean {
  return conditions !== NO_CONDITIONS || preferences.maxAffected !== undefined
}
