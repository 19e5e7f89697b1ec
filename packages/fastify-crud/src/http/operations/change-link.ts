import type { Id, Problem } from '@fastify-crud/core'
import type { MountLink } from '@fastify-crud/core/internal'
import type { FastifyRequest } from 'fastify'
import { invalidRequest, linkedId, pathId, refusedPath } from '../request.ts'
import type { OperationMaker } from './operation.ts'
import { writer } from './write.ts'

/** PUT and DELETE of a link's address: it is a PATCH of the record. */
export function changeLink(method: 'PUT' | 'DELETE', linked: MountLink): OperationMaker {
  const { link } = linked
  return writer({
    operation: 'patch',
    status: 204,
    link,
    idOf(request, mount) {
      if (linkedId(request, linked) === undefined) throw refusedPath(request, mount)
      return pathId(request, mount)
    },
    bodyProblems: ({ request }) => problemsOfBody(request),
    async run({ store, at, id, request }, _query, asked) {
      const problems = problemsOfBody(request)
      if (problems.length > 0) throw invalidRequest(problems)
      const to = linkedId(request, linked) as Id
      await store.changeLink(at, id as Id, { link, to, isRemoved: method === 'DELETE' }, asked)
      return undefined
    },
  })
}

/** A link has no values of its own: who sends some should not think that they are stored. */
function problemsOfBody({ method, body }: FastifyRequest): readonly Problem[] {
  const isEmpty = typeof body === 'object' && body !== null && !Array.isArray(body) && Object.keys(body).length === 0
  return method !== 'PUT' || body === undefined || isEmpty ? [] : [NO_VALUES]
}

const NO_VALUES: Problem = {
  pointer: '',
  message: 'a link has no values of its own: leave out the body',
  keyword: 'maxProperties',
  params: { limit: 0 },
}
