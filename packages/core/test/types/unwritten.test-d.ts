import { Type } from '@sinclair/typebox'
import { describe, expectTypeOf, test } from 'vitest'
import {
  type Collection,
  defineResources,
  neededBy,
  needs,
  ownedBy,
  owns,
  type RecordOf,
  type Store,
  type TablesOf,
} from '../../src/index.ts'

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
    expectTypeOf<keyof Store<Shelf>['sale']>().toEqualTypeOf<'find' | 'list' | 'group' | 'owned'>()
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

const logs = defineResources({
  page: { fields: { title: Type.String() }, relations: { logs: neededBy.many('log') } },
  log: { id: false, fields: { text: Type.String() }, relations: { page: needs.one('page') } },
})

type Logs = typeof logs

function compiledLogs(_calls: (store: Store<Logs>) => unknown): void {}

describe('records without ids', () => {
  test('have a list, whose records have no id', () => {
    type Page = { id: number; title: string }
    expectTypeOf<keyof Store<Logs>['log']>().toEqualTypeOf<'list' | 'group'>()
    expectTypeOf<RecordOf<Logs, 'log'>>().toEqualTypeOf<{ text: string; pageId: number; page: Page }>()
    compiledLogs(async (store) => {
      const { rows } = await store.log.list({ filter: { text: 'a', 'page.id': 1 }, sort: ['-text'] })
      expectTypeOf(rows).toEqualTypeOf<RecordOf<Logs, 'log'>[]>()
      const chosen = await store.log.list({ fields: ['text'] })
      expectTypeOf(chosen.rows).toEqualTypeOf<{ text: string; partial?: true }[]>()
      const page = await store.page.find(1, { include: ['logs'] })
      expectTypeOf(page.logs).toEqualTypeOf<{ text: string }[]>()
      // @ts-expect-error it has no id
      await store.log.list({ filter: { id: 1 } })
      // @ts-expect-error it has no id
      await store.log.list({ sort: ['id'] })
      // @ts-expect-error it has no id
      await store.log.find(1)
    })
  })

  test('have tables without a column for it', () => {
    expectTypeOf<TablesOf<Logs>['log']>().toEqualTypeOf<{ text: string; pageId: number }>()
  })
})
