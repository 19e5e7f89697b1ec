import {
  type ChosenRecord,
  type ComputedBuilder,
  type CreateBody,
  countOf,
  createStore,
  defineResources,
  knows,
  maxOf,
  minOf,
  ownedBy,
  owns,
  type RecordOf,
  type ReplaceBody,
  sumOf,
  visible,
} from '@fastify-crud/core'
import { Type } from '@sinclair/typebox'
import { describe, expectTypeOf, test } from 'vitest'
import type { AnyKysely } from '../../src/sql/dialect/database.ts'

interface Tables {
  readonly bill: { readonly id: number; readonly number: string }
}

const resources = defineResources({
  bill: {
    fields: { number: Type.String() },
    relations: { lines: owns.many('item'), friends: knows.many('bill'), best: knows.one('bill') },
    computed: {
      total: sumOf('lines', 'amount'),
      cost: sumOf(visible('lines'), 'price'),
      least: minOf('lines', 'size'),
      last: maxOf('lines', 'text', { summary: false }),
      count: countOf('lines'),
      pay: sumOf('lines', 'pay'),
      bonus: sumOf('lines', 'pay', { access: { View: ['board'] } }),
      label: { schema: Type.Optional(Type.String()), value: ({ eb }) => eb.ref('number'), summary: false },
      typed: { schema: Type.String(), value: ({ eb }: ComputedBuilder<Tables, 'bill'>) => eb.ref('number') },
    },
  },
  item: {
    fields: {
      text: Type.String(),
      amount: Type.Integer(),
      price: Type.String({ format: 'decimal' }),
      size: Type.Optional(Type.Number()),
      pay: Object.assign(Type.Integer(), { access: { View: ['hr'] } }),
    },
    relations: { bill: ownedBy('bill') },
    computed: { loud: { schema: Type.String(), value: ({ eb }) => eb.fn('upper', ['text']) } },
  },
})

type Bill = RecordOf<typeof resources, 'bill'>
type Summary = NonNullable<Bill['best']>

declare const db: AnyKysely

/** For calls that the compiler is to judge and nobody is to make. */
function compiled(_calls: () => unknown): void {}

describe('computed fields', () => {
  test('have the types of what they are made of', () => {
    expectTypeOf<Bill['total']>().toEqualTypeOf<number>()
    expectTypeOf<Bill['cost']>().toEqualTypeOf<string>()
    expectTypeOf<Bill['least']>().toEqualTypeOf<number | null>()
    expectTypeOf<Bill['last']>().toEqualTypeOf<string | null>()
    expectTypeOf<Bill['count']>().toEqualTypeOf<number>()
    expectTypeOf<Bill['label']>().toEqualTypeOf<string | null>()
    expectTypeOf<Bill['lines'][number]['loud']>().toEqualTypeOf<string>()
  })

  test('may be missing where only some callers see them, or the field that they are made of', () => {
    expectTypeOf<Bill>().toExtend<{ pay?: number; bonus?: number }>()
    expectTypeOf<Partial<Pick<Bill, 'pay' | 'bonus'>>>().toEqualTypeOf<Pick<Bill, 'pay' | 'bonus'>>()
  })

  test('are in related records, unless they say otherwise', () => {
    expectTypeOf<Summary['total']>().toEqualTypeOf<number>()
    expectTypeOf<keyof Summary>().toEqualTypeOf<
      'id' | 'number' | 'total' | 'cost' | 'least' | 'count' | 'pay' | 'bonus' | 'typed'
    >()
  })

  test('are chosen by fields', () => {
    type Chosen = ChosenRecord<typeof resources, 'bill', ['total', 'lines.loud']>
    expectTypeOf<Chosen['total']>().toEqualTypeOf<number>()
    expectTypeOf<Chosen['lines'][number]>().toEqualTypeOf<{ id: number; loud: string; partial?: true }>()
    expectTypeOf<'count' extends keyof Chosen ? true : false>().toEqualTypeOf<false>()
  })

  test('may be sent back, and cannot be set', () => {
    expectTypeOf<Bill>().toExtend<ReplaceBody<typeof resources, 'bill'>>()
    expectTypeOf<CreateBody<typeof resources, 'bill'>['total']>().toEqualTypeOf<undefined>()
    compiled(() => {
      const { bill } = createStore({ db, resources })
      return [
        bill.create({ number: '1', lines: [{ text: 'x', amount: 1, price: '1', size: 1, pay: 1 }] }),
        // @ts-expect-error the database computes it
        bill.create({ number: '1', total: 1 }),
        // @ts-expect-error the database computes it, at any depth
        bill.patch(1, { lines: [{ id: 1, loud: 'X' }] }),
        bill.list({
          filter: { 'best.total': { gt: 1 }, lines: { some: { loud: 'X' } } },
          sort: ['-best.total', 'count'],
        }),
        // @ts-expect-error there is no such field
        bill.list({ sort: ['totl'] }),
      ]
    })
  })

  test('are of relations and fields that there are', () => {
    compiled(() => [
      defineResources({
        // @ts-expect-error there is no such relation
        bill: { relations: { lines: owns.many('item') }, computed: { n: countOf('linse') } },
        item: { fields: { amount: Type.Integer() }, relations: { bill: ownedBy('bill') } },
      }),
      defineResources({
        // @ts-expect-error there is no such field
        bill: { relations: { lines: owns.many('item') }, computed: { n: sumOf('lines', 'amout') } },
        item: { fields: { amount: Type.Integer() }, relations: { bill: ownedBy('bill') } },
      }),
      // @ts-expect-error there is no such column
      ({ eb }: ComputedBuilder<Tables, 'bill'>) => eb.ref('numbr'),
    ])
  })
})
