import type { Problem } from '@fastify-crud/core'
import type { FastifyRequest } from 'fastify'
import type { Limits } from '../../options.ts'
import type { Call, Endpoint } from '../call.ts'
import type { Preferences } from '../headers/prefer.ts'
import { isOfMany } from './is-of-many.ts'

/** What is wrong with the headers and the query of a request about many records. */
export function problemsOfMany(
  endpoint: Endpoint,
  { request, query, conditions, preferences }: Call,
): readonly Problem[] {
  if (!isOfMany(endpoint, request)) return NONE
  const problems: Problem[] = []
  for (const [name, tags] of [
    ['If-Match', conditions.ifMatch],
    ['If-None-Match', conditions.ifNoneMatch],
  ] as const) {
    if (tags === undefined || tags === '*') continue
    const message = `the header ${name} must be * here: an ETag is that of one record, at its own path`
    problems.push({ parameter: name, message, keyword: 'const', params: { allowedValue: '*' } })
  }
  const { operation } = endpoint
  if (operation !== 'patch' && operation !== 'delete') return problems
  const isByFilter = !Array.isArray(request.body)
  const filter = query.matching?.filter
  if (isByFilter && filter === undefined) problems.push(lacksFilter(operation))
  if (!isByFilter && filter !== undefined) problems.push(HAS_BOTH)
  if (isByFilter && preferences.maxAffected === undefined) problems.push(LACKS_LIMIT)
  return problems
}

const NONE: readonly never[] = []

/** That a write by a filter may not affect as many records as the client would let it; undefined: it may. */
export function tooManyAllowed(
  { operation }: Endpoint,
  { body }: FastifyRequest,
  { maxAffected = 0 }: Preferences,
  { maxItems }: Limits,
): Problem | undefined {
  const isByFilter = operation === 'delete' || (operation === 'patch' && !Array.isArray(body))
  if (!isByFilter || maxAffected <= maxItems) return undefined
  const message = `the preference 'max-affected' of a write by a filter must be ${maxItems} at most`
  return { parameter: 'Prefer', message, keyword: 'range', params: { minimum: 0, maximum: maxItems } }
}

function lacksFilter(operation: 'patch' | 'delete'): Problem {
  const orArray = operation === 'patch' ? ', or the body an array of records with their ids' : ''
  const message = `the query parameter 'filter' is required: it says which records are written${orArray}`
  return { parameter: 'filter', message, keyword: 'required', params: { missingProperty: 'filter' } }
}

const HAS_BOTH: Problem = {
  parameter: 'filter',
  message: "the query parameter 'filter' is for a body that is one object: an array has the ids of its records",
  keyword: 'not',
}

const LACKS_LIMIT: Problem = {
  parameter: 'Prefer',
  message: "the preference 'max-affected' is required: it says how many records the request may affect at most",
  keyword: 'required',
  params: { missingProperty: 'max-affected' },
}
