import type { HTTPMethods } from 'fastify'
import { CHILDREN } from './resources.ts'

/** Records of a list's page. */
export const PAGE = 20

/** Lists that a query chooses from. */
export const PAGES = {
  filtered: 'page with filter and sort',
  related: 'page with a filter through a relation',
  fields: 'page with two fields',
  cursor: 'page behind a cursor',
  counted: 'page with count=1000',
}

export type PageName = keyof typeof PAGES

/** With the type of the keys. */
export const keysOf = <Key extends string>(all: Readonly<Record<Key, unknown>>): Key[] => Object.keys(all) as Key[]

export function forPages<Value>(toValue: (name: PageName) => Value): Record<PageName, Value> {
  return Object.fromEntries(keysOf(PAGES).map((name) => [name, toValue(name)])) as Record<PageName, Value>
}

export const WORKS = {
  read: 'read one',
  list: `list ${PAGE} with count`,
  create: `create with ${CHILDREN} children`,
  replace: 'PUT: 2 updated, 3 new, 3 removed',
  patch: 'PATCH one field',
  delete: 'DELETE with children',
  ...PAGES,
}

export type WorkName = keyof typeof WORKS

/** How this library and the services by hand are asked: each work as a request about a record. */
export const works = {
  read: (id: number) => ask('GET', `/api/parent/${id}`),
  list: () => ask('GET', `/api/parent?limit=${PAGE}&offset=0`),
  create: (id: number) => ask('POST', '/api/parent', { ...changed(id), children: added(CHILDREN) }),
  replace(id: number) {
    const children = [...updated(id), ...added(CHILDREN - 2)]
    return ask('PUT', `/api/parent/${id}`, { ...changed(id), children })
  },
  patch: (id: number) => ask('PATCH', `/api/parent/${id}`, { quantity: -id }),
  delete: (id: number) => ask('DELETE', `/api/parent/${id}`),
  filtered: (id: number) => list(`filter[quantity][gte]=${id}&sort=-quantity`),
  related: (id: number) => list(`filter[children.quantity]=${id}`),
  fields: (id: number) => list(`fields=name,quantity&offset=${id % 100}`),
  cursor: (id: number) => list(`sort=quantity&after=${cursorBehind(id)}`),
  counted: (id: number) => list(`count=1000&offset=${id % 100}`),
}

const list = (query: string) => ask('GET', `/api/parent?limit=${PAGE}&${query}`)

/** As this library has it behind a record. One that it does not take any more ends the benchmark. */
const cursorBehind = (id: number) => Buffer.from(`["Dp-hlPQNxKrEcQBf","${id}",${id}]`).toString('base64url')

/** The services by hand have a path for each page. */
export const worksByHand: Works = {
  ...works,
  ...forPages((name) => (id: number) => ask('GET', `/api/${name}?from=${id}`)),
}

export type Work = (id: number) => BenchRequest
type AllWorks = Readonly<Record<WorkName, Work>>

/** The works that a service can do. All can read. */
export type Works = Pick<AllWorks, 'read'> & Partial<AllWorks>

export type BenchRequest = ReturnType<typeof ask>

export function ask(method: HTTPMethods, path: string, body?: object | null) {
  return { method, path, body }
}

/** The fields after a write: never those that are there. */
export const changed = (id: number) => ({ name: `changed ${id}`, quantity: -id })

export const added = (count: number) => Array.from({ length: count }, (_, index) => changed(index))

/** The children that a PUT updates. It removes the others, and adds as many new ones. */
export const updated = (id: number) =>
  [id * CHILDREN - 1, id * CHILDREN].map((child) => ({ id: child, ...changed(child) }))
