import type { Random } from '../../../../../test/storm/random.ts'
import type { JsonBody } from '../../../../../test/support/json-body.ts'
import { missingId } from '../support/as-caller.ts'
import type { Ids } from './twins.ts'

/** A request; `again` sends what a GET of the path has shown, with some elements of its arrays left out. */
export interface RandomRequest {
  readonly method: string
  readonly path: string
  readonly body?: JsonBody
  readonly again?: boolean
  /** The header of this name. */
  readonly prefer?: string
}

const kinds = ['invoice', 'customer', 'project', 'tag', 'reminder', 'board', 'line', 'note', 'seal', 'part', 'reply']
const methods = [
  ...['list', 'GET', 'GET', 'POST', 'PUT', 'PATCH', 'PATCH', 'again', 'again', 'DELETE'],
  ...['POST many', 'PATCH many', 'PATCH matching', 'DELETE matching', 'PUT by'],
  ...['long list', 'take away', 'move', 'move', 'arrange', 'add', 'act', 'trash', 'trash', 'batch', 'batch'],
]

const BATCH = '/api/$batch'

/** A request for rows that are seen, hidden or missing, with a body that refers to others of them. */
export function randomRequest(random: Random, ids: Ids): RandomRequest {
  const choose = <Item>(items: readonly Item[]) => random.pick(items) as Item
  const id = (kind: string) => (random.chance(0.08) ? missingId : choose(ids[kind] ?? []))
  const kind = random.chance(0.3) ? 'invoice' : choose(kinds)
  const method = choose(methods)
  const collection = collectionOf(kind, id)
  const path = `${collection}/${id(kind)}`
  const body = () => randomBody(random, id, kind, method === 'POST')
  const part = () => Object.fromEntries(Object.entries(body()).filter(() => random.chance(0.5)))
  const some = (one: () => JsonBody) => Array.from({ length: 1 + random.int(3) }, one)
  switch (method) {
    case 'list':
      return { method: 'GET', path: `${collection}?limit=${1 + random.int(4)}&offset=${random.int(3)}` }
    case 'long list':
      return { method: 'POST', path: `${collection}/$list`, body: { limit: 1 + random.int(4), offset: random.int(3) } }
    case 'POST':
      return { method, path: collection, body: body() }
    case 'PUT':
      return { method, path, body: body() }
    case 'PATCH':
      return { method, path, body: part() }
    case 'POST many':
      return { method: 'POST', path: collection, body: some(() => randomBody(random, id, kind, true)) }
    case 'PATCH many':
      return { method: 'PATCH', path: collection, body: some(() => ({ ...part(), id: id(kind) })) }
    case 'PATCH matching':
    case 'DELETE matching': {
      const matching = `${collection}?filter[id][gte]=${id(kind)}`
      const most = { prefer: `max-affected=${random.int(6)}` }
      if (method === 'DELETE matching') return { method: 'DELETE', path: matching, ...most }
      return { method: 'PATCH', path: matching, body: part(), ...most }
    }
    case 'PUT by': {
      const code = choose(['A', 'Z', 'N'])
      return {
        method: 'PUT',
        path: '/api/customer?by=code',
        body: { ...randomBody(random, id, 'customer', true), code },
      }
    }
    case 'move':
      return moveRequest(random, id)
    case 'take away':
      return takingAway(random, id)
    case 'arrange':
      return arrangement(random, id)
    case 'add':
      return { method: 'PATCH', path: `/api/line/${id('line')}`, body: { count: { $add: random.int(5) } } }
    case 'act':
      if (random.chance(0.2)) return { method: 'POST', path: '/api/invoice/$act/count' }
      return {
        method: 'POST',
        path: `/api/invoice/${id('invoice')}/$act/gather`,
        body: { line: id('line'), count: random.int(3) },
      }
    case 'trash':
      return trashRequest(random, id('board'))
    case 'batch': {
      const inner = some(() => randomRequest(random, ids)).filter((one) => !one.again && one.path !== BATCH)
      const requests = inner.map(({ prefer, path: whole, ...one }) => ({
        ...one,
        path: whole.slice('/api'.length),
        ...(prefer !== undefined && { maxAffected: Number(prefer.split('=')[1]) }),
      }))
      return {
        method: 'POST',
        path: BATCH,
        body: { requests },
        ...(random.chance(0.3) && { prefer: 'return=effects' }),
      }
    }
    case 'again':
      return { method: 'PUT', path, again: true }
    default:
      return { method, path }
  }
}

type IdOf = (kind: string) => number

/** Where an element goes, maybe. */
function placeBefore(random: Random, id: IdOf, kind: string): JsonBody {
  return random.chance(0.5) ? {} : { $before: random.chance(0.2) ? null : id(kind) }
}

