import { Type } from '@sinclair/typebox'
import { describe, expectTypeOf, test } from 'vitest'
import type { Effects, RecordOf, Store, WithActions } from '../../src/index.ts'
import type { Bookshop } from './bookshop.ts'

const actions = {
  publisher: {
    rename: { asks: 'Edit', body: Type.Object({ name: Type.String() }), run: () => undefined },
    sort: { on: 'list', asks: 'Edit', run: () => undefined },
  },
} as const

type Shop = WithActions<Bookshop, typeof actions>

/** For calls that the compiler is to judge and nobody is to make. */
function compiled(_calls: (store: Store<Shop>) => unknown): void {}

describe("A write with returns: 'effects'", () => {
  test('resolves to its effects, whether it is undone or not', () => {
    compiled(async ({ publisher, book }) => {
      const all = [
        await publisher.create({ name: 'Ink' }, { returns: 'effects' }),
        await publisher.patch(1, { name: 'Ink' }, { returns: 'effects', dryRun: true }),
        await publisher.delete(1, { returns: 'effects' }),
        await publisher.createMany([{ name: 'Ink' }], { returns: 'effects' }),
        await publisher.upsert({ name: 'Ink' }, { by: ['name'], returns: 'effects' }),
        await publisher.deleteMatching({ filter: { name: 'Ink' }, maxAffected: 1 }, { returns: 'effects' }),
        await book.linked(1, 'authors').add(2, { returns: 'effects' }),
        await publisher.act(1, 'rename', { name: 'Ink' }, { returns: 'effects' }),
        await publisher.act('sort', undefined, { returns: 'effects' }),
      ]
      expectTypeOf(all).toEqualTypeOf<Effects[]>()
    })
  })

  test('resolves to the record without it, and takes no other word', () => {
    compiled(async ({ publisher }) => {
      expectTypeOf(await publisher.create({ name: 'Ink' })).toEqualTypeOf<RecordOf<Shop, 'publisher'>>()
      // @ts-expect-error There is no such answer.
      await publisher.create({ name: 'Ink' }, { returns: 'nothing' })
    })
  })

  test('tells changes of rows from changes of links', () => {
    compiled(async ({ publisher }) => {
      const { changes } = await publisher.delete(1, { returns: 'effects' })
      for (const change of changes) {
        if ('relation' in change) expectTypeOf(change.action).toEqualTypeOf<'Link' | 'Unlink' | 'Edit'>()
        else expectTypeOf(change.action).toEqualTypeOf<'Add' | 'Edit' | 'Delete'>()
      }
    })
  })
})
