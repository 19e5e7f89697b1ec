import { type Owns, type Resource, resourceOf } from '@fastify-crud/core/internal'
import type { Model } from 'fastify-crud'
import type { TestKysely } from './tables.ts'
import { givenId } from './test-ids.ts'

type Body = Readonly<Record<string, unknown>>

/** What a request is about: a collection, or a record in it. */
interface Target {
  readonly resource: Resource
  /** The record that the path names. */
  readonly id: unknown
}

/**
 * Gives ids to the new records of a request's body, as a client does where clients give them: the tests of the contract say nothing of ids.
 * Records that have an id keep it.
 */
export async function giveIds(
  model: Model,
  db: TestKysely,
  [method, path, body]: [method: string, path: string, body: unknown],
): Promise<unknown> {
  if (Array.isArray(body)) {
    const bodies: unknown[] = []
    for (const one of body) bodies.push(await giveIds(model, db, [method, path, one]))
    return bodies
  }
  const target = targetOf(model, path)
  if (target === undefined || !isRecord(body)) return body
  const { resource, id = body.id } = target
  if (method === 'POST') return target.id === undefined ? toNew(resource, body) : withOwned(resource, body, toNew)
  return toChanged(db, resource, id, body)
}

/** The body of a POST to a collection. */
export function toNew(resource: Resource, body: Body): Body {
  const id = givenId(resource.key)
  return withOwned(resource, id === undefined ? body : { id, ...body }, toNew)
}

function withOwned(resource: Resource, body: Body, each: (resource: Resource, body: Body) => Body): Body {
  const owned = resource.owns.flatMap(({ name, target }) => {
    const value = body[name]
    const change = (one: unknown) => (isRecord(one) ? each(target, one) : one)
    return value === undefined ? [] : [[name, Array.isArray(value) ? value.map(change) : change(value)]]
  })
  return { ...body, ...Object.fromEntries(owned) }
}

/** The body of a PUT or PATCH: elements without an id are new, and so is the only child of a record that has none. */
async function toChanged(db: TestKysely, resource: Resource, id: unknown, body: Body): Promise<Body> {
  const changed: Record<string, unknown> = { ...body }
  for (const owns of resource.owns) {
    const value = body[owns.name]
    const each = (one: unknown, known: unknown): unknown => {
      if (!isRecord(one)) return one
      return known === undefined ? toNew(owns.target, one) : toChanged(db, owns.target, known, one)
    }
    if (Array.isArray(value)) {
      const elements = value.map((one) => each(one, isRecord(one) ? one.id : undefined))
      changed[owns.name] = await Promise.all(elements)
    } else if (isRecord(value)) {
      changed[owns.name] = await each(value, value.id ?? (await idOfChild(db, owns, id)))
    }
  }
  return changed
}

async function idOfChild(db: TestKysely, { target, inverse }: Owns, owner: unknown): Promise<unknown> {
  const [idColumn] = target.idColumns
  const query = db.selectFrom(target.table).select(idColumn).where(inverse.column, '=', owner)
  return (await query.executeTakeFirst())?.[idColumn]
}

function targetOf(model: Model, path: string): Target | undefined {
  const segments = path.replace(/\?.*/s, '').split('/').map(decoded)
  const tops = [...model.resources.values()].filter(({ isRoot, isTopLevel }) => isRoot || isTopLevel)
  const isTop = (segment: string) => tops.some(({ route }) => route === segment)
  const [first, id, ...others] = segments.slice(Math.max(0, segments.findIndex(isTop)))
  const top = tops.find(({ route }) => route === first)
  if (top === undefined) return undefined
  let target: Target = { resource: resourceOf(model, top.key), id }
  while (others.length > 0) {
    const [segment, below] = others.splice(0, 2)
    const owned: Owns | undefined = target.resource.owns.find(
      ({ name, target: { route } }) => name === segment || route === segment,
    )
    if (owned === undefined) return undefined
    target = { resource: owned.target, id: below }
  }
  return target
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}

/** Not what a test sends in place of a record. */
function isRecord(value: unknown): value is Body {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
