import { CHILDREN } from './resources.ts'
import { added, ask, changed, PAGE, updated, type Works } from './works.ts'

/** Its REST API does one table at a time. It has no PATCH, but a PUT of a whole row. */
export const platformatic: Works = {
  read: (id) => ask('GET', `/parent/${id}`),
  list: () => ask('GET', `/parent/?limit=${PAGE}&offset=0&totalCount=true`),
  create: (id) => ask('POST', '/parent/', changed(id)),
  patch: (id) => ask('PUT', `/parent/${id}`, changed(id)),
  delete: (id) => ask('DELETE', `/parent/${id}`),
}

const include = { children: true }
const query = (value: object) => `?q=${encodeURIComponent(JSON.stringify(value))}`

/** Records by its RPC API, lists by its REST API. An update says of each child what becomes of it. */
export const zenstack: Works = {
  read: (id) => ask('GET', `/rpc/parent/findUnique${query({ where: { id }, include })}`),
  list: () => ask('GET', `/rest/parent?page[limit]=${PAGE}&sort=id&include=children`),
  create(id) {
    const data = { ...changed(id), children: { create: added(CHILDREN) } }
    return ask('POST', '/rpc/parent/create', { data, include })
  },
  replace(id) {
    const children = {
      delete: Array.from({ length: CHILDREN - 2 }, (_, index) => ({ id: (id - 1) * CHILDREN + index + 1 })),
      update: updated(id).map(({ id, ...data }) => ({ where: { id }, data })),
      create: added(CHILDREN - 2),
    }
    return ask('PATCH', '/rpc/parent/update', { where: { id }, data: { ...changed(id), children }, include })
  },
  patch: (id) => ask('PATCH', '/rpc/parent/update', { where: { id }, data: { quantity: -id }, include }),
  delete: (id) => ask('DELETE', `/rpc/parent/delete${query({ where: { id } })}`),
}

/** Clients of SAP CAP choose the ids: above all that are there. */
const withIds = (id: number, count: number) =>
  added(count).map((child, index) => ({ id: 1_000_000 + id * CHILDREN + index, ...child }))

/** OData with deep reads and writes. */
export const cap: Works = {
  read: (id) => ask('GET', `/odata/Parents(${id})?$expand=children`),
  list: () => ask('GET', `/odata/Parents?$top=${PAGE}&$count=true&$orderby=id&$expand=children`),
  create: (id) =>
    ask('POST', '/odata/Parents', { id: 1_000_000 + id, ...changed(id), children: withIds(id, CHILDREN) }),
  replace(id) {
    const children = [...updated(id), ...withIds(id, CHILDREN - 2)]
    return ask('PUT', `/odata/Parents(${id})`, { ...changed(id), children })
  },
  patch: (id) => ask('PATCH', `/odata/Parents(${id})`, { quantity: -id }),
  delete: (id) => ask('DELETE', `/odata/Parents(${id})`),
}
