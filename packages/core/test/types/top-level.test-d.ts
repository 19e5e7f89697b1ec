import { Type } from '@sinclair/typebox'
import { describe, expectTypeOf, test } from 'vitest'
import { type CreateBody, defineResources, ownedBy, owns, type RecordOf, type Store } from '../../src/index.ts'

const model = defineResources({
  order: { id: 'uuid', relations: { lines: owns.many('line'), address: owns.one('address') } },
  line: {
    topLevel: true,
    id: ['order', 'number'],
    fields: { number: Type.Integer(), text: Type.String() },
    relations: { order: ownedBy('order') },
  },
  person: { fields: { name: Type.String() }, relations: { address: owns.one('address') } },
  address: {
    topLevel: true,
    fields: { street: Type.String() },
    relations: {
      order: ownedBy('order'),
      person: ownedBy('person', { foreignKey: 'ofPerson' }),
      doors: owns.many('door'),
    },
  },
  door: { fields: { label: Type.String() }, relations: { address: ownedBy('address') } },
})

type Orders = typeof model

/** For calls that the compiler is to judge and nobody is to make. */
function compiled(_calls: (store: Store<Orders>) => unknown): void {}

describe('Owned records at the top', () => {
  test('have the whole id and the foreign keys of their owners', () => {
    compiled(async (store) => {
      const line = await store.line.find('a,1')
      expectTypeOf(line).toEqualTypeOf<{ id: string; orderId: string; number: number; text: string }>()
      const { rows } = await store.address.list({ filter: { orderId: 'a', street: 'x' }, sort: ['-ofPerson'] })
      expectTypeOf(rows[0]?.orderId).toEqualTypeOf<string | null | undefined>()
      expectTypeOf(rows[0]?.ofPerson).toEqualTypeOf<number | null | undefined>()
      expectTypeOf(line).toEqualTypeOf<RecordOf<Orders, 'line', 'top'>>()
      const body = { orderId: 'a', number: 1, text: 'x' } satisfies CreateBody<Orders, 'line', 'top'>
      expectTypeOf(await store.line.create(body)).toEqualTypeOf<RecordOf<Orders, 'line', 'top'>>()
      expectTypeOf<RecordOf<Orders, 'line'>>().not.toHaveProperty('orderId')
      const some = await store.line.list({ fields: ['text', 'orderId'] })
      expectTypeOf(some.rows).toEqualTypeOf<{ id: string; orderId: string; text: string; partial?: true }[]>()
    })
  })

  test('are as before below their owners', () => {
    compiled(async (store) => {
      const lines = store.order.owned('a', 'lines')
      expectTypeOf(await lines.find(1)).toEqualTypeOf<RecordOf<Orders, 'line'>>()
      expectTypeOf<RecordOf<Orders, 'line'>>().toEqualTypeOf<{ id: number; number: number; text: string }>()
    })
  })

  test('are created with the foreign key of an owner, of which there may be several', () => {
    compiled((store) => [
      store.line.create({ orderId: 'a', number: 1, text: 'x' }),
      store.address.create({ orderId: 'a', street: 'x' }),
      store.address.create({ ofPerson: 1, orderId: null, street: 'x', doors: [{ label: 'l' }] }),
      // @ts-expect-error it names no owner
      store.line.create({ number: 1, text: 'x' }),
      // @ts-expect-error no such owner
      store.address.create({ lineId: 1, street: 'x' }),
      store.line.replace('a,1', { orderId: 'a', text: 'x' }),
      store.line.patch('a,1', { text: 'x' }),
      // @ts-expect-error the id is the whole one
      store.line.patch(1, { text: 'x' }),
    ])
  })

  test('own records that are reached through the owners', () => {
    compiled((store) => [
      // @ts-expect-error through its owner
      store.address.owned(1, 'doors'),
      store.person.owned(1, 'address').owned(2, 'doors'),
      // @ts-expect-error not at the top
      store.door,
    ])
  })
})
