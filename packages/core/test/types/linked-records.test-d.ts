import { Type } from '@sinclair/typebox'
import { describe, expectTypeOf, test } from 'vitest'
import {
  defineResources,
  knows,
  type LinkedRecords,
  type Listing,
  needs,
  ownedBy,
  owns,
  type Plan,
  type RecordOf,
  type Store,
} from '../../src/index.ts'
import type { Bookshop } from './bookshop.ts'

const shop = defineResources({
  order: {
    id: 'uuid',
    fields: { name: Type.String() },
    relations: { lines: owns.many('line'), favourites: knows.many('line') },
  },
  line: {
    topLevel: true,
    fields: { name: Type.String() },
    relations: { order: ownedBy('order'), orders: needs.many('order') },
  },
})

type Shop = typeof shop

/** For calls that the compiler is to judge and nobody is to make. */
function compiled(_calls: (store: Store<Bookshop>) => unknown): void {}
function ofShop(_calls: (store: Store<Shop>) => unknown): void {}

describe('The records that a record is linked to', () => {
  test('are those of its `needs.many` and `knows.many`', () => {
    compiled((store) => [
      expectTypeOf(store.book.linked(1, 'authors')).toEqualTypeOf<LinkedRecords<Bookshop, 'author'>>(),
      expectTypeOf(store.book.linked(1, 'tags')).toEqualTypeOf<LinkedRecords<Bookshop, 'tag'>>(),
      // @ts-expect-error it owns them
      store.book.linked(1, 'chapters'),
      // @ts-expect-error it needs one
      store.book.linked(1, 'publisher'),
      // @ts-expect-error the other end adds nothing
      store.publisher.linked(1, 'books'),
      // @ts-expect-error no such relation
      store.book.linked(1, 'tag'),
      // @ts-expect-error not an id
      store.book.linked('1', 'tags'),
    ])
  })

  test('are listed as their own list has them, and added and removed by their ids', () => {
    compiled(async (store) => {
      const authors = store.book.linked(1, 'authors')
      expectTypeOf(await authors.list()).toEqualTypeOf<Listing<RecordOf<Bookshop, 'author'>>>()
      const { rows } = await authors.list({
        fields: ['name'],
        filter: { born: { gte: '1900-01-01' } },
        sort: ['-name'],
      })
      expectTypeOf(rows[0]?.name).toEqualTypeOf<string | undefined>()
      // @ts-expect-error not chosen
      rows[0]?.born
      // @ts-expect-error no field of an author
      authors.list({ sort: ['title'] })
      expectTypeOf(await authors.add(1)).toEqualTypeOf<void>()
      expectTypeOf(await authors.remove(1, { dryRun: true })).toEqualTypeOf<{ plan: Plan }>()
      // @ts-expect-error not an id
      authors.add('1')
    })
  })

  test('have the ids of their kind, and the keys of their owners where lists show these', () => {
    ofShop(async (store) => {
      const id = '0190163d-8694-739b-aea5-966c26f8ad91'
      const { rows } = await store.order.linked(id, 'favourites').list()
      expectTypeOf(rows[0]?.orderId).toEqualTypeOf<string | undefined>()
      await store.order.linked(id, 'favourites').add(1)
      await store.line.linked(1, 'orders').add(id)
      // @ts-expect-error a uuid
      store.line.linked(1, 'orders').add(1)
    })
  })
})
