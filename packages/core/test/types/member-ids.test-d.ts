import { Type } from '@sinclair/typebox'
import { describe, expectTypeOf, test } from 'vitest'
import {
  type Collection,
  type CreateBody,
  dbDefault,
  defineResources,
  field,
  needs,
  ownedBy,
  owns,
  type PatchBody,
  type RecordOf,
  type ReplaceBody,
  type Store,
} from '../../src/index.ts'
import type { TablesOf } from '../../src/model/types/tables-of.ts'

const shop = defineResources({
  order: { id: 'uuid', relations: { lines: owns.many('line'), sheet: owns.one('sheet') } },
  line: {
    id: ['order', 'product'],
    fields: { quantity: Type.Integer() },
    relations: { order: ownedBy('order'), product: needs.one('product') },
  },
  product: { fields: { name: Type.String() }, relations: { prices: owns.many('price') } },
  price: {
    id: ['product', 'day', 'number'],
    fields: { day: Type.String({ format: 'date' }), number: field(Type.Integer(), { default: dbDefault }) },
    relations: { product: ownedBy('product') },
  },
  sheet: {
    id: ['order'],
    fields: { text: Type.String() },
    relations: { order: ownedBy('order'), notes: owns.many('note') },
  },
  note: { id: 'text', relations: { sheet: ownedBy('sheet') } },
  member: { id: ['productId', 'code'], fields: { code: Type.String() }, relations: { product: needs.one('product') } },
  year: { id: ['number'], fields: { number: Type.Integer() } },
  event: { relations: { year: needs.one('year') } },
})

type Shop = typeof shop

describe('The types of ids that members make up', () => {
  test('are those of the one member that is left without the owner, or texts', () => {
    expectTypeOf<RecordOf<Shop, 'line'>['id']>().toEqualTypeOf<number>()
    expectTypeOf<RecordOf<Shop, 'price'>['id']>().toEqualTypeOf<string>()
    expectTypeOf<RecordOf<Shop, 'sheet'>['id']>().toEqualTypeOf<string>()
    expectTypeOf<RecordOf<Shop, 'member'>['id']>().toEqualTypeOf<string>()
    expectTypeOf<RecordOf<Shop, 'year'>['id']>().toEqualTypeOf<number>()
    expectTypeOf<RecordOf<Shop, 'event'>['yearId']>().toEqualTypeOf<number>()
    expectTypeOf<RecordOf<Shop, 'order'>['lines'][number]['id']>().toEqualTypeOf<number>()
    expectTypeOf<Parameters<Collection<Shop, 'line'>['delete']>[0]>().toEqualTypeOf<number>()
  })

  test('let a body have the members, the id, or both', () => {
    expectTypeOf<CreateBody<Shop, 'line'>>().toEqualTypeOf<{
      id?: number
      quantity: number
      productId: number
      product?: { id: number; name: string }
    }>()
    expectTypeOf<ReplaceBody<Shop, 'line'>>().toEqualTypeOf<{
      id?: number
      quantity: number
      productId?: number
      product?: { id: number; name: string }
    }>()
    expectTypeOf<{ quantity: number }>().toExtend<PatchBody<Shop, 'line'>>()
    expectTypeOf<{ day: string }>().toExtend<CreateBody<Shop, 'price'>>()
    expectTypeOf<{ code: string; productId: number }>().toExtend<CreateBody<Shop, 'member'>>()
    expectTypeOf<{ code: string }>().not.toExtend<CreateBody<Shop, 'member'>>()
    expectTypeOf<{ lines: [{ productId: number }] }>().toExtend<PatchBody<Shop, 'order'>>()
    expectTypeOf<{ lines: [{ quantity: number }] }>().not.toExtend<PatchBody<Shop, 'order'>>()
    expectTypeOf<{ sheet: { text: string } }>().toExtend<CreateBody<Shop, 'order'>>()
  })

  test('are those of paths in a store', () => {
    const calls = async (store: Store<Shop>) => {
      const line = await store.order.owned('a', 'lines').find(1, { fields: ['quantity', 'product.name'] })
      expectTypeOf(line.id).toEqualTypeOf<number>()
      const note = await store.order.owned('a', 'sheet').owned('a', 'notes').find('n')
      expectTypeOf(note.id).toEqualTypeOf<string>()
      // @ts-expect-error: the short id is a number.
      await store.order.owned('a', 'lines').find('a,1')
      await store.member.list({ filter: { id: '1,a', productId: 1 }, sort: ['-id'] })
      await store.order.list({ filter: { 'lines.id': 1 } })
    }
    expectTypeOf(calls).toBeFunction()
  })

  test('leave tables without an id column', () => {
    type Tables = TablesOf<Shop, 'postgres'>
    expectTypeOf<Tables['line']>().toEqualTypeOf<{ orderId: string; productId: number; quantity: number }>()
    expectTypeOf<Tables['sheet']>().toEqualTypeOf<{ orderId: string; text: string }>()
    expectTypeOf<Tables['note']>().toEqualTypeOf<{ id: string; sheetId: string }>()
    expectTypeOf<Tables['event']['yearId']>().toEqualTypeOf<number>()
  })
})
