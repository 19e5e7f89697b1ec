import { Type } from '@sinclair/typebox'
import { describe, expectTypeOf, test } from 'vitest'
import { type Collection, defineResources, needs, ownedBy, owns, type RecordOf, type Store } from '../../src/index.ts'

const shelf = defineResources({
  author: { fields: { name: Type.String() } },
  sale: {
    writable: false,
    fields: { books: Type.Integer() },
    relations: { author: needs.one('author'), parts: owns.many('part') },
  },
  part: { writable: false, fields: { title: Type.String() }, relations: { sale: ownedBy('sale') } },
})

type Shelf = typeof shelf

/** For calls that the compiler is to judge and nobody is to make. */
function compiled(_calls: (store: Store<Shelf>) => unknown): void {}

describe('records that nobody writes', () => {
  test('have collections that only read, also below an owner', () => {
    expectTypeOf<keyof Store<Shelf>['sale']>().toEqualTypeOf<'find' | 'list' | 'owned'>()
    expectTypeOf<Store<Shelf>['author']>().toEqualTypeOf<Collection<Shelf, 'author'>>()
    compiled(async (store) => {
      expectTypeOf(await store.sale.find(1)).toEqualTypeOf<RecordOf<Shelf, 'sale'>>()
      const { rows } = await store.sale.owned(1, 'parts').list({ sort: ['-title'] })
      expectTypeOf(rows[0]?.title).toEqualTypeOf<string | undefined>()
      await store.author.create({ name: 'Ada' })
      // @ts-expect-error nobody writes it
      await store.sale.create({ books: 1, authorId: 1 })
      // @ts-expect-error nobody writes it
      await store.sale.owned(1, 'parts').create({ title: 'Ink' })
      // @ts-expect-error nobody writes it
      await store.resource('sale').delete(1)
    })
  })

  test('say so by false alone', () => {
    // @ts-expect-error it is false, or left out
    defineResources({ sale: { writable: true } })
  })
})
