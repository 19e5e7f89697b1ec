import { CrudError } from '@fastify-crud/core'
import type { Mount } from '@fastify-crud/core/internal'
import type { Endpoint, Way } from './endpoints.ts'
import type { RouteOperation } from './operations/operation.ts'
import type { OtherWay, ReplacedEndpoint } from './replaced-endpoint.ts'

/** Whether an application's handler gets no request at all of an endpoint: all of these are ways to the operation that it does not name. */
export function isPassedBy({ also = [] }: ReplacedEndpoint, mount: Mount, { ways }: Endpoint): boolean {
  if (mount.path.isTopLevel && !also.includes('topLevel')) return true
  return ways.every(({ name }) => name !== undefined && !also.includes(name))
}

/** What an application has put in place of an operation, and of others that its requests may come to. */
export interface ReplacedOperations {
  readonly itself: ReplacedEndpoint | undefined
  readonly create: ReplacedEndpoint | undefined
}

/** Whether requests in that way are refused: they would go past an application's handler that does not name it. */
export function isRefused({ name }: Way, { itself, create }: ReplacedOperations): boolean {
  if (name === undefined) return false
  const asked = name === 'by' ? [itself, create] : [itself]
  return asked.some((one) => one !== undefined && !(one.also ?? []).includes(name))
}

/** Refuses all requests of a way. */
export function refusal(way: OtherWay): RouteOperation {
  const refuse = () => {
    const detail = `${WORDS[way]} are not allowed here: the application has a handler of its own`
    return new CrudError({ code: 'CRUD_ERR_METHOD', detail, errors: [] })
  }
  return {
    isRead: false,
    async begin(_request, reply) {
      reply.header('allow', '')
      throw refuse()
    },
    answer: () => Promise.reject(refuse()),
    send: (reply) => reply.send(refuse()),
  }
}

const WORDS: Readonly<Record<OtherWay, string>> = {
  array: 'arrays',
  filter: 'writes by a filter',
  by: 'writes by unique values',
  link: 'links',
  topLevel: 'records of all owners',
}
