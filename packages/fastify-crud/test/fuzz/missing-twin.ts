import type { Resource } from '@fastify-crud/core/internal'
import type { Model } from 'fastify-crud'
import { type Caller, mayDo } from './callers.ts'
import { pathnameOf } from './pathname-of.ts'
import type { FuzzedRequest } from './random-request.ts'
import { resourceAt } from './resource-at.ts'

type Body = Record<string, unknown>

/** What is added to an id: no record has one as high as that. */
const MISSING = 900_000_000
const MOST = 99_999_999

/**
 * The same request with ids that no record has, in place of those of records that the caller does not see. Undefined if it
 * has none. A refusal has to be the same for both. In a PUT or PATCH, foreign keys stay: the one that a record shows may be
 * sent back.
 */
export function missingTwin(model: Model, request: FuzzedRequest): FuzzedRequest | undefined {
  const { caller, method, url, payload } = request
  const resource = resourceAt(model, pathnameOf(url))
  if (resource === undefined || typeof payload !== 'string' || !['POST', 'PUT', 'PATCH'].includes(method)) return
  const body = parsed(payload)
  // A text that is not what JSON.stringify makes says more than can be sent again.
  if (!isBody(body) || JSON.stringify(body) !== payload || !hideIds(caller, resource, body, method === 'POST')) return
  return { ...request, payload: JSON.stringify(body) }
}

/** The answer to a twin, as if it had been asked with the ids of the original. */
export function withOriginalIds(text: string): string {
  return text.replaceAll(/\b9\d{8}\b/g, (id) => String(Number(id) - MISSING))
}

/** Whether the body had any. */
function hideIds(caller: Caller, resource: Resource, body: Body, isNew: boolean): boolean {
  const isHidden = (target: Resource): boolean => !mayDo(caller, 'View', target.key)
  let had = false
  const hide = (holder: Body, name: string): void => {
    const id = holder[name]
    if (!Number.isInteger(id) || Number(id) < 1 || Number(id) >= MOST) return
    holder[name] = MISSING + Number(id)
    had = true
  }
  for (const { foreignKey, target } of resource.references) if (isNew && isHidden(target)) hide(body, foreignKey)
  for (const { name, target } of resource.links) {
    if (isHidden(target)) for (const element of bodiesIn(body[name])) hide(element, 'id')
  }
  for (const { name, target, many } of resource.owns) {
    for (const child of bodiesIn(body[name])) {
      if (isHidden(target)) hide(child, 'id')
      if (hideIds(caller, target, child, isNew || (many && !Object.hasOwn(child, 'id')))) had = true
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
