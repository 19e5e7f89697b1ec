import { Type } from '@sinclair/typebox'
import { defineActions, defineResources, ownedBy, owns } from 'fastify-crud'
import type { JsonBody } from '../support/json-body.ts'
import type { Known } from './bodies.ts'
import type { Random } from './random.ts'
import type { StormRequest } from './requests.ts'

/** What a good has at first. */
export const FIRST_COUNT = 1_000

const count = Type.Integer({ default: 0 })

/** Stalls whose goods have an order, move to other stalls, and are sold by an action, which notes it. */
const market = defineResources({
  stall: { fields: { name: Type.String() }, relations: { goods: owns.many('good', { order: 'place' }) } },
  good: {
    topLevel: true,
    fields: { name: Type.String(), count, sold: count },
    relations: { stall: ownedBy('stall', { moves: true }) },
  },
  sale: { fields: { name: Type.String(), good: Type.String(), amount: Type.Integer() } },
})

export const marketDescriptors = market.descriptors

/** The actions of a storm. The sale has the token of its request as its name. */
export const marketActions = defineActions(market, {
  good: {
    sell: {
      body: Type.Object({ amount: Type.Integer({ minimum: 1 }) }),
      asks: 'Edit',
      async run({ id, body: { amount }, caller, store, system }) {
        await system.sale.create({ name: String(caller.token), good: String(id), amount })
        await store.good.patch(id, { count: { $add: -amount }, sold: { $add: amount } })
      },
    },
  },
})

const MOST_STALLS = 3
const MOST_GOODS = 10

/** A random write to stalls and goods. */
export function marketRequest(random: Random, known: Known, token: string): StormRequest | undefined {
  const stall = random.pick(known.stall)
  if (stall === undefined || (known.stall.length < MOST_STALLS && random.chance(0.3))) {
    const goods = [1, 2].map((number) => goodBody(`${token} g${number}`))
    return { ...ofTop('POST', '/api/stall', { name: token, goods }), resource: 'stall' }
  }
  const goods: JsonBody[] = known.stall.flatMap((one) => one.goods)
  const good = random.pick(goods)
  if (good === undefined || (goods.length < MOST_GOODS && random.chance(0.2))) {
    const place = placeIn(random, stall)
    const body = { ...goodBody(token), ...place }
    return { ...ofTop('POST', `/api/stall/${stall.id}/good`, body), target: [`stall/${stall.id}`] }
  }
  const request = random.pick([add, add, sell, sell, move, move, arrange, swap, removal])
  return request?.(random, { good, stall, goods, token })
}

interface Goods {
  readonly good: JsonBody
  /** Where the good may go. */
  readonly stall: JsonBody
  readonly goods: readonly JsonBody[]
  readonly token: string
}

const goodBody = (name: string): JsonBody => ({ name, count: FIRST_COUNT })

/** Before one that may be gone by then, or elsewhere. */
function placeIn(random: Random, { goods }: JsonBody): JsonBody {
  const before = random.pick<JsonBody>(goods)
  if (before === undefined || random.chance(0.3)) return {}
  return { $before: random.chance(0.3) ? null : before.id }
}

function add(random: Random, { good }: Goods): StormRequest {
  const by = 1 + random.int(9)
  return { ...ofGood('PATCH', good, { count: { $add: by } }), counts: { adds: by, sells: 0 } }
}

function sell(random: Random, { good }: Goods): StormRequest {
  const amount = 1 + random.int(9)
  const sale = ofGood('POST', good, { amount })
  return { ...sale, path: `${sale.path}/$act/sell`, counts: { adds: 0, sells: amount } }
}

function move(random: Random, { good, stall, token }: Goods): StormRequest {
  const named = random.chance(0.5) ? { name: token } : {}
  return ofGood('PATCH', good, { ...named, stallId: stall.id, ...placeIn(random, stall) })
}

function arrange(random: Random, { stall }: Goods): StormRequest | undefined {
  const some = random.some<JsonBody>(stall.goods, 2)
  const [one] = some
  if (one === undefined) return undefined
  const bodies = some.map(({ id }) => ({ id, ...placeIn(random, stall) }))
  const places = bodies.map((body) => (body.$before === body.id ? { id: body.id, $before: null } : body))
  return {
    ...ofTop('PATCH', `/api/stall/${stall.id}`, { goods: places }),
    resource: 'stall',
    target: [`stall/${stall.id}`],
  }
}

/** Two goods change their stalls, or whatever their stalls are by then. */
function swap(random: Random, { goods }: Goods): StormRequest | undefined {
  const [one, other] = random.some(goods, 2)
  if (one === undefined || other === undefined) return undefined
  const bodies = [
    { id: one.id, stallId: other.stallId },
    { id: other.id, stallId: one.stallId },
  ]
  return { ...ofTop('PATCH', '/api/good', bodies), many: bodies.map(({ id }) => `good/${id}`) }
}

function removal(random: Random, { good, goods }: Goods): StormRequest | undefined {
  if (goods.length < MOST_GOODS || !random.chance(0.5)) return undefined
  return { ...ofGood('DELETE', good, undefined), resource: '', removes: true }
}

function ofTop(method: StormRequest['method'], path: string, body: StormRequest['body']): StormRequest {
  return { method, path, ...(body !== undefined && { body }), target: [], resource: 'good', removes: false }
}

function ofGood(method: StormRequest['method'], { id }: JsonBody, body: JsonBody): StormRequest {
  return { ...ofTop(method, `/api/good/${id}`, body), target: [`good/${id}`] }
}
