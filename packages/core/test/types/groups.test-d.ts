import { describe, expectTypeOf, test } from 'vitest'
import type { Store } from '../../src/index.ts'
import type { Bookshop } from './bookshop.ts'

/** For calls that the compiler is to judge and nobody is to make. */
function compiled(_calls: (store: Store<Bookshop>) => unknown): void {}

describe('Groups', () => {
  test('have the names that are asked for, with their types', () => {
    compiled(async (store) => {
      const { rows, count } = await store.book.group({
        by: ['binding', 'publisher.name', 'translatedBy', 'year(translator.born)', 'week(translator.born)'],
        values: ['count()', 'countDistinct(price)', 'sum(price)', 'max(title)', 'min(pages)'],
        having: { 'count()': { gte: 2 }, not: { 'max(title)': 'a' } },
        sort: ['-sum(price)', 'binding'],
      })
      expectTypeOf(count).toEqualTypeOf<number | undefined>()
      const [row] = rows
      expectTypeOf(row?.binding).toEqualTypeOf<'soft' | 'hard' | null | undefined>()
      expectTypeOf(row?.['publisher.name']).toEqualTypeOf<string | null | undefined>()
      expectTypeOf(row?.translatedBy).toEqualTypeOf<number | null | undefined>()
      expectTypeOf(row?.['year(translator.born)']).toEqualTypeOf<string | null | undefined>()
      expectTypeOf(row?.['countDistinct(price)']).toEqualTypeOf<number | undefined>()
      expectTypeOf(row?.['sum(price)']).toEqualTypeOf<string | number | null | undefined>()
      expectTypeOf(row?.['max(title)']).toEqualTypeOf<string | null | undefined>()
    })
  })

  test('are counted, where nothing else is asked for', () => {
    compiled(async (store) => {
      const { rows } = await store.publisher.group()
      expectTypeOf(rows[0]).toEqualTypeOf<{ 'count()': number } | undefined>()
    })
    compiled(async (store) => {
      const { rows } = await store.book.group({ by: ['seriesId'] })
      expectTypeOf(rows[0]?.['count()']).toEqualTypeOf<number | undefined>()
    })
  })

  test('have no other names', () => {
    compiled(async (store) => {
      // @ts-expect-error: a book has no colour.
      await store.book.group({ by: ['colour'] })
      // @ts-expect-error: it is no value.
      await store.book.group({ values: ['total(price)'] })
      // @ts-expect-error: it is not among the values.
      await store.book.group({ by: ['binding'], sort: ['-sum(price)'] })
      // @ts-expect-error: it is not among the values.
      await store.book.group({ having: { 'sum(price)': 1 } })
    })
  })
})
