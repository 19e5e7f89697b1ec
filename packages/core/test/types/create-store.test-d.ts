import { describe, expectTypeOf, test } from 'vitest'
import { type AnyKysely, createStore, type GuardedStore, type Store } from '../../src/index.ts'
import { type Bookshop, bookshop as resources } from './bookshop.ts'

/** For calls that the compiler is to judge and nobody is to make. */
function compiled(_calls: (db: AnyKysely) => unknown): void {}

interface Member {
  readonly id: number
}

describe('createStore', () => {
  test('makes a store that is used as it is', () => {
    compiled((db) => expectTypeOf(createStore({ db, resources })).toEqualTypeOf<Store<Bookshop>>())
  })

  test('with policies, makes a store that needs a caller, and knows the columns', () => {
    compiled((db) => {
      const store = createStore({
        db,
        resources,
        policies: { tag: true, book: ({ eb, my }) => eb('id', '=', my('book')) },
      })
      expectTypeOf(store).toExtend<GuardedStore<Bookshop>>()
      // @ts-expect-error nobody has said who is asking
      store.book
      // @ts-expect-error no such column
      createStore({ db, resources, policies: { book: ({ eb }) => eb('titel', '=', 'Emma') } })
      // @ts-expect-error no such resource
      createStore({ db, resources, policies: { bok: true } })
    })
  })

  test('with `session`, makes a store that needs a caller of the type that `session` takes', () => {
    compiled((db) => {
      const session = ({ id }: Member) => ({ 'app.user': String(id) })
      expectTypeOf(createStore({ db, resources, session })).toEqualTypeOf<GuardedStore<Bookshop, Member>>()
      createStore({ db, resources, session: (caller) => ({ 'app.user': caller.name }) }).as({ name: 'ada' })
      // @ts-expect-error nobody has said who is asking
      createStore({ db, resources, session }).book
      // @ts-expect-error an id is a number
      createStore({ db, resources, session }).as({ id: 'ada' })
      // @ts-expect-error a setting is a string
      createStore({ db, resources, session: () => ({ 'app.user': 7 }) })
    })
  })

  test('with both, takes the caller that both take', () => {
    compiled((db) => {
      const session = ({ id }: Member) => ({ 'app.user': String(id) })
      const store = createStore({ db, resources, session, policies: { book: ({ eb, my }) => eb('id', '=', my('id')) } })
      expectTypeOf(store).toEqualTypeOf<GuardedStore<Bookshop, Member>>()
      // @ts-expect-error the caller has no such property
      createStore({ db, resources, session, policies: { book: ({ eb, my }) => eb('id', '=', my('name')) } })
    })
  })
})