/** By the path below an owner, or at the top. */
function moveRequest(random: Random, id: IdOf): RandomRequest {
  const kind = random.chance(0.5) ? 'line' : 'note'
  const one = () => ({ id: id(kind), invoiceId: id('invoice'), ...placeBefore(random, id, kind) })
  if (random.chance(0.2)) return { method: 'PATCH', path: `/api/${kind}`, body: [one(), one()] }
  const { id: own, ...body } = one()
  const owner = random.chance(0.5) ? `/invoice/${id('invoice')}` : ''
  return { method: 'PATCH', path: `/api${owner}/${kind}/${own}`, body }
}

function arrangement(random: Random, id: IdOf): RandomRequest {
  const elements = (kind: string) =>
    Array.from({ length: random.int(3) }, () => ({ id: id(kind), ...placeBefore(random, id, kind) }))
  const body = { lines: elements('line'), notes: elements('note'), tags: elements('tag') }
  return { method: 'PATCH', path: `/api/invoice/${id('invoice')}`, body }
}

/** Some of what an invoice has, beside what is added. */
function takingAway(random: Random, id: IdOf): RandomRequest {
  const elements = (kind: string) => Array.from({ length: random.int(3) }, () => ({ id: id(kind), $remove: true }))
  const added = random.chance(0.3) ? [{ text: `text ${random.int(1_000_000)}` }] : []
  const body = { lines: [...elements('line'), ...added], notes: elements('note'), tags: elements('tag') }
  return { method: 'PATCH', path: `/api/invoice/${id('invoice')}`, body }
}

/** The boards that were deleted are sorted by their ids: when they were, differs. */
function trashRequest(random: Random, id: number): RandomRequest {
  const ways: readonly RandomRequest[] = [
    { method: 'GET', path: '/api/board/$deleted?sort=id' },
    { method: 'GET', path: `/api/board/$deleted/${id}` },
    { method: 'POST', path: `/api/board/${id}/$restore` },
    { method: 'DELETE', path: `/api/board/$deleted/${id}` },
    { method: 'DELETE', path: `/api/board/${id}` },
  ]
  return random.pick(ways) as RandomRequest
}

function collectionOf(kind: string, id: (kind: string) => number): string {
  switch (kind) {
    case 'line':
    case 'note':
    case 'seal':
      return `/api/invoice/${id('invoice')}/${kind}`
    case 'part':
      return `/api/invoice/${id('invoice')}/line/${id('line')}/part`
    case 'reply':
      return `/api/invoice/${id('invoice')}/note/${id('note')}/reply`
    default:
      return `/api/${kind}`
  }
}

function randomBody(random: Random, id: (kind: string) => number, kind: string, isNew: boolean): JsonBody {
  const text = `text ${random.int(1_000_000)}`
  const mine = () => (random.chance(0.85) ? 1 : 2)
  const maybe = (share: number, property: () => JsonBody): JsonBody => (random.chance(share) ? property() : {})
  const list = (most: number, item: () => JsonBody) => Array.from({ length: random.int(most + 1) }, item)
  const element = (child: string) => (): JsonBody => ({
    ...(!isNew && maybe(0.6, () => ({ id: id(child) }))),
    ...randomBody(random, id, child, isNew),
  })
  switch (kind) {
    case 'invoice':
      return {
        number: text,
        orgId: mine(),
        customerId: id('customer'),
        ...maybe(0.6, () => ({ projectId: random.chance(0.3) ? null : id('project') })),
        ...maybe(0.6, () => ({ tags: list(3, () => ({ id: id('tag') })) })),
        ...maybe(0.6, () => ({ lines: list(2, element('line')) })),
        ...maybe(0.6, () => ({ notes: list(2, element('note')) })),
        ...maybe(0.3, () => ({ seal: random.chance(0.5) ? null : randomBody(random, id, 'seal', isNew) })),
      }
    case 'board':
      return { name: text, orgId: mine(), topId: id('invoice'), invoices: list(3, () => ({ id: id('invoice') })) }
    case 'reminder':
      return { text, orgId: mine(), invoiceId: id('invoice') }
    case 'line':
      return { text, ...maybe(0.5, () => ({ parts: list(2, element('part')) })) }
    case 'note':
      return { text, authorId: mine(), ...maybe(0.5, () => ({ replies: list(2, element('reply')) })) }
    case 'seal':
      return { text, signerId: mine() }
    case 'part':
    case 'reply':
      return { text }
    default:
      return { name: text, orgId: mine() }
  }
}

/** A record as it was shown, with some elements of its arrays left out. */
export function withLess(random: Random, record: JsonBody): JsonBody {
  const less = ([name, value]: [string, unknown]) => [
    name,
    Array.isArray(value) && random.chance(0.5) ? value.filter(() => random.chance(0.6)) : value,
  ]
  return Object.fromEntries(Object.entries(record).map((entry) => less(entry)))
}
