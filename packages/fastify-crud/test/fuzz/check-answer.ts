import { EFFECTS_MEDIA_TYPE } from '@fastify-crud/openapi'
import type { Model } from 'fastify-crud'
import type { Action } from '../../src/access/authorize.ts'
import { mayDo } from './callers.ts'
import { changesOfHidden, forbiddenChanges } from './check-changes.ts'
import { wrongNumber, wrongRecords } from './check-records.ts'
import { unallowedRows } from './check-rows.ts'
import { hiddenInEffects, hiddenMarks, loggedMarks, wrongIn, wrongInEffects } from './check-shown.ts'
import type { FuzzedAnswer } from './fuzz-service.ts'
import { leaksIn } from './leaks.ts'
import { marksIn } from './marks.ts'
import type { MarksThen } from './marks-then.ts'
import { pathnameOf } from './pathname-of.ts'
import type { FuzzedRequest } from './random-request.ts'
import { linkAt, resourceAt } from './resource-at.ts'
import type { Sight } from './sight.ts'
import type { RowChange, TableChange } from './stored-rows.ts'

/** What came of a request. */
export interface Outcome {
  readonly answer: FuzzedAnswer
  readonly changes: readonly TableChange[]
  readonly rowChanges: readonly RowChange[]
  /** What the caller might see before and after it. */
  readonly sight: { readonly before: Sight; readonly after: Sight }
  /** What the service has logged meanwhile. */
  readonly log: readonly string[]
  /** What the caller may be shown of earlier states. */
  readonly then: MarksThen
}

const ACTION_OF: Readonly<Record<string, Action>> = {
  GET: 'View',
  HEAD: 'View',
  POST: 'Add',
  PUT: 'Edit',
  PATCH: 'Edit',
  DELETE: 'Delete',
}

/** Fastify answers these before any route is found, in a shape of its own. */
const OF_FASTIFY = ['FST_ERR_BAD_URL', 'FST_ERR_MAX_PARAM_LENGTH']

/** What is wrong with what came of a request, whatever the request was. */
export function problemsOf(model: Model, request: FuzzedRequest, outcome: Outcome): string[] {
  const { answer, changes, rowChanges, log, sight, then } = outcome
  const { caller, method, url } = request
  const { status, headers, text } = answer
  const problems: string[] = []
  const hasChanged = changes.length > 0
  if (status >= 500) problems.push('the status is 5xx', ...log.filter((line) => line.includes('"err":')))
  if (status >= 400 && hasChanged) problems.push('the database has changed')
  if (['GET', 'HEAD', 'OPTIONS', 'TRACE'].includes(method) && hasChanged)
    problems.push('a read has changed the database')
  if (status >= 400 && method !== 'HEAD' && !isProblem(answer, url)) problems.push('the error has another shape')

  const resource = resourceAt(model, pathnameOf(url))
  const link = linkAt(model, pathnameOf(url))
  // To add or to remove a link changes the record that has it. Of related records, a page shows those of their own resource.
  const isLongRead = method === 'POST' && /\/\$(?:list|group)$/.test(pathnameOf(url))
  const ofMethod = isLongRead ? 'View' : ACTION_OF[method]
  const action = link !== undefined && method === 'DELETE' ? 'Edit' : ofMethod
  const shown = link !== undefined && action === 'View' ? link.target : resource
  if (status < 400 && (resource === undefined || action === undefined || !mayDo(caller, action, resource.key)))
    problems.push(`${caller.name} may not do that`)
  if (status < 400 && shown !== undefined && action === 'View' && !mayDo(caller, action, shown.key))
    problems.push(`${caller.name} may not see a ${shown.key}`)
  problems.push(...forbiddenChanges(model, caller, changes))
  if (action === 'Edit' && resource !== undefined) problems.push(...changesOfHidden(model, caller, resource, changes))

  problems.push(...unallowedRows(model, sight, rowChanges))

  const asked = askedBy(request)
  const told = toldBy(answer)
  const leaks = leaksIn(status, told, asked)
  if (leaks.length > 0) problems.push(`the answer says ${leaks.join(', ')}`)
  const isOfEffects = String(headers['content-type']).startsWith(EFFECTS_MEDIA_TYPE)
  const given = { status, text: told, asked, url }
  // What is in the trash is not among the rows that are known of.
  const isOfTrash = pathnameOf(url).includes('/$deleted')
  const hiddenIn = isOfTrash ? () => [] : hiddenMarks
  const unseen = isOfEffects ? hiddenInEffects(model, sight, given) : hiddenIn(model, sight.after, given)
  // The history, and what an undo brings back, have states that are not there any more.
  const isThenOrNow = isOfHistory(url)
  const isThen = (problem: string) => marksIn(problem).every((mark) => then.mayShow(caller, mark.text))
  problems.push(...(isThenOrNow ? unseen.filter((one) => !isThen(one)) : unseen), ...loggedMarks(model, log, url))
  if (isOfEffects) problems.push(...wrongInEffects(model, caller, JSON.parse(text)))
  else if (status < 300 && text !== '' && isThenOrNow && method === 'GET') {
    const body = JSON.parse(text)
    const entries = /\/\$history/.test(url) ? [body.rows ?? body].flat() : []
    problems.push(...entries.flatMap((entry) => wrongInEffects(model, caller, entry)))
    if (shown !== undefined && entries.length === 0) problems.push(...wrongIn(caller, shown, url, body))
  } else if (status < 300 && text !== '' && shown !== undefined) {
    const body: unknown = JSON.parse(text)
    problems.push(...wrongIn(caller, shown, url, body))
    // An action may answer something else than a record.
    const isOfRecords = typeof body === 'object' && !isOfTrash
    if (isOfRecords)
      problems.push(...wrongRecords(sight.after, shown, { url, isList: method === 'GET' || isLongRead }, body, link))
  }
  if (status === 409) problems.push(...wrongNumber(model, sight.after, text))
  return problems
}

/** Whether a request is about writes that were done, or a record as it was. */
export function isOfHistory(url: string): boolean {
  return /\/\$history|\?(?:.*&)?at=/.test(url)
}

/** All that a request says. */
export function askedBy({ method, url, headers, payload }: FuzzedRequest): string {
  return `${method} ${url} ${decoded(url)} ${JSON.stringify(headers)} ${payload ?? ''}`
}

/** All that an answer says. An ETag is a hash, which spells any word by chance. A link repeats the query. */
export function toldBy({ headers, text }: FuzzedAnswer): string {
  return `${JSON.stringify({ ...headers, etag: undefined, 'effects-tag': undefined, link: undefined })}\n${text}\n${cursorIn(text)}`
}

function isProblem({ status, headers, text }: FuzzedAnswer, url: string): boolean {
  const body = JSON.parse(text)
  if (String(headers['content-type']).startsWith('application/problem+json')) {
    return body.status === status && /^CRUD_ERR_/.test(body.code) && Array.isArray(body.errors)
  }
  const isElsewhere = !pathnameOf(url).startsWith('/api/')
  return body.statusCode === status && (isElsewhere || OF_FASTIFY.includes(body.code))
}

/** What the cursor of a page says. */
function cursorIn(text: string): string {
  const [, next = ''] = /,"next":"([\w-]+)"\}$/.exec(text) ?? []
  return Buffer.from(next, 'base64url').toString()
}

/** Each part by itself: one may be malformed. */
function decoded(url: string): string {
  const parts = url.split('&').map((part) => {
    try {
      return decodeURIComponent(part)
    } catch {
      return part
    }
  })
  return parts.join('&')
}
