import { CHILDREN } from './resources.ts'

export interface BenchRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly path: string
  readonly body?: object | null | undefined
}

/** Records of a list's page. */
export const PAGE = 20

export const WORKS = {
  read: 'read one',
  list: `list ${PAGE} with count`,
  create: `create with ${CHILDREN} children`,
  replace: 'PUT: 2 updated, 3 new, 3 removed',
  patch: 'PATCH one field',
  delete: 'DELETE with children',
}

export type WorkName = keyof typeof WORKS

/** The works that a service can do, each as a request about a record. */
export type Works = Readonly<Partial<Record<WorkName, (id: number) => BenchRequest>>>

export const ask = (method: BenchRequest['method'], path: string, body?: object | null): BenchRequest => ({
  method,
  path,
  body,
})

/** The fields after a write: never those that are there. */
export const changed = (id: number) => ({ name: `changed ${id}`, quantity: -id })

export const added = (count: number) => Array.from({ length: count }, (_, index) => changed(index))

/** The children that a PUT updates. It removes the others, and adds as many new ones. */
export const updated = (id: number) =>
  [id * CHILDREN - 1, id * CHILDREN].map((child) => ({ id: child, ...changed(child) }))

/** How this library and the services by hand are asked. */
export const works: Required<Works> = {
  read: (id) => ask('GET', `/api/parent/${id}`),
  list: () => ask('GET', `/api/parent?limit=${PAGE}&offset=0`),
  create: (id) => ask('POST', '/api/parent', { ...changed(id), children: added(CHILDREN) }),
  replace(id) {
    const children = [...updated(id), ...added(CHILDREN - 2)]
    return ask('PUT', `/api/parent/${id}`, { ...changed(id), children })
  },
  patch: (id) => ask('PATCH', `/api/parent/${id}`, { quantity: -id }),
  delete: (id) => ask('DELETE', `/api/parent/${id}`),
}
