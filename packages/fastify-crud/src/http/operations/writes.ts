import type { Id, Problem } from '@fastify-crud/core'
import { type Asked, type MountLink, readPlaceOfLink } from '@fastify-crud/core/internal'
import type { FastifyRequest } from 'fastify'
import { bodyId, invalidRequest, linkedId, pathId, refusedPath } from '../request.ts'
import type { Call, OperationMaker } from './operation.ts'
import { type Write, writer } from './write.ts'

/** PUT and DELETE of a link's address: it is a PATCH of the record. */
export function changeLink(method: 'PUT' | 'DELETE', linked: MountLink): OperationMaker {
  const { link } = linked
  const isRemoved = method === 'DELETE'
  return writer({
    operation: 'patch',
    status: 204,
    link,
    idOf(request, mount) {
      if (linkedId(request, linked) === undefined) throw refusedPath(request, mount)
      return pathId(request, mount)
    },
    bodyProblems({ request: { body } }) {
      const problems: Problem[] = []
      if (!isRemoved) readPlaceOfLink(link, body, problems)
      return problems
    },
    async run({ store, at, id, request }, _query, asked) {
      const problems: Problem[] = []
      const place = isRemoved ? undefined : readPlaceOfLink(link, request.body, problems)
      if (problems.length > 0) throw invalidRequest(problems)
      const to = linkedId(request, linked) as Id
      return await store.changeLink(at, id as Id, { link, to, isRemoved, place }, asked)
    },
  })
}

/** What is wrong with a body of a request that takes none. */
export function unlessEmpty(body: unknown, why: string): readonly Problem[] {
  const isEmpty = typeof body === 'object' && body !== null && !Array.isArray(body) && Object.keys(body).length === 0
  if (body === undefined || isEmpty) return []
  const message = `${why}: leave out the body`
  return [{ pointer: '', message, keyword: 'maxProperties', params: { limit: 0 } }]
}

/** POST to a record that is deleted: it comes back. */
export const restoreRecord = writer({
  operation: 'restore',
  idOf: pathId,
  bodyProblems: ({ request }) => problemsOfRestoreBody(request),
  async run({ store, at, id, request }, _query, asked) {
    const problems = problemsOfRestoreBody(request)
    if (problems.length > 0) throw invalidRequest(problems)
    return await store.restore(at, id as Id, asked)
  },
})

function problemsOfRestoreBody({ body }: FastifyRequest): readonly Problem[] {
  return unlessEmpty(body, 'a record comes back as it was')
}

/** DELETE of a deleted record: it is removed for good. */
export const purgeRecord = writer({
  operation: 'purge',
  idOf: pathId,
  bodyProblems: () => [],
  run: ({ store, at, id }, _query, asked) => store.purge(at, id as Id, asked),
})

/** Everything that is wrong with the body of a write of one record. `hasId`: the path names its id. */
const problemsOfBody =
  (operation: 'create' | 'replace' | 'patch', hasId: boolean): Write['bodyProblems'] =>
  ({ store, at, id, request: { body } }: Call, _query, asked: Asked): readonly Problem[] =>
    store.bodyProblems({ at, operation, body, id: hasId ? id : undefined }, asked)

/** POST to a collection. */
export const createRecord = writer({
  operation: 'create',
  bodyProblems: problemsOfBody('create', false),
  run: ({ store, at, request: { body } }, _query, asked) => store.create(at, body, undefined, asked),
})

/** POST to a record that is not there yet. */
export const createAt = writer({
  operation: 'create',
  idOf: pathId,
  bodyProblems: problemsOfBody('create', true),
  run: ({ store, at, id, request: { body } }, _query, asked) => store.create(at, body, id, asked),
})

/** PUT of a record. */
export const replaceRecord = writer({
  operation: 'replace',
  idOf: pathId,
  bodyProblems: problemsOfBody('replace', true),
  run: ({ store, at, id, request: { body } }, _query, asked) => store.replace(at, id, body, asked),
})

/** PUT to a collection: the body names the record. */
export const replaceNamed = writer({
  operation: 'replace',
  idOf: bodyId,
  bodyProblems: problemsOfBody('replace', false),
  run: ({ store, at, request: { body } }, _query, asked) => store.replace(at, undefined, body, asked),
})

/** PATCH of a record. */
export const patchRecord = writer({
  operation: 'patch',
  idOf: pathId,
  bodyProblems: problemsOfBody('patch', true),
  run: ({ store, at, id, request: { body } }, _query, asked) => store.patch(at, id as Id, body, asked),
})

/** DELETE of a record. */
export const deleteRecord = writer({
  operation: 'delete',
  idOf: pathId,
  bodyProblems: () => [],
  run: ({ store, at, id }, _query, asked) => store.delete(at, id as Id, asked),
})
