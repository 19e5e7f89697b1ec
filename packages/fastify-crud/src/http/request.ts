import { CrudError, type Id, type Problem } from '@fastify-crud/core'
import type { Address, Resource } from '@fastify-crud/core/internal'
import { invalid } from '@fastify-crud/core/internal'
import type { Mount } from '@fastify-crud/core/schema'
import type { FastifyRequest } from 'fastify'
import { nothingAt } from './problems.ts'

type Named = Readonly<Record<string, unknown>>

/** The address that the path of a request names. */
export function addressOf(request: FastifyRequest, mount: Mount): Address {
  const owners = mount.owners.map(({ owns, param }) => idIn(request, mount, param, owns.source))
  return { path: mount.path, owners }
}

/** The id of the record that the path of a request names. */
export function pathId(request: FastifyRequest, mount: Mount): Id {
  return idIn(request, mount, 'id', mount.path.resource)
}

function idIn(request: FastifyRequest, mount: Mount, param: string, resource: Resource): Id {
  const id = readId(request.params as Named, param, resource)
  if (id === undefined) throw refusedPath(request, mount)
  return id
}

function readId(params: Named, param: string, { id }: Resource): Id | undefined {
  const text = params[param]
  return typeof text === 'string' ? id.fromPath(text) : undefined
}

/** Names every parameter of the path that is not an id. */
function refusedPath(request: FastifyRequest, { path, owners }: Mount): CrudError {
  const params = request.params as Named
  const ids: [param: string, resource: Resource][] = owners.map(({ owns, param }) => [param, owns.source])
  if ('id' in params) ids.push(['id', path.resource])
  const wrong = ids.filter(([param, resource]) => readId(params, param, resource) === undefined)
  // `/book/` is not the path of a record.
  if (wrong.some(([param]) => params[param] === '')) return nothingAt(request.url)
  return invalidRequest(
    wrong.map(([param, { id }]) => {
      const message = `the ${param} in the path ${id.pathProblem}`
      return { parameter: param, message, keyword: 'id', params: { type: id.name } }
    }),
  )
}

/** The id in the body of a PUT to a collection; undefined if there is none. The store refuses such a body. */
export function bodyId({ body }: FastifyRequest, { path }: Mount): Id | undefined {
  if (typeof body !== 'object' || body === null || !Object.hasOwn(body, 'id')) return undefined
  return path.resource.id.fromJson((body as Named).id)
}

export function invalidRequest(errors: readonly Problem[]): CrudError {
  return new CrudError(invalid(errors))
}
