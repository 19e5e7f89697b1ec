import { describe, expectTypeOf, test } from 'vitest'
import type { Plan, RecordOf, Store } from '../../src/index.ts'
import type { Bookshop } from './bookshop.ts'

/** For calls that the compiler is to judge and nobody is to make. */
function compiled(_calls: (store: Store<Bookshop>) => unknown): void {}

describe('Writes of many records', () => {
  test('take the bodies of single ones, with an id where they change records', () => {
    compiled(async (store) => {
      const { rows } = await store.publisher.createMany([{ name: 'Ink' }])
      expectTypeOf(rows).toEqualTypeOf<RecordOf<Bookshop, 'publisher'>[]>()
      await store.publisher.patchMany([{ id: 1 }, { id: 2, name: 'Nib' }])
      await store.publisher.replaceMany(rows)
      // @ts-expect-error A body has the name of its record.
      await store.publisher.createMany([{}])
      // @ts-expect-error A body has the id of its record.
      await store.publisher.patchMany([{ name: 'Nib' }])
      // @ts-expect-error An array.
      await store.publisher.createMany({ name: 'Ink' })
    })
  })

  test('say whether a record is new, or how many there were', () => {
    compiled(async (store) => {
      const { record, isNew } = await store.publisher.upsert({ name: 'Ink' }, { by: ['name'] })
      expectTypeOf(record).toEqualTypeOf<RecordOf<Bookshop, 'publisher'>>()
      expectTypeOf(isNew).toEqualTypeOf<boolean>()
      const { count } = await store.publisher.deleteMatching({ filter: { name: 'Ink' }, maxAffected: 1 })
      expectTypeOf(count).toEqualTypeOf<number>()
      await store.publisher.patchMatching({ filter: { name: { in: ['a'] } }, maxAffected: 1 }, { name: 'b' })
      // @ts-expect-error There is no such field.
      await store.publisher.deleteMatching({ filter: { nome: 'Ink' }, maxAffected: 1 })
      // @ts-expect-error How many it may affect has to be said.
      await store.publisher.deleteMatching({ filter: { name: 'Ink' } })
    })
  })

  test('resolve to a plan, too, if they are undone', () => {
    compiled(async (store) => {
      const undone = await store.publisher.createMany([{ name: 'Ink' }], { dryRun: true })
      expectTypeOf(undone.plan).toEqualTypeOf<Plan>()
    })
  })
})
