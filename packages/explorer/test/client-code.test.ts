import { createClient } from '@fastify-crud/client'
import { beforeAll, describe, expect, test } from 'vitest'
import type { ModelDocument } from '../page/model/model.ts'
import { type CodedRequest, clientCallOf, written } from '../page/service/client-code.ts'
import { actions, resources } from './browser/shop.ts'
import { describeModelOf } from './model-of.ts'

let model: ModelDocument
beforeAll(async () => {
  model = await describeModelOf(resources, actions)
})

interface Sent {
  readonly method: string
  readonly path: string
  readonly headers: Headers
  readonly body: unknown
}

/** What the client sends if somebody runs the code. */
async function run(code: string): Promise<readonly Sent[]> {
  const sent: Sent[] = []
  const answered = async (url: string | URL | Request, init: RequestInit = {}) => {
    const { method = 'GET', headers, body } = init
    sent.push({
      ...{ method, path: decodeURIComponent(String(url)), headers: new Headers(headers) },
      body: body === undefined ? undefined : JSON.parse(String(body)),
    })
    const headersBack = { 'content-type': 'application/json', 'effects-tag': '"tag"' }
    return new Response('{"id":7,"rows":[],"changes":[]}', { headers: headersBack })
  }
  const api = createClient({ url: '', model, fetch: answered as typeof fetch })
  const AsyncFunction = (async () => {}).constructor as new (
    ...code: string[]
  ) => (api: unknown, console: object) => Promise<void>
  await new AsyncFunction('api', 'console', code)(api, { log() {} })
  return sent
}

const REQUESTS: readonly [string, CodedRequest, string][] = [
  ['a list', of('GET', '/tag'), 'const { rows, count } = await api.tag.list()'],
  [
    'a list with all that one may ask for',
    of('GET', '/order?filter[lines.quantity][gte]=2&filter[placedAt][null]=false&sort=-number&fields=number&limit=100'),
    `const { rows, count } = await api.order.list({
  filter: { 'lines.quantity': { gte: 2 }, placedAt: { null: false } },
  sort: ['-number'],
  fields: ['number'],
  limit: 100,
})`,
  ],
  ['a record', of('GET', '/order/7'), 'const record = await api.order.find(7)'],
  ['what it owns', of('GET', '/order/7/line/2'), "const record = await api.order.owned(7, 'lines').find(2)"],
  [
    'a record as it was',
    of('GET', '/order/7?at=2026-11-25T10:00:00Z'),
    "const record = await api.order.find(7, { at: '2026-11-25T10:00:00Z' })",
  ],
  ['a new record', of('POST', '/tag', { label: "it's" }), "const record = await api.tag.create({ label: 'it\\'s' })"],
  [
    'a change of what was read',
    of('PATCH', '/product/7', { price: '2.50' }, { 'if-match': '"abc"' }),
    "const record = await api.product.patch({ id: 7, $etag: '\"abc\"' }, { price: '2.50' })",
  ],
  [
    'a preview',
    of('DELETE', '/product/7', undefined, { prefer: 'return=effects, tx=rollback' }),
    'const preview = await api.product.preview.delete(7)\nconsole.log(preview.changes)',
  ],
  [
    'many by a filter',
    of('PATCH', '/tag?filter[label]=old', { label: 'new' }, { prefer: 'max-affected=1000' }),
    "const { count } = await api.tag.patchMatching({ filter: { label: { eq: 'old' } }, maxAffected: 1000 }, { label: 'new' })",
  ],
  ['many by their ids', of('PATCH', '/tag', [{ id: 1 }]), 'const { rows } = await api.tag.patchMany([{ id: 1 }])'],
  [
    'an action',
    of('POST', '/product/7/$act/reprice', { price: '1.00' }),
    "const answer = await api.product.act(7, 'reprice', { price: '1.00' })",
  ],
  ['the trash', of('GET', '/order/$deleted?limit=50'), 'const { rows } = await api.order.deleted.list({ limit: 50 })'],
  ['a purge', of('DELETE', '/order/$deleted/7'), 'await api.order.purge(7)'],
  ['a return', of('POST', '/order/7/$restore'), 'const record = await api.order.restore(7)'],
  ['a history', of('GET', '/order/7/$history?limit=3'), 'const { rows } = await api.order.history(7, { limit: 3 })'],
  ['an undo', of('POST', '/order/7/$history/w1/$undo'), "const record = await api.order.undo(7, 'w1')"],
  [
    'groups',
    of('GET', '/order/$group?by=status&values=count()'),
    "const { rows } = await api.order.group({ by: ['status'], values: ['count()'] })",
  ],
]

function of(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): CodedRequest {
  return { method, path, headers, ...(body !== undefined && { body }) }
}

describe('the code of a request', () => {
  test.each(REQUESTS)('%s: is what one writes, and sends it', async (_, request, code) => {
    expect(clientCallOf(request, model)).toBe(code)
    const [first, ...others] = await run(code)
    expect(others).toEqual([])
    expect([first?.method, first?.path.split('?')[0], first?.body]).toEqual([
      request.method,
      request.path.split('?')[0],
      request.body,
    ])
    expect(first?.headers.get('if-match') ?? undefined).toBe(request.headers['if-match'])
  })

  test('of a confirmed write is its preview and what confirms it', async () => {
    const request = of('DELETE', '/product/7', undefined, { prefer: 'return=effects', 'effects-match': '"tag"' })
    const code = String(clientCallOf(request, model))
    expect(code).toBe('const preview = await api.product.preview.delete(7)\nawait preview.confirm()')
    const [, confirmed] = await run(code)
    expect(confirmed?.headers.get('effects-match')).toBe('"tag"')
  })

  test('is none of the client where the client has no method', () => {
    expect(clientCallOf(of('GET', '/soap'), model)).toBeUndefined()
    expect(clientCallOf(of('PUT', '/product/7', {}), model)).toBeUndefined()
  })

  test('has texts and names that JavaScript reads as they are', () => {
    const value = { 'a-b': 'it\'s "so"\n', of: [1, null, true, { $etag: '"x"' }], none: [] }
    expect(new Function(`return ${written(value)}`)()).toEqual(value)
  })
})
