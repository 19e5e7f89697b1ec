import { CHILDREN } from '../records.ts'
import {
  always,
  forEachId,
  forEachSpareId,
  newChildren,
  type Requests,
  type Share,
  type Workloads,
} from './requests.ts'
import { PAGE } from './work.ts'

/** The requests that this library and the hand-written services answer alike. */
export const workloads: Required<Workloads> = {
  read: {
    status: 200,
    requests: (share) => forEachId(share, (id) => ({ method: 'GET', path: `/api/parent/${id}` })),
  },
  list: {
    status: 200,
    requests: () => always({ method: 'GET', path: `/api/parent?limit=${PAGE}&offset=0` }),
  },
  create: {
    status: 201,
    requests: (share) =>
      forEachId(share, (_, turn) => {
        const body = { name: `new parent ${turn}`, quantity: turn, children: newChildren(CHILDREN, turn) }
        return { method: 'POST', path: '/api/parent', body }
      }),
  },
  replace: { status: 200, requests: replacing },
  patch: {
    status: 200,
    requests: (share) =>
      forEachId(share, (id, turn) => {
        // Never the value that is there.
        const body = { quantity: share.records + turn }
        return { method: 'PATCH', path: `/api/parent/${id}`, body }
      }),
  },
  delete: {
    status: 204,
    requests: (share) => forEachSpareId(share, (id) => ({ method: 'DELETE', path: `/api/parent/${id}` })),
  },
}

/** Each PUT keeps two of the children that the last one left, whose ids its answer told. */
function replacing(share: Share): Requests {
  const kept = new Map<number, readonly number[]>()
  let asked = 0
  const { next } = forEachId(share, (id, turn) => {
    asked = id
    const [first, second] = kept.get(id) ?? [id * CHILDREN - 1, id * CHILDREN]
    const children = [
      { id: first, name: `child ${turn}`, quantity: share.records + turn },
      { id: second, name: `other child ${turn}`, quantity: share.records + turn },
      ...newChildren(CHILDREN - 2, turn),
    ]
    const body = { name: `parent ${turn}`, quantity: share.records + turn, children }
    return { method: 'PUT', path: `/api/parent/${id}`, body }
  })
  return {
    next,
    answered({ body }) {
      const { children } = JSON.parse(body) as { children: readonly { id: number }[] }
      if (children.length !== CHILDREN) throw new Error(`a PUT of ${CHILDREN} children left ${children.length}`)
      kept.set(
        asked,
        children.slice(-2).map((child) => child.id),
      )
    },
  }
}
