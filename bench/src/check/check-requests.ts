import type { BenchRequest } from '../load/request.ts'
import { AUTHORIZATION } from '../servers/access.ts'

/** A request whose answer must be the same on all sides. */
export interface CheckRequest extends BenchRequest {
  readonly authorization?: string
}

const record = '/api/parent/7'
const own = { name: 'seven', quantity: 7 }
const [first, second] = [
  { id: 34, name: 'kept', quantity: 1 },
  { id: 35, name: 'kept too', quantity: 2 },
]
const added = { name: 'new', quantity: 3 }

const answered: readonly CheckRequest[] = [
  { method: 'GET', path: record },
  { method: 'GET', path: '/api/parent' },
  { method: 'GET', path: '/api/parent?limit=20&offset=40' },
  { method: 'GET', path: '/api/parent?limit=3&offset=999' },
  { method: 'GET', path: '/api/parent?offset=1000' },
  { method: 'POST', path: '/api/parent', body: { ...own, children: [added, added, added, added, added] } },
  { method: 'POST', path: '/api/parent', body: own },
  { method: 'POST', path: '/api/parent', body: { name: '"\\ \u2028 äöü 🙂', quantity: -1, children: [] } },
  { method: 'PUT', path: record, body: { ...own, children: [second, first, added, added, added] } },
  { method: 'PUT', path: record, body: { id: 7, ...own, children: [first] } },
  { method: 'GET', path: record },
  { method: 'PATCH', path: record, body: { quantity: 8 } },
  { method: 'PATCH', path: record, body: { id: 7, name: 'eight' } },
  { method: 'PATCH', path: record, body: {} },
  { method: 'PUT', path: record, body: own },
  { method: 'DELETE', path: record },
  { method: 'DELETE', path: '/api/parent/8' },
  { method: 'GET', path: '/api/parent?limit=10' },
]

const refused: readonly CheckRequest[] = [
  ...(['GET', 'DELETE'] as const).map((method): CheckRequest => ({ method, path: record })),
  { method: 'PUT', path: record, body: own },
  { method: 'PATCH', path: record, body: { quantity: 1 } },
  { method: 'GET', path: '/api/parent/01' },
  { method: 'GET', path: '/api/parent/x' },
  { method: 'GET', path: '/api/parent?limit=0' },
  { method: 'GET', path: '/api/parent?limit=101' },
  { method: 'GET', path: '/api/parent?offset=-1' },
  { method: 'GET', path: '/api/parent?page=1' },
  ...[
    { name: 'a' },
    { ...own, quantity: '12' },
    { ...own, quantity: null },
    { ...own, quantity: 1.5 },
    { ...own, name: 5 },
    { ...own, other: 1 },
    { id: 5, ...own },
    { ...own, children: null },
    { ...own, children: {} },
    { ...own, children: [null] },
    { ...own, children: [{ ...added, other: 1 }] },
    { ...own, children: [{ ...added, id: 3 }] },
    { ...own, children: [{ name: 'a' }] },
    [],
    null,
  ].map((body): CheckRequest => ({ method: 'POST', path: '/api/parent', body })),
  ...[
    { ...own, id: 2 },
    { ...own, children: [{ id: 15, ...added }] },
    { ...own, children: [{ id: 999_999, ...added }] },
    {
      ...own,
      children: [
        { id: 1, ...added },
        { id: 1, ...added },
      ],
    },
    { ...own, children: [{ id: '1', ...added }] },
    { ...own, children: [{ id: 1, name: 'a' }] },
    { quantity: 1 },
  ].map((body): CheckRequest => ({ method: 'PUT', path: '/api/parent/1', body })),
  ...[{ name: null }, { quantity: 'x' }, { other: 1 }, { id: 2 }].map(
    (body): CheckRequest => ({ method: 'PATCH', path: '/api/parent/1', body }),
  ),
  ...(['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const).map(
    (method): CheckRequest => ({
      method,
      path: method === 'POST' ? '/api/parent' : '/api/parent/1',
      authorization: 'Bearer somebody',
      ...(method !== 'GET' && method !== 'DELETE' && { body: own }),
    }),
  ),
]

/** From a fresh database on, in this order: what is answered, then what is refused and changes nothing. */
export const checkRequests: readonly CheckRequest[] = [...answered, ...refused]

export async function ask(port: number, request: CheckRequest) {
  const { method, path, body, authorization = AUTHORIZATION } = request
  const headers = { authorization, ...(body !== undefined && { 'content-type': 'application/json' }) }
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method,
    headers,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  if (response.status >= 400) return { status: response.status }
  return {
    status: response.status,
    type: response.headers.get('content-type'),
    location: response.headers.get('location'),
    body: text === '' ? undefined : JSON.parse(text),
  }
}
