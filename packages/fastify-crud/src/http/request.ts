import { CrudError, type Id, type Problem } from '@fastify-crud/core'
import {
  type Address,
  type IdKind,
  idInBody,
  idKindIn,
  invalid,
  type Mount,
  type MountLink,
  type Resource,
  wholeId,
  wholeIdInBody,
} from '@fastify-crud/core/internal'
import type { FastifyRequest } from 'fastify'
import { nothingAt } from './problems.ts'

type Named = Readonly<Record<string, unknown>>

/** The address that the path of a request names. */
export function addressOf(request: FastifyRequest, mount: Mount): Address {
  const owners = mount.owners.map(({ owns, param }) => idIn(request, mount, param, owns.source))
  return { path: mount.path, owners }
}

/** The id of the record that the path of a request names, with the owner's part. */
export function pathId(request: FastifyRequest, mount: Mount): Id {
  const id = readId(request.params as Named, 'id', idKindIn(mount.path))
  if (id === undefined) throw refusedPath(request, mount)
  return withOwner(request, mount, id)
}

function withOwner(request: FastifyRequest, mount: Mount, id: Id): Id {
  return wholeId(mount.path.resource, id, addressOf(request, mount).owners.at(-1))
}

function idIn(request: FastifyRequest, mount: Mount, param: string, { id: kind }: Resource): Id {
  const id = readId(request.params as Named, param, kind)
  if (id === undefined) throw refusedPath(request, mount)
  return id
}

function readId(params: Named, param: string, kind: IdKind): Id | undefined {
  const text = params[param]
  return typeof text === 'string' ? kind.fromPath(text) : undefined
}

/** The id of the record at the other end of a link that the path of a request names; undefined if it is none. */
export function linkedId(request: FastifyRequest, { link, param }: MountLink): Id | undefined {
  return readId(request.params as Named, param, link.target.id)
}

/** Names every parameter of the path that is not an id. */
export function refusedPath(request: FastifyRequest, mount: Mount): CrudError {
  const params = request.params as Named
  const ids: [param: string, kind: IdKind][] = mount.owners.map(({ owns, param }) => [param, owns.source.id])
  if ('id' in params) ids.push(['id', idKindIn(mount.path)])
  // Links to records of one resource call the id alike.
  const linked = mount.links.find(({ param }) => param in params)
  if (linked !== undefined) ids.push([linked.param, linked.link.target.id])
  const wrong = ids.filter(([param, kind]) => readId(params, param, kind) === undefined)
  // `/book/` is not the path of a record.
  if (wrong.some(([param]) => params[param] === '')) return nothingAt(request.url)
  return invalidRequest(
    wrong.map(([param, kind]) => {
      const message = `the ${param} in the path ${kind.pathProblem}`
      return {
        parameter: param,
        message: message + hintOn(params[param], param, mount),
        keyword: 'id',
        params: { type: kind.name },
      }
    }),
  )
}

function hintOn(given: unknown, param: string, { path: { resource } }: Mount): string {
  if (param !== 'id') return ''
  if (given === '$group' && !resource.hasGroups)
    return `; there are groups of ${resource.key} with 'groups: true' in its descriptor`
  if (given !== '$deleted' || resource.trash !== undefined) return ''
  return `; deleted records of ${resource.key} are there with 'softDelete: { column, trash: true }' in its descriptor`
}

/** The id in the body of a PUT to a collection, with the owner's part; undefined if there is none. The store refuses
 * such a body. */
export function bodyId(request: FastifyRequest, mount: Mount): Id | undefined {
  const { resource, isTopLevel } = mount.path
  if (isTopLevel) return wholeIdInBody(resource, request.body)
  const id = idInBody(resource, request.body)
  return id === undefined ? undefined : withOwner(request, mount, id)
}

export function invalidRequest(errors: readonly Problem[]): CrudError {
  return new CrudError(invalid(errors))
}
