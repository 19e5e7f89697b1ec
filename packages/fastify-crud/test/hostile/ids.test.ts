import { Type } from '@sinclair/typebox'
import { defineResources, type IdDeclaration, knows, type Model, needs, ownedBy, owns } from 'fastify-crud'
import { beforeEach, expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../test/support/json-body.ts'
import { chosenKinds } from '../contract/ids/kinds.ts'

/** A record of each kind, what it owns, and what names it; below it, ids of one part and of two. */
function modelOf(id: IdDeclaration): Model {
  const named = { id, fields: { name: Type.String() } } as const
  return defineResources({
    order: { ...named, relations: { lines: owns.many('line'), slots: owns.many('slot'), seats: owns.many('seat') } },
    line: { ...named, relations: { order: ownedBy('order') } },
    slot: {
      id: ['order', 'place'],
      fields: { place: Type.Integer(), name: Type.String() },
      relations: { order: ownedBy('order') },
    },
    seat: {
      id: ['order', 'row', 'place'],
      fields: { row: Type.String(), place: Type.String(), name: Type.String() },
      relations: { order: ownedBy('order') },
    },
    visit: { ...named, relations: { order: needs.one('order'), others: knows.many('order') } },
  }) as Model
}

/** Texts that are like an id of one kind or another, or like what programs take for more than a text. */
function spellingsOf(id: unknown): string[] {
  const text = String(id)
  const other = [
    ` ${text}`,
    `${text} `,
    `+${text}`,
    `0${text}`,
    `${text}.0`,
    `${text}e0`,
    `${text}n`,
    `${text},`,
    `,${text}`,
    `${text}~`,
    `${text}/`,
    `${text}%`,
    `${text}%2F`,
    `${text}\u0000`,
    `${text}\u200b`,
    `"${text}"`,
    `{${text}}`,
    `urn:uuid:${text}`,
    `[${text}]`,
    `${text}' or '1'='1`,
    `${text}; drop table "order"; --`,
    `${text}) or 1=1 --`,
    text.replaceAll('1', '١'),
    text.replaceAll('1', '１'),
    text.replaceAll('a', 'а'),
    text.replaceAll('-', '‐'),
    text.replaceAll('-', '').replace(/^(.{4})/, '$1-'),
    text.normalize('NFD'),
    text.split('').reverse().join(''),
  ]
  const always = [
    '%2F',
    '%2e%2e',
    '$and',
    '__proto__',
    'constructor',
    'null',
    'true',
    '1,2',
    '1~12',
    'NaN',
    'Infinity',
    '1e3',
  ]
  return [...new Set([...other, ...always])].filter((one) => one !== text && one.length <= 100)
}

const NO_IDS: readonly unknown[] = [
  null,
  true,
  1.5,
  1e30,
  [],
  ['1'],
  {},
  { id: 1 },
  '',
  'x'.repeat(300),
  '١'.repeat(300),
]

for (const { title, id, next } of chosenKinds()) {
  describeOnBoth(`spellings of ids of the kind: ${title}`, (database) => {
    const service = useApp(database, modelOf(id))
    const named = (others: object = {}) => ({ ...(next && { id: next() }), name: 'n', ...others })
    let order: JsonBody
    let other: JsonBody
    let visit: JsonBody
    let spellings: unknown[]

    beforeEach(async () => {
      const children = () => ({
        lines: [named()],
        slots: [{ place: 12, name: 's' }],
        seats: [
          { row: 'a,b', place: 'c', name: 's' },
          { row: 'a', place: 'b,c', name: 's' },
        ],
      })
      other = await service.add('/api/order', named(children()))
      order = await service.add('/api/order', named(children()))
      visit = await service.add('/api/visit', named({ orderId: order.id }))
      const asOtherType = typeof order.id === 'number' ? String(order.id) : Number(order.id)
      spellings = [...spellingsOf(order.id), ...(Number.isNaN(asOtherType) ? [] : [asOtherType])]
    })

    const path = (...segments: unknown[]) => `/api/${segments.map((one) => encodeURIComponent(String(one))).join('/')}`

    async function refuse(method: string, at: string, body: unknown, statuses: readonly number[]): Promise<void> {
      const { status } = await service.request(method, at, body)
      expect(statuses, `${method} ${at} ${JSON.stringify(body)}: ${status}`).toContain(status)
    }

    test('reach no record by a path', async () => {
      const before = await service.snapshot()
      const texts = spellings.filter((one) => typeof one === 'string' && one !== String(order.id))
      for (const one of texts) {
        for (const at of [path('order', one), path('order', one, 'line', order.lines[0].id)]) {
          for (const method of ['GET', 'DELETE']) await refuse(method, at, undefined, [400, 404])
          await refuse('PATCH', at, { name: 'x' }, [400, 404])
          await refuse('PUT', at, { name: 'x' }, [400, 404])
        }
      }
      await refuse('GET', path('order', 'x'.repeat(300)), undefined, [414])
      expect(await service.snapshot()).toEqual(before)
    })

    test('name no record in a body', async () => {
      const before = await service.snapshot()
      for (const one of [...spellings, ...NO_IDS]) {
        if (one !== null) {
          await refuse('PATCH', path('visit', visit.id), { orderId: one }, [400])
          await refuse('PUT', path('order', order.id), { ...order, id: one }, [400])
        }
        await refuse('PATCH', path('visit', visit.id), { others: [{ id: one }] }, [400])
        if (next === undefined)
          await refuse('PATCH', path('order', order.id), { lines: [{ id: one, name: 'x' }] }, [400])
        await refuse('PUT', '/api/order', { ...order, id: one }, [400, 404])
      }
      expect(await service.snapshot()).toEqual(before)
    })

    test('find no record by a filter', async () => {
      for (const one of [...spellings, ...NO_IDS]) {
        if (one === null || (Array.isArray(one) && one.length === 0)) continue
        for (const filter of [{ id: one }, { id: { in: [one] } }, { orderId: one }]) {
          const resource = 'orderId' in filter ? 'visit' : 'order'
          const query = new URLSearchParams({ filter: JSON.stringify(filter) })
          const { status, body } = await service.get(`/api/${resource}?${query}`)
          if (status === 200) expect(body.rows, JSON.stringify(filter)).toEqual([])
          else expect(status, JSON.stringify(filter)).toBe(400)
        }
      }
    })

    test('of parts that are shifted against each other are two', async () => {
      const ids = order.seats.map((seat: JsonBody) => seat.id)
      expect(ids).toEqual(['a,b~1c', 'a~1b,c'])
      for (const seat of order.seats) expect(await service.read(path('order', order.id, 'seat', seat.id))).toEqual(seat)
      const before = await service.snapshot()
      for (const one of [
        'a,b,c',
        'a~1b~1c',
        'a,b',
        'b~1c,a',
        'a ,b~1c',
        'a,b~1c,',
        ',a,b~1c',
        'a,b~2c',
        'a,b~1C',
        '~0,~1',
      ]) {
        for (const method of ['GET', 'DELETE']) {
          await refuse(method, path('order', order.id, 'seat', one), undefined, [400, 404])
        }
      }
      expect(await service.snapshot()).toEqual(before)
    })

    test('of a part of another owner reach nothing', async () => {
      const before = await service.snapshot()
      const ofOther = other.lines[0].id
      for (const one of ['12.0', '012', '+12', '١٢', '12,', `${order.id},12`, `${other.id},12`, '12 or 1=1']) {
        await refuse('DELETE', path('order', order.id, 'slot', one), undefined, [400, 404])
        await refuse('PATCH', path('order', order.id), { slots: [{ id: one, name: 'x' }] }, [400])
      }
      await refuse('DELETE', path('order', order.id, 'line', ofOther), undefined, [404])
      expect(await service.snapshot()).toEqual(before)
    })
  })
}
