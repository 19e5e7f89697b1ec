import { always, forEachId, forEachSpareId, type Workloads } from '../load/requests.ts'
import { PAGE } from '../load/work.ts'

/** Its REST API does one table at a time: the parent alone. It has no PATCH, but a PUT of a whole row. */
export const platformatic: Workloads = {
  read: {
    status: 200,
    alone: true,
    requests: (share) => forEachId(share, (id) => ({ method: 'GET', path: `/parent/${id}` })),
  },
  list: {
    status: 200,
    alone: true,
    requests: () =>
      always({
        method: 'GET',
        path: `/parent/?limit=${PAGE}&offset=0&totalCount=true`,
      }),
  },
  create: {
    status: 200,
    alone: true,
    requests: (share) =>
      forEachId(share, (_, turn) => ({
        method: 'POST',
        path: '/parent/',
        body: { name: `new parent ${turn}`, quantity: turn },
      })),
  },
  patch: {
    status: 200,
    alone: true,
    requests: (share) =>
      forEachId(share, (id, turn) => ({
        method: 'PUT',
        path: `/parent/${id}`,
        body: { name: `parent ${id}`, quantity: share.records + turn },
      })),
  },
  delete: {
    status: 200,
    alone: true,
    requests: (share) => forEachSpareId(share, (id) => ({ method: 'DELETE', path: `/parent/${id}` })),
  },
}
