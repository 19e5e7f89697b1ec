import {
  type AnyKysely,
  createStore,
  defineResources,
  ownedBy,
  owns,
  type Store,
  type SystemStore,
} from '@fastify-crud/core'
import { Type } from '@sinclair/typebox'
import { describe, expectTypeOf, test } from 'vitest'

const resources = defineResources({
  note: { fields: { text: Type.String(), authorId: Type.Integer() }, relations: { marks: owns.many('mark') } },
  mark: { fields: { text: Type.String() }, relations: { note: ownedBy('note') } },
})

declare const db: AnyKysely

/** For calls that the compiler is to judge and nobody is to make. */
function compiled(_calls: () => unknown): void {}

describe('createStore with policies', () => {
  test('has a typed store for a caller, and for the system', () => {
    compiled(() => {
      const store = createStore({ db, resources, policies: { note: ({ eb, my }) => eb('authorId', '=', my('id')) } })
      expectTypeOf(store.as({ id: 1 })).toEqualTypeOf<Store<typeof resources>>()
      expectTypeOf(store.asSystem()).toEqualTypeOf<SystemStore<typeof resources>>()
      return [
        store.as({ id: 1 }).note.find(1),
        store.asSystem().note.create({ text: 't', authorId: 1 }),
        // @ts-expect-error no such resource
        store.as({ id: 1 }).nota,
        // @ts-expect-error a caller is required
        store.as(),
        // @ts-expect-error nothing is there before it is said for whom
        store.note,
        // @ts-expect-error nothing is there before it is said for whom
        store.resource('note'),
      ]
    })
  })

  test('takes the forms that a policy may have', () => {
    compiled(() => [
      createStore({ db, resources, policies: { note: true } }),
      createStore({ db, resources, policies: { note: false, mark: true } }),
      createStore({
        db,
        resources,
        policies: { note: { View: true, Add: false, Edit: { before: true, after: false }, Delete: true } },
      }),
      createStore({
        db,
        resources,
        policies: { note: { admin: true, member: { View: ({ eb }) => eb('text', '=', 'x') } } },
      }),
    ])
  })

  test('takes no resource that there is not', () => {
    compiled(() => [
      // @ts-expect-error no such resource
      createStore({ db, resources, policies: { note: true, nota: true } }),
      // @ts-expect-error not a policy
      createStore({ db, resources, policies: { note: 'all' } }),
    ])
  })
})
