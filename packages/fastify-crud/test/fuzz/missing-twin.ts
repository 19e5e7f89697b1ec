import type { Resource } from '@fastify-crud/core/internal'
import type { Model } from 'fastify-crud'
import { mayDo } from './callers.ts'
import { MissingIds } from './missing-ids.ts'
import { pathnameOf } from './pathname-of.ts'
import type { FuzzedRequest } from './random-request.ts'
import { linkAt, resourceAt } from './resource-at.ts'
import type { Sight } from './sight.ts'

type Body = Record<string, unknown>

/** A request, and how an answer to it reads with the ids of the original. */
export interface MissingTwin {
  readonly request: FuzzedRequest
  withOriginalIds(text: string): string
}

/**
 * The same request with ids that no record has, in place of those of records that the caller does not see. Undefined if it
 * has none. A refusal has to be the same for both. In a PUT or PATCH, foreign keys stay: the one that a record shows may be
 * sent back. So does the id that a POST chooses: it is taken, whoever has it.
 */
export function missingTwin(model: Model, sight: Sight, request: FuzzedRequest): MissingTwin | undefined {
  const { method, url, payload } = request
  const resource = resourceAt(model, pathnameOf(url))
  if (resource === undefined) return
  const missing = new MissingIds()
  const twin = (changed: FuzzedRequest): MissingTwin => ({
    request: changed,
    withOriginalIds: (text) => missing.withOriginals(text),
  })
  const path = missingPath(model, sight, method, url, missing)
  const isOwn = path.url !== url
  // A cursor belongs to its path.
  if (isOwn && /[?&]after=/.test(url)) return
  if (payload === undefined || !['POST', 'PUT', 'PATCH'].includes(method))
    return isOwn && payload === undefined ? twin({ ...request, url: path.url }) : undefined
  if (typeof payload !== 'string') return
  const body = parsed(payload)
  // A text that is not what JSON.stringify makes says more than can be sent again.
  if (!isBody(body) || JSON.stringify(body) !== payload) return
  const isHidden: IsHidden = (target, id) => hides(sight, target, id)
  const hadIds = hideIds(isHidden, resource, body, method === 'POST', missing)
  if (!hadIds && !isOwn) return
  if (path.ownId !== undefined && String(body.id) === path.ownId)
    replaceId(body, 'id', resource, missing.insteadOf(resource, body.id))
  return twin({ ...request, url: path.url, payload: JSON.stringify(body) })
}

/** Whether there is nothing for the caller to see at that id, as authorize or a policy says so. */
function hides(sight: Sight, resource: Resource, id: unknown): boolean {
  if (!mayDo(sight.caller, 'View', resource.key)) return true
  return isPolicyHidden(sight, resource, id)
}

interface MissingPath {
  readonly url: string
  /** The id of the request's own record, if it was hidden. */
  readonly ownId: string | undefined
}

/** The URL without the ids of hidden records. */
function missingPath(model: Model, sight: Sight, method: string, url: string, missing: MissingIds): MissingPath {
  const [path = '', ...query] = url.split('?')
  // An error shortens a long path.
  if (!/^\/api(?:\/[a-z]{1,9}(?:\/[\w%-]{1,36})?){1,5}(?:\/\$(?:restore|act\/[a-z]+))?$/.test(path))
    return { url, ownId: undefined }
  const segments = path.split('/')
  let ownId: string | undefined
  const others = segments.map((segment, at) => {
    const isLast = at === segments.length - 1
    const link = linkAt(model, path)
    const ofRoute = [...model.resources.values()].find(({ route }) => route === segments[at - 1])
    const holder = isLast && link?.name === segments[at - 1] ? link?.target : ofRoute
    // Segments are resources and ids by turns.
    if (at % 2 === 0 || holder === undefined || (isLast && method === 'POST')) return segment
    const id = decoded(segment)
    // Without a policy, the owner in a path is only a part of where the record is.
    if (!isPolicyHidden(sight, holder, id)) return segment
    const instead = missing.insteadOf(holder, holder.shortId.fromPath(id))
    if (instead === undefined) return segment
    if (isLast && link === undefined) ownId = id
    return encodeURIComponent(instead)
  })
  return { url: [others.join('/'), ...query].join('?'), ownId }
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}

function isPolicyHidden(sight: Sight, resource: Resource, id: unknown): boolean {
  return sight.row(resource, id) !== undefined && !sight.sees(resource, id)
}

type IsHidden = (target: Resource, id: unknown) => boolean

/** Whether the body had any. */
function hideIds(isHidden: IsHidden, resource: Resource, body: Body, isNew: boolean, missing: MissingIds): boolean {
  let had = false
  const hide = (holder: Body, name: string, target: Resource): void => {
    const id = holder[name]
    const instead = isHidden(target, id) ? missing.insteadOf(target, id) : undefined
    if (instead === undefined) return
    replaceId(holder, name, target, instead)
    had = true
  }
  for (const { foreignKey, target } of resource.references) if (isNew) hide(body, foreignKey, target)
  for (const { property, target } of resource.movedBy) hide(body, property, target)
  hide(body, '$before', resource)
  for (const { name, target } of resource.links) {
    for (const element of bodiesIn(body[name])) {
      hide(element, 'id', target)
      hide(element, '$before', target)
    }
  }
  for (const { name, target, many } of resource.owns) {
    for (const child of bodiesIn(body[name])) {
      // An id made of members is the owner's, which tells nothing, or chosen by the client, and taken, whoever has it.
      if (target.idMembers.length === 0) hide(child, 'id', target)
      const isNewChild = isNew || (many && !Object.hasOwn(child, 'id'))
      if (hideIds(isHidden, target, child, isNewChild, missing)) had = true
    }
  }
  return had
}

/** A body may repeat its id as the member that the id is made of, beside the owner's. */
function replaceId(body: Body, name: string, { idMembers }: Resource, instead: unknown): void {
  const id = body[name]
  body[name] = instead
  const members = name === 'id' ? idMembers.filter(({ kind }) => kind !== 'ownedBy') : []
  for (const member of members) if (body[member.name] === id) body[member.name] = instead
}

function bodiesIn(value: unknown): Body[] {
  return [value].flat().filter(isBody)
}

function isBody(value: unknown): value is Body {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
