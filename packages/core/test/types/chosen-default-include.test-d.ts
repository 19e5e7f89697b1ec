import { Type } from '@sinclair/typebox'
import { expectTypeOf, test } from 'vitest'
import { defineResources, knows, ownedBy, owns, type Store } from '../../src/index.ts'

const resources = defineResources({
  book: {
    fields: { title: Type.String() },
    relations: { chapters: owns.many('chapter'), series: knows.one('series') },
    defaultInclude: ['series'],
  },
  chapter: { fields: { title: Type.String() }, relations: { book: ownedBy('book') } },
  series: { fields: { name: Type.String() } },
})

type Series = { id: number; name: string }

test('`include` adds what a record does not carry by default, and leaves out only what it carries', () => {
  const calls = async ({ book }: Store<typeof resources>) => {
    expectTypeOf(await book.find(1, { include: ['chapters'] })).toEqualTypeOf<{
      id: number
      title: string
      seriesId: number | null
      series: Series | null
      chapters: { id: number; title: string }[]
      partial?: true
    }>()
    expectTypeOf(await book.find(1, { include: ['-series'] })).toEqualTypeOf<{
      id: number
      title: string
      seriesId: number | null
      partial?: true
    }>()
    // @ts-expect-error a book does not carry its chapters
    await book.find(1, { include: ['-chapters'] })
  }
  expectTypeOf(calls).toBeFunction()
})
