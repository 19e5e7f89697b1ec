import { Type } from '@sinclair/typebox'
import { expectTypeOf, test } from 'vitest'
import {
  type CreateBody,
  defineResources,
  ownedBy,
  owns,
  type PatchBody,
  type RecordOf,
  type ReplaceBody,
  type Store,
} from '../../src/index.ts'

const fields = { name: Type.String() }

const model = defineResources({
  list: { fields, relations: { items: owns.many('item'), boxes: owns.many('box'), plain: owns.many('plain') } },
  item: { fields, relations: { list: ownedBy('list', { moves: true }) } },
  plain: { fields, relations: { list: ownedBy('list') } },
  shelf: { id: 'uuid', fields, relations: { boxes: owns.many('box') } },
  box: {
    topLevel: true,
    fields,
    relations: {
      list: ownedBy('list', { moves: true, foreignKey: 'inList' }),
      shelf: ownedBy('shelf', { moves: true }),
    },
  },
  folder: {
    fields,
    relations: { parent: ownedBy('folder', { optional: true, moves: true }), folders: owns.many('folder') },
  },
})
type M = typeof model

test('a record that may move shows the foreign key of its owner, and others do not', () => {
  expectTypeOf<RecordOf<M, 'item'>['listId']>().toEqualTypeOf<number>()
  expectTypeOf<RecordOf<M, 'list'>['items'][number]['listId']>().toEqualTypeOf<number>()
  expectTypeOf<RecordOf<M, 'plain'>>().not.toHaveProperty('listId')
  expectTypeOf<RecordOf<M, 'box'>['inList']>().toEqualTypeOf<number | null>()
  expectTypeOf<RecordOf<M, 'box'>['shelfId']>().toEqualTypeOf<string | null>()
  expectTypeOf<RecordOf<M, 'folder'>['parentId']>().toEqualTypeOf<number | null>()
})

test('bodies may set it, and a filter may ask for it', () => {
  const patch: PatchBody<M, 'item'> = { listId: 2 }
  const put: ReplaceBody<M, 'item'> = { name: 'n' }
  const create: CreateBody<M, 'item'> = { name: 'n' }
  const box: PatchBody<M, 'box', 'top'> = { inList: null, shelfId: 'u' }
  expectTypeOf([patch, put, create, box]).not.toBeAny()
  expectTypeOf<PatchBody<M, 'item'>['listId']>().toEqualTypeOf<number | undefined>()
  expectTypeOf<PatchBody<M, 'plain'>>().not.toHaveProperty('listId')
  const find = (store: Store<M>) => store.list.owned(1, 'items').list({ filter: { listId: 1 }, sort: ['listId'] })
  expectTypeOf(find).not.toBeAny()
})

test('a foreign key of another type is a compile error', () => {
  // @ts-expect-error ids of lists are integers
  const text: PatchBody<M, 'item'> = { listId: 'x' }
  // @ts-expect-error an item has an owner
  const none: PatchBody<M, 'item'> = { listId: null }
  // @ts-expect-error there is no such option
  const option = () => ownedBy('list', { move: true })
  expectTypeOf([text, none, option]).not.toBeAny()
})
