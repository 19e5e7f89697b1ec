import { describe, expectTypeOf, test } from 'vitest'
import { defineResources, type ListOptions, type Model, ownedBy, owns, type Store } from '../../src/index.ts'

const shelf = defineResources({
  book: {
    fields: { title: { type: 'string' } },
    relations: { parts: owns.many('part') },
    search: { fields: ['title', 'parts.title'] },
  },
  part: { fields: { title: { type: 'string' } }, relations: { book: ownedBy('book') } },
})

/** For calls that the compiler is to judge and nobody is to make. */
function compiled(_calls: (store: Store<typeof shelf>) => unknown): void {}

describe('A search', () => {
  test('is a text, in a list of a resource that declares one', () => {
    compiled((store) => store.book.list({ search: 'lamp index', filter: { title: 'a' } }))
    compiled((store) => {
      // @ts-expect-error: it is a text.
      return store.book.list({ search: 5 })
    })
  })

  test('is there for no other resource', () => {
    compiled((store) => {
      // @ts-expect-error: a part has no search.
      return store.book.owned(1, 'parts').list({ search: 'lamp' })
    })
    compiled((store) => {
      // @ts-expect-error: a single record is not searched.
      return store.book.find(1, { search: 'lamp' })
    })
  })

  test('is any text where no descriptor is known', () => {
    expectTypeOf<ListOptions<Model, string>['search']>().toEqualTypeOf<string | undefined>()
  })

  test('has paths', () => {
    defineResources({
      // @ts-expect-error: it has fields.
      book: { fields: { title: { type: 'string' } }, search: ['title'] },
    })
  })
})
