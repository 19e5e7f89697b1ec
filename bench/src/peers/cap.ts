import { always, forEachId, forEachSpareId, newChildren, type Share, type Workloads } from '../load/requests.ts'
import { PAGE } from '../load/work.ts'
import { CHILDREN } from '../records.ts'

/** OData with deep reads and writes. Ids come from the client. */
export const cap: Workloads = {
  read: {
    status: 200,
    requests: (share) => forEachId(share, (id) => ({ method: 'GET', path: `/odata/Parent(${id})?$expand=children` })),
  },
  list: {
    status: 200,
    requests: () =>
      always({
        method: 'GET',
        path: `/odata/Parent?$top=${PAGE}&$skip=0&$count=true&$orderby=ID&$expand=children`,
      }),
  },
  create: {
    status: 201,
    requests: (share) => {
      const newId = newIds(share)
      return forEachId(share, (_, turn) => {
        const children = newChildren(CHILDREN, turn).map((child) => ({ ID: newId(), ...child }))
        const body = { ID: newId(), name: `new parent ${turn}`, quantity: turn, children }
        return { method: 'POST', path: '/odata/Parent', body }
      })
    },
  },
  replace: {
    status: 200,
    requests: (share) => {
      const newId = newIds(share)
      const kept = new Map<number, readonly number[]>()
      return forEachId(share, (id, turn) => {
        const quantity = share.records + turn
        const ids = kept.get(id) ?? [id * CHILDREN - 1, id * CHILDREN]
        const added = newChildren(CHILDREN - 2, turn).map((child) => ({ ID: newId(), ...child }))
        const children = [...ids.map((ID) => ({ ID, name: `child ${turn}`, quantity })), ...added]
        kept.set(
          id,
          added.slice(-2).map((child) => child.ID),
        )
        return { method: 'PUT', path: `/odata/Parent(${id})`, body: { name: `parent ${turn}`, quantity, children } }
      })
    },
  },
  patch: {
    status: 200,
    requests: (share) =>
      forEachId(share, (id, turn) => ({
        method: 'PATCH',
        path: `/odata/Parent(${id})`,
        body: { quantity: share.records + turn },
      })),
  },
  delete: {
    status: 204,
    mostDeleted: 1_000,
    requests: (share) => forEachSpareId(share, (id) => ({ method: 'DELETE', path: `/odata/Parent(${id})` })),
  },
}

const IDS_OF_A_CONNECTION = 10_000_000

/** Ids that no other connection gives. */
function newIds({ connection }: Share): () => number {
  let last = (connection + 1) * IDS_OF_A_CONNECTION
  return () => {
    last += 1
    return last
  }
}
