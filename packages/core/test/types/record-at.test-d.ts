import { Type } from '@sinclair/typebox'
import { expectTypeOf, test } from 'vitest'
import { countOf, defineResources, knows, needs, ownedBy, owns, type Store } from '../../src/index.ts'

const fields = { name: Type.String() }

const model = defineResources({
  list: {
    fields,
    relations: { items: owns.many('item'), author: needs.one('tag'), tags: knows.many('tag') },
    computed: { itemCount: countOf('items') },
    history: true,
  },
  item: {
    topLevel: true,
    fields,
    relations: { list: ownedBy('list'), tags: knows.many('tag') },
    computed: { tagCount: countOf('tags') },
  },
  tag: { fields },
})

interface Tag {
  id: number
  name: string
}

interface Item extends Tag {
  tags: Tag[]
}

declare const store: Store<typeof model>

test('a record as it was has no computed fields, and what it needed may be gone', async () => {
  const then = await store.list.find(1, { at: '2026-11-25T10:00:00Z' })
  expectTypeOf(then).branded.toEqualTypeOf<Tag & { items: Item[]; authorId: number; author: Tag | null; tags: Tag[] }>()
  const below = await store.list.owned(1, 'items').find(1, { at: '2026-11-25T10:00:00Z' })
  expectTypeOf(below).branded.toEqualTypeOf<Item>()
  const atTop = await store.item.find(1, { at: '2026-11-25T10:00:00Z' })
  expectTypeOf(atTop).branded.toEqualTypeOf<Item & { listId: number }>()
  expectTypeOf((await store.list.find(1)).itemCount).toEqualTypeOf<number>()
})

test('only where a history is kept, and only the record as a whole', () => {
  // @ts-expect-error There is no history of tags.
  void (() => store.tag.find(1, { at: '2026-11-25T10:00:00Z' }))
  // @ts-expect-error A record as it was is shown whole.
  void (() => store.list.find(1, { at: '2026-11-25T10:00:00Z', fields: ['name'] }))
})
