import { Type } from '@sinclair/typebox'
import { expectTypeOf, test } from 'vitest'
import {
  type CreateBody,
  defineResources,
  knows,
  ownedBy,
  owns,
  type PatchBody,
  type RecordOf,
  type ReplaceBody,
} from '../../src/index.ts'

const fields = { name: Type.String() }

const model = defineResources({
  list: {
    fields,
    relations: { items: owns.many('item', { order: 'position' }), tags: knows.many('tag', { order: 'position' }) },
  },
  item: { fields, relations: { list: ownedBy('list'), notes: owns.many('note') } },
  note: { fields, relations: { item: ownedBy('item') } },
  tag: { id: 'uuid', fields },
  shelf: { fields, relations: { tags: knows.many('tag'), slots: owns.many('slot', { order: 'position' }) } },
  slot: {
    id: ['shelf', 'number'],
    topLevel: true,
    fields: { number: Type.Integer() },
    relations: { shelf: ownedBy('shelf') },
  },
})
type M = typeof model

test('the bodies of elements of an array that keeps its order may say their place', () => {
  const patch: PatchBody<M, 'list'> = {
    items: [
      { id: 1, $before: 2 },
      { name: 'n', $before: null },
      { id: 3, $remove: true },
    ],
    tags: [{ id: 'u', $before: 'v' }],
  }
  const own: PatchBody<M, 'item'> = { $before: 4 }
  const create: CreateBody<M, 'item'> = { name: 'n', $before: null }
  expectTypeOf([patch, own, create]).not.toBeAny()
  expectTypeOf<PatchBody<M, 'item'>['$before']>().toEqualTypeOf<number | null | undefined>()
})

test('a place is said by the id that records of the same path show', () => {
  expectTypeOf<PatchBody<M, 'slot'>['$before']>().toEqualTypeOf<number | null | undefined>()
  expectTypeOf<PatchBody<M, 'slot', 'top'>['$before']>().toEqualTypeOf<string | null | undefined>()
  expectTypeOf<CreateBody<M, 'slot', 'top'>['$before']>().toEqualTypeOf<string | null | undefined>()
  expectTypeOf<PatchBody<M, 'item', 'top'>>().not.toBeAny()
})

test('no other body has a place', () => {
  expectTypeOf<PatchBody<M, 'list'>>().not.toHaveProperty('$before')
  expectTypeOf<ReplaceBody<M, 'item'>>().not.toHaveProperty('$before')
  expectTypeOf<CreateBody<M, 'note'>>().not.toHaveProperty('$before')
  expectTypeOf<RecordOf<M, 'item'>>().not.toHaveProperty('$before')
  expectTypeOf<RecordOf<M, 'item'>>().not.toHaveProperty('position')
  // @ts-expect-error its array keeps no order
  const shelf: PatchBody<M, 'shelf'> = { tags: [{ id: 'u', $before: null }] }
  // @ts-expect-error an id of the wrong type
  const other: PatchBody<M, 'list'> = { tags: [{ id: 'u', $before: 1 }] }
  expectTypeOf([shelf, other]).not.toBeAny()
})
