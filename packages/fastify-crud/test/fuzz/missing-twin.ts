import type { Resource } from '@fastify-crud/core/internal'
import type { Model } from 'fastify-crud'
import { mayDo } from './callers.ts'
import { pathnameOf } from './pathname-of.ts'
import type { FuzzedRequest } from './random-request.ts'
import { resourceAt } from './resource-at.ts'
import type { Sight } from './sight.ts'

type Body = Record<string, unknown>

/** What is added to an id: no record has one as high as that. */
const MISSING = 900_000_000
const MOST = 99_999_999

/**
 * The same request with ids that no record has, in place of those of records that the caller does not see. Undefined if it
 * has none. A refusal has to be the same for both. In a PUT or PATCH, foreign keys stay: the one that a record shows may be
 * sent back. So does the id that a POST chooses: it is taken, whoever has it.
 */
export function missingTwin(model: Model, sight: Sight, request: FuzzedRequest): FuzzedRequest | undefined {
  const { method, url, payload } = request
  const resource = resourceAt(model, pathnameOf(url))
  if (resource === undefined) return
  const path = missingPath(model, sight, method, url)
  const isOwn = path.url !== url
  // A cursor belongs to its path.
  if (isOwn && /[?&]after=/.test(url)) return
  if (payload === undefined || !['POST', 'PUT', 'PATCH'].includes(method))
    return isOwn && payload === undefined ? { ...request, url: path.url } : undefined
  if (typeof payload !== 'string') return
  const body = parsed(payload)
  // A text that is not what JSON.stringify makes says more than can be sent again.
  if (!isBody(body) || JSON.stringify(body) !== payload) return
  const hadIds = hideIds((target, id) => hides(sight, target, id), resource, body, method === 'POST')
  if (!hadIds && !isOwn) return
  if (path.ownId !== undefined && body.id === path.ownId) body.id = MISSING + path.ownId
  return { ...request, url: path.url, payload: JSON.stringify(body) }
}

/** Whether there is nothing for the caller to see at that id, as authorize or a policy says so. */
function hides(sight: Sight, resource: Resource, id: unknown): boolean {
  if (!mayDo(sight.caller, 'View', resource.key)) return true
  return isPolicyHidden(sight, resource, id)
}

interface MissingPath {
  readonly url: string
  /** The id of the request's own record, if it was hidden. */
  readonly ownId: number | undefined
}

/** The URL without the ids of hidden records. */
function missingPath(model: Model, sight: Sight, method: string, url: string): MissingPath {
  const [path = '', ...query] = url.split('?')
  // An error shortens a long path.
  if (!/^(?:\/[a-z]{1,9}(?:\/[1-9]\d{0,7})?){1,6}$/.test(path)) return { url, ownId: undefined }
  const segments = path.split('/')
  let ownId: number | undefined
  const others = segments.map((segment, at) => {
    const isLast = at === segments.length - 1
    const holder = [...model.resources.values()].find(({ route }) => route === segments[at - 1])
    if (!/^\d/.test(segment) || holder === undefined || (isLast && method === 'POST')) return segment
    // Without a policy, the owner in a path is only a part of where the record is.
    if (!isPolicyHidden(sight, holder, segment)) return segment
    if (isLast) ownId = Number(segment)
    return String(MISSING + Number(segment))
  })
  return { url: [others.join('/'), ...query].join('?'), ownId }
}

function isPolicyHidden(sight: Sight, resource: Resource, id: unknown): boolean {
  return sight.row(resource, id) !== undefined && !sight.sees(resource, id)
}

/** The answer to a twin, as if it had been asked with the ids of the original. */
export function withOriginalIds(text: string): string {
  return text.replaceAll(/\b9\d{8}\b/g, (id) => String(Number(id) - MISSING))
}

type IsHidden = (target: Resource, id: unknown) => boolean

/** Whether the body had any. */
function hideIds(isHidden: IsHidden, resource: Resource, body: Body, isNew: boolean): boolean {
  let had = false
  const hide = (holder: Body, name: string, target: Resource): void => {
    const id = holder[name]
    if (!isHidden(target, id) || !Number.isInteger(id) || Number(id) < 1 || Number(id) >= MOST) return
    holder[name] = MISSING + Number(id)
    had = true
  }
  for (const { foreignKey, target } of resource.references) if (isNew) hide(body, foreignKey, target)
  for (const { name, target } of resource.links) {
    for (const element of bodiesIn(body[name])) hide(element, 'id', target)
  }
  for (const { name, target, many } of resource.owns) {
    for (const child of bodiesIn(body[name])) {
      hide(child, 'id', target)
      if (hideIds(isHidden, target, child, isNew || (many && !Object.hasOwn(child, 'id')))) had = true
    }
  }
  return had
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
