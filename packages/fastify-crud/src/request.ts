import { type Address, CrudError, invalid, type PageRange, type Problem, shortened } from '@fastify-crud/core'
import type { FastifyRequest } from 'fastify'
import type { Mount } from './mounts.ts'
import type { Limits } from './options.ts'

type Named = Readonly<Record<string, unknown>>

const DIGITS = /^(?:0|[1-9][0-9]*)$/

/** The address that the path of a request names. */
export function addressOf(request: FastifyRequest, mount: Mount): Address {
  return { place: mount.place, owners: mount.ownerParams.map((name) => pathId(request, mount, name)) }
}

/** The id in a path parameter: digits without sign or leading zero. One beyond all records' ids names nothing. */
export function pathId(request: FastifyRequest, mount: Mount, name: string): number {
  const text = (request.params as Named)[name]
  if (isId(text)) return Number(text)
  throw refusedPath(request, mount)
}

function isId(text: unknown): boolean {
  return typeof text === 'string' && DIGITS.test(text)
}

/** Names every parameter of the path that is no id. */
function refusedPath({ params, url }: FastifyRequest, { ownerParams }: Mount): CrudError {
  const wrong = [...ownerParams, 'id'].filter((name) => name in (params as Named) && !isId((params as Named)[name]))
  // `/book/` is no path of a record.
  if (wrong.some((name) => (params as Named)[name] === ''))
    return new CrudError({ code: 'CRUD_ERR_NOT_FOUND', detail: `there is nothing at ${url}`, errors: [] })
  return refused(
    wrong.map((name) => {
      return { pointer: '', message: `the ${name} in the path must be an id: digits without sign or leading zero` }
    }),
  )
}

/** The id that the body of a PUT to a collection carries; undefined if it is none, which the store refuses. */
export function bodyId(request: FastifyRequest): number | undefined {
  const { body } = request
  const id = typeof body === 'object' && body !== null && Object.hasOwn(body, 'id') ? (body as Named).id : undefined
  return Number.isSafeInteger(id) ? (id as number) : undefined
}

/** A problem for each key of the query that is not one of these. */
export function unknownKeys({ query }: FastifyRequest, known: readonly string[] = []): Problem[] {
  const problems: Problem[] = []
  for (const name in query as Named) {
    if (known.includes(name)) continue
    problems.push({ pointer: '', message: `there is no query parameter '${shortened(name)}'` })
  }
  return problems
}

const PAGE_KEYS = ['limit', 'offset']

/** The page that the query of a list asks for. */
export function pageOf(request: FastifyRequest, { defaultPage, maxPage }: Limits): PageRange {
  const query = request.query as Named
  const problems = unknownKeys(request, PAGE_KEYS)
  const limit = numberOf(query, 'limit', defaultPage, 1, maxPage, problems)
  const offset = numberOf(query, 'offset', 0, 0, Number.MAX_SAFE_INTEGER, problems)
  if (problems.length > 0) throw refused(problems)
  return { limit, offset }
}

function numberOf(
  query: Named,
  name: string,
  standard: number,
  least: number,
  most: number,
  problems: Problem[],
): number {
  if (!Object.hasOwn(query, name)) return standard
  const text = query[name]
  const value = typeof text === 'string' && DIGITS.test(text) ? Number(text) : Number.NaN
  if (value >= least && value <= most) return value
  const range = most === Number.MAX_SAFE_INTEGER ? `from ${least}` : `from ${least} to ${most}`
  problems.push({ pointer: '', message: `the query parameter '${name}' must be an integer ${range}` })
  return standard
}

export function refused(errors: readonly Problem[]): CrudError {
  return new CrudError(invalid(errors))
}
