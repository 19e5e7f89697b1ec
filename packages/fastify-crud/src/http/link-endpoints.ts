import type { Id, Problem } from '@fastify-crud/core'
import { type Address, type ListRequest, linkedPath, type Mount, type MountLink } from '@fastify-crud/core/internal'
import type { FastifyRequest } from 'fastify'
import type { Call, Endpoint } from './call.ts'
import { invalidRequest, linkedId, pathId, refusedPath } from './request.ts'

/**
 * The endpoints of the links of a mount's records. To add or remove one is a PATCH of the record. The page of related records is a part of
 * the record, which is asked for like a list.
 */
export function linkEndpoints({ links }: Mount): readonly Endpoint[] {
  return links.flatMap((mounted): Endpoint[] => {
    const { link, param } = mounted
    const suffix = `/:id/${link.name}` as const
    const page: Endpoint = {
      method: 'GET',
      operation: 'findOne',
      action: 'View',
      suffix,
      link,
      status: 200,
      idOf: pathId,
      answer: (store, call) => store.list(addressRead(page, call), call.query.list as ListRequest, call.asked),
    }
    return [page, change('PUT', mounted, `${suffix}/:${param}`), change('DELETE', mounted, `${suffix}/:${param}`)]
  })
}

function change(method: 'PUT' | 'DELETE', mounted: MountLink, suffix: Endpoint['suffix']): Endpoint {
  const { link } = mounted
  return {
    method,
    operation: 'patch',
    action: 'Edit',
    suffix,
    link,
    status: 204,
    idOf(request, mount) {
      if (linkedId(request, mounted) === undefined) throw refusedPath(request, mount)
      return pathId(request, mount)
    },
    async answer(store, { at, id, request, asked }) {
      const problems = problemsOfBody(request)
      if (problems.length > 0) throw invalidRequest(problems)
      const to = linkedId(request, mounted) as Id
      await store.changeLink(at, id as Id, { link, to, isRemoved: method === 'DELETE' }, asked)
      return undefined
    },
  }
}

/** The address of the records that the endpoint's answer shows: for a page of related records, that of the page. */
export function addressRead({ link, action }: Endpoint, { at, id }: Pick<Call, 'at' | 'id'>): Address {
  if (link === undefined || action !== 'View') return at
  return { path: linkedPath(at.path, link.name), owners: [...at.owners, id as Id] }
}

/** A link has no values of its own: who sends some should not think that they are stored. */
export function problemsOfBody({ method, body }: FastifyRequest): readonly Problem[] {
  const isEmpty = typeof body === 'object' && body !== null && !Array.isArray(body) && Object.keys(body).length === 0
  return method !== 'PUT' || body === undefined || isEmpty ? [] : [NO_VALUES]
}

const NO_VALUES: Problem = {
  pointer: '',
  message: 'a link has no values of its own: leave out the body',
  keyword: 'maxProperties',
  params: { limit: 0 },
}
