import { CrudError, type Problem } from '@fastify-crud/core'
import {
  didYouMean,
  type GroupRequest,
  invalid,
  isObject,
  type ListRequest,
  pointerStep,
  shortened,
} from '@fastify-crud/core/internal'
import type { FastifyRequest } from 'fastify'
import type { Limits } from '../options.ts'
import { NO_QUERY, OF_GROUPS, OF_LISTS, queryOfWrite, type RequestQuery } from './request-query.ts'

// The query of a list that is too long for a URL: the store's request, as a body.

const OF_LONG_LISTS: readonly string[] = [...OF_LISTS, 'nested']

/** Reads the body of a POST that asks for a list. */
export function listInBody(request: FastifyRequest, without: readonly string[], limits: Limits): RequestQuery {
  const { problems } = queryOfWrite(request.url, without)
  const found: Problem[] = [...problems]
  const list: ListRequest = pageIn(request.body, OF_LONG_LISTS, limits, found)
  return { ...NO_QUERY, list, problems: found }
}

/** Reads the body of a POST that asks for groups. */
export function groupsInBody(request: FastifyRequest, without: readonly string[], limits: Limits): RequestQuery {
  const { problems } = queryOfWrite(request.url, without)
  const found: Problem[] = [...problems]
  const page = pageIn(request.body, OF_GROUPS, limits, found)
  const groups: GroupRequest = { values: undefined, ...page }
  return { ...NO_QUERY, groups, problems: found }
}

/** What a body says that has these members, and a limit where it has none. Adds what is wrong with it, but for what
 * only the model tells. */
function pageIn(body: unknown, known: readonly string[], limits: Limits, problems: Problem[]): LongPage {
  if (!isObject(body)) {
    const message = 'must be an object with the query of the list, such as {"filter":{"title":"Emma"}}'
    problems.push({ pointer: '', message, keyword: 'type', params: { type: 'object' } })
    return { limit: limits.defaultPage, isInBody: true }
  }
  for (const name of Object.keys(body)) {
    if (known.includes(name)) continue
    const message = `there is no '${shortened(name)}' in the query of a list${didYouMean(name, known)}`
    const params = { additionalProperty: shortened(name) }
    problems.push({ pointer: `/${pointerStep(name)}`, message, keyword: 'additionalProperties', params })
  }
  const members = Object.fromEntries(Object.entries(body).filter(([name]) => known.includes(name)))
  const limit = numberIn(body, 'limit', 1, limits.maxPage, problems) ?? limits.defaultPage
  const offset = numberIn(body, 'offset', 0, Number.MAX_SAFE_INTEGER, problems)
  return { ...members, limit, offset, isInBody: true }
}

type LongPage = Pick<ListRequest, 'limit' | 'offset' | 'isInBody'>

/** Undefined if the body does not say, or says something else than an integer in the range, which is a problem. */
function numberIn(
  body: Readonly<Record<string, unknown>>,
  name: string,
  minimum: number,
  maximum: number,
  problems: Problem[],
): number | undefined {
  const { [name]: value } = body
  if (value === undefined) return undefined
  if (Number.isSafeInteger(value) && Number(value) >= minimum && Number(value) <= maximum) return Number(value)
  const isBounded = maximum < Number.MAX_SAFE_INTEGER
  const message = `must be an integer from ${minimum}${isBounded ? ` to ${maximum}` : ''}`
  problems.push({ pointer: `/${name}`, message, keyword: 'range', params: { minimum, ...(isBounded && { maximum }) } })
  return undefined
}

/** What is wrong with a query, of which the parameters are members of a body. */
export function inBody(problems: readonly Problem[], body: unknown): readonly Problem[] {
  return problems.map((problem): Problem => {
    if (problem.parameter === undefined) return problem
    const { parameter, within = elementOf(body, problem), ...fault } = problem
    // `nested[books][limit]`
    const names = parameter.split(/[[\]]+/).filter((name) => name !== '')
    return { pointer: names.map((name) => `/${pointerStep(name)}`).join('') + within, ...fault }
  })
}

/** Of a list of names, the one that a problem is about. */
function elementOf(body: unknown, { parameter = '', params = {} }: Problem): string {
  const names: unknown = isObject(body) ? body[parameter] : undefined
  const { path = params.name } = params
  const index = Array.isArray(names) ? names.findLastIndex((one) => one === path || one === `-${path}`) : -1
  return index === -1 ? '' : `/${index}`
}

/** Reads a page of which a body is the query: fails as a GET of it does, with pointers in place of parameters. */
export async function readAsBody<Page>(body: unknown, read: () => Promise<Page>): Promise<Page> {
  try {
    return await read()
  } catch (error) {
    if (!(error instanceof CrudError) || error.errors.length === 0) throw error
    const { detail } = invalid(inBody(error.errors, body))
    throw new CrudError({ code: error.code, detail, errors: inBody(error.errors, body) }, { cause: error.cause })
  }
}
