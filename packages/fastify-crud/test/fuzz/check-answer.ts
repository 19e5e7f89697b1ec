import { mayDo } from './callers.ts'
import type { FuzzedAnswer } from './fuzz-service.ts'
import { leaksIn } from './leaks.ts'
import { pathnameOf } from './pathname-of.ts'
import type { FuzzedRequest } from './random-request.ts'

/** Fastify answers these before any route is found, in a shape of its own. */
const OF_FASTIFY = ['FST_ERR_BAD_URL', 'FST_ERR_MAX_PARAM_LENGTH']

/** What is wrong with an answer, whatever the request was; `hasChanged`: something in the database. */
export function problemsOf(request: FuzzedRequest, answer: FuzzedAnswer, hasChanged: boolean): string[] {
  const { caller, method, url, headers, payload } = request
  const { status, text } = answer
  const problems: string[] = []
  if (status >= 500) problems.push('the status is 5xx')
  if (status >= 400 && hasChanged) problems.push('the database has changed')
  if (['GET', 'HEAD', 'OPTIONS', 'TRACE'].includes(method) && hasChanged)
    problems.push('a read has changed the database')
  if (status < 400 && !mayDo(caller, method)) problems.push(`${caller.name} may not do that`)
  if (hasChanged && !mayDo(caller, method)) problems.push(`${caller.name} has changed the database`)
  if (status >= 400 && method !== 'HEAD' && !isProblem(answer, url)) problems.push('the error has another shape')
  const asked = `${method} ${url} ${decoded(url)} ${JSON.stringify(headers)} ${payload ?? ''}`
  const leaks = leaksIn(status, `${JSON.stringify(answer.headers)}\n${text}`, asked)
  if (leaks.length > 0) problems.push(`the answer says ${leaks.join(', ')}`)
  return problems
}

function isProblem({ status, headers, text }: FuzzedAnswer, url: string): boolean {
  const body = JSON.parse(text)
  if (String(headers['content-type']).startsWith('application/problem+json')) {
    return body.status === status && /^CRUD_ERR_/.test(body.code) && Array.isArray(body.errors)
  }
  const isElsewhere = !pathnameOf(url).startsWith('/api/')
  return body.statusCode === status && (isElsewhere || OF_FASTIFY.includes(body.code))
}

function decoded(url: string): string {
  try {
    return decodeURIComponent(url)
  } catch {
    return url
  }
}
