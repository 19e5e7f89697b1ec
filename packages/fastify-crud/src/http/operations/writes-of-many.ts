import type { Problem } from '@fastify-crud/core'
import type { WrittenMany } from '@fastify-crud/core/internal'
import type { Limits } from '../../options.ts'
import { queryOfMatching, queryOfReplace, type RequestQuery } from '../../query/request-query.ts'
import type { Answer } from '../answer.ts'
import type { Preferences } from '../headers/prefer.ts'
import { bodyId } from '../request.ts'
import type { Call } from './operation.ts'
import { type Write, writer } from './write.ts'

/** Everything that is wrong with the bodies of a write of many records. */
const problemsOfBodies =
  (operation: 'create' | 'replace' | 'patch'): Write['bodyProblems'] =>
  ({ store, at, request: { body } }, { by }, asked) =>
    store.bodyProblemsOfMany({ at, operation, body, by }, asked)

/** POST of an array. */
export const createMany = writer({
  operation: 'create',
  isOfMany: true,
  requestProblems: problemsOfTags,
  bodyProblems: problemsOfBodies('create'),
  run: async ({ store, at, request }, _query, asked) => many(await store.createMany(at, request.body, asked)),
})

/** PUT of an array: the bodies name their records by ids. */
export const replaceMany = writer({
  operation: 'replace',
  isOfMany: true,
  readQuery: queryOfReplace,
  requestProblems: problemsOfTags,
  bodyProblems: problemsOfBodies('replace'),
  run: async ({ store, at, request }, _query, asked) => many(await store.replaceMany(at, request.body, asked)),
})

const UPSERT = {
  operation: 'replace',
  isOfMany: true,
  mayCreate: true,
  readQuery: queryOfReplace,
  requestProblems: problemsOfTags,
  bodyProblems: problemsOfBodies('replace'),
} as const

/** PUT with `by`: a body names its record by unique values, and it is created where there is none. */
export const upsertRecord = writer({
  ...UPSERT,
  idOf: bodyId,
  run: ({ store, at, request }, { by = [] }, asked) => store.upsert(at, request.body, by, asked),
})

/** PUT of an array with `by`. */
export const upsertMany = writer({
  ...UPSERT,
  run: async ({ store, at, request }, { by = [] }, asked) => many(await store.upsertMany(at, request.body, by, asked)),
})

/** PATCH of an array: the bodies name their records by ids. */
export const patchMany = writer({
  operation: 'patch',
  isOfMany: true,
  readQuery: queryOfMatching,
  requestProblems(call, query) {
    const problems = problemsOfTags(call)
    return query.matching === undefined ? problems : [...problems, HAS_BOTH]
  },
  bodyProblems: problemsOfBodies('patch'),
  run: async ({ store, at, request }, _query, asked) => many(await store.patchMany(at, request.body, asked)),
})

/** PATCH of all records that match a filter. */
export const patchMatching = writer({
  operation: 'patch',
  isOfMany: true,
  readQuery: queryOfMatching,
  preferenceProblem: tooManyAllowed,
  requestProblems: (call, query) => problemsOfMatching(call, query, lacksFilter(OR_ARRAY)),
  bodyProblems: problemsOfBodies('patch'),
  run: async ({ store, at, request }, { matching }, asked) =>
    many(await store.patchMatching(at, { filter: matching?.filter }, request.body, asked)),
})

/** DELETE of all records that match a filter. */
export const deleteMatching = writer({
  operation: 'delete',
  status: 200,
  isOfMany: true,
  readQuery: queryOfMatching,
  preferenceProblem: tooManyAllowed,
  requestProblems: (call, query) => problemsOfMatching(call, query, lacksFilter('')),
  bodyProblems: ({ store, at }, { matching }, asked) =>
    matching === undefined ? [] : store.queryProblems(at, matching, asked),
  run: async ({ store, at }, { matching }, asked) =>
    many(await store.deleteMatching(at, { filter: matching?.filter }, asked)),
})

function many({ json, firstStatus, effects }: WrittenMany): Answer {
  return { isMany: true, json, firstStatus, effects }
}

/** An ETag is that of one record. */
function problemsOfTags({ conditions }: Call): Problem[] {
  const problems: Problem[] = []
  for (const [name, tags] of [
    ['If-Match', conditions.ifMatch],
    ['If-None-Match', conditions.ifNoneMatch],
  ] as const) {
    if (tags === undefined || tags === '*') continue
    const message = `the header ${name} must be * here: an ETag is that of one record, at its own path`
    problems.push({ parameter: name, message, keyword: 'const', params: { allowedValue: '*' } })
  }
  return problems
}

function problemsOfMatching(call: Call, { matching }: RequestQuery, lacksFilter: Problem): readonly Problem[] {
  const problems = problemsOfTags(call)
  if (Array.isArray(call.request.body)) problems.push(HAS_BOTH)
  if (matching?.filter === undefined) problems.push(lacksFilter)
  if (call.preferences.maxAffected === undefined) problems.push(LACKS_LIMIT)
  return problems
}

/** That a write by a filter may not affect as many records as the client would let it; undefined: it may. */
function tooManyAllowed({ maxAffected = 0 }: Preferences, { maxItems }: Limits): Problem | undefined {
  if (maxAffected <= maxItems) return undefined
  const message = `the preference 'max-affected' of a write by a filter must be ${maxItems} at most`
  return { parameter: 'Prefer', message, keyword: 'range', params: { minimum: 0, maximum: maxItems } }
}

const OR_ARRAY = ', or the body an array of records with their ids'

function lacksFilter(orArray: string): Problem {
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
