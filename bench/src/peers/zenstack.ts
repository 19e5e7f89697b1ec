import {
  always,
  forEachId,
  forEachSpareId,
  newChildren,
  type Requests,
  type Share,
  type Workloads,
} from '../load/requests.ts'
import { PAGE } from '../load/work.ts'
import { CHILDREN } from '../records.ts'

const include = { children: true }

/** Records by its RPC API, which nests; lists by its REST API, which counts. */
export const zenstack: Workloads = {
  read: {
    status: 200,
    requests: (share) =>
      forEachId(share, (id) => ({ method: 'GET', path: withQuery('findUnique', { where: { id }, include }) })),
  },
  list: {
    status: 200,
    requests: () =>
      always({
        method: 'GET',
        path: `/rest/parent?page[offset]=0&page[limit]=${PAGE}&sort=id&include=children`,
      }),
  },
  create: {
    status: 201,
    requests: (share) =>
      forEachId(share, (_, turn) => {
        const children = { create: newChildren(CHILDREN, turn) }
        const body = { data: { name: `new parent ${turn}`, quantity: turn, children }, include }
        return { method: 'POST', path: '/rpc/parent/create', body }
      }),
  },
  replace: { status: 200, requests: replacing },
  patch: {
    status: 200,
    requests: (share) =>
      forEachId(share, (id, turn) => {
        const body = { where: { id }, data: { quantity: share.records + turn }, include }
        return { method: 'PATCH', path: '/rpc/parent/update', body }
      }),
  },
  delete: {
    status: 200,
    mostDeleted: 4_000,
    requests: (share) =>
      forEachSpareId(share, (id) => ({ method: 'DELETE', path: withQuery('delete', { where: { id } }) })),
  },
}

function withQuery(operation: string, query: object): string {
  return `/rpc/parent/${operation}?q=${encodeURIComponent(JSON.stringify(query))}`
}

/** Says of each child what becomes of it, as it has no list that replaces another. */
function replacing(share: Share): Requests {
  const present = new Map<number, readonly number[]>()
  let asked = 0
  const { next } = forEachId(share, (id, turn) => {
    asked = id
    const ids = present.get(id) ?? Array.from({ length: CHILDREN }, (_, index) => (id - 1) * CHILDREN + index + 1)
    const quantity = share.records + turn
    const children = {
      delete: ids.slice(0, -2).map((childId) => ({ id: childId })),
      update: ids.slice(-2).map((childId) => ({ where: { id: childId }, data: { name: `child ${turn}`, quantity } })),
      create: newChildren(CHILDREN - 2, turn),
    }
    const body = { where: { id }, data: { name: `parent ${turn}`, quantity, children }, include }
    return { method: 'PUT', path: '/rpc/parent/update', body }
  })
  return {
    next,
    answered({ body }) {
      const { data } = JSON.parse(body) as { data: { children: readonly { id: number }[] } }
      if (data.children.length !== CHILDREN) throw new Error(`an update left ${data.children.length} children`)
      present.set(
        asked,
        data.children.map((child) => child.id).sort((a, b) => a - b),
      )
    },
  }
}
