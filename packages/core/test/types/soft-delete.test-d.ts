import { Type } from '@sinclair/typebox'
import { expectTypeOf, test } from 'vitest'
import {
  type Collection,
  type CreateBody,
  defineResources,
  ownedBy,
  owns,
  type Plan,
  type RecordOf,
  type Store,
  type TablesOf,
} from '../../src/index.ts'

const desk = defineResources({
  invoice: {
    softDelete: 'deletedAt',
    columns: { deletedAt: 'deleted_at' },
    fields: { number: Type.String() },
    relations: { lines: owns.many('line'), memos: owns.many('memo') },
  },
  line: { softDelete: 'goneAt', fields: { text: Type.String() }, relations: { invoice: ownedBy('invoice') } },
  memo: {
    softDelete: 'goneAt',
    topLevel: true,
    fields: { text: Type.String() },
    relations: { invoice: ownedBy('invoice') },
  },
  tag: { fields: { name: Type.String() } },
  bin: {
    softDelete: { column: 'goneAt', trash: true },
    columns: { goneAt: 'gone_at' },
    fields: { name: Type.String(), size: Type.Integer() },
  },
  kept: { softDelete: { column: 'goneAt' }, fields: { name: Type.String() } },
})

type Desk = typeof desk

test('the column of deleted records is a column of the table, and no property', () => {
  expectTypeOf<TablesOf<Desk>['invoice']['deleted_at']>().toEqualTypeOf<string | null>()
  expectTypeOf<TablesOf<Desk>['line']['goneAt']>().toEqualTypeOf<string | null>()
  expectTypeOf<keyof TablesOf<Desk>['tag']>().toEqualTypeOf<'id' | 'name'>()
  expectTypeOf<keyof RecordOf<Desk, 'invoice'>>().toEqualTypeOf<'id' | 'number' | 'lines' | 'memos'>()
  expectTypeOf<CreateBody<Desk, 'invoice'>>().not.toHaveProperty('deletedAt')
})

test('deleted records have the moment, and what else a query chooses', () => {
  expectTypeOf<TablesOf<Desk>['bin']['gone_at']>().toEqualTypeOf<string | null>()
  compiled(async (store) => {
    const found = await store.bin.deleted.find(1)
    expectTypeOf(found.goneAt).toEqualTypeOf<string>()
    expectTypeOf(found.size).toEqualTypeOf<number>()
    const { rows, count } = await store.bin.deleted.list({
      filter: { goneAt: { gte: '2026-01-01T00:00:00Z' }, name: 'a' },
      sort: ['-goneAt', 'name'],
      limit: 5,
    })
    expectTypeOf(count).toEqualTypeOf<number>()
    expectTypeOf(rows[0]?.goneAt).toEqualTypeOf<string | undefined>()
    const chosen = await store.bin.deleted.find(1, { fields: ['name'] })
    expectTypeOf<keyof typeof chosen>().toEqualTypeOf<'id' | 'name' | 'partial'>()
    const dated = await store.bin.deleted.find(1, { fields: ['goneAt'] })
    expectTypeOf<keyof typeof dated>().toEqualTypeOf<'id' | 'goneAt' | 'partial'>()
    await store.kept.restore(1)
    // @ts-expect-error it has no trash
    await store.kept.deleted.list()
    // @ts-expect-error there is no such field
    await store.bin.deleted.list({ sort: ['deletedAt'] })
    // @ts-expect-error the moment is no field of the others
    await store.bin.list({ sort: ['goneAt'] })
    expectTypeOf((await store.bin.purge(1, { dryRun: true })).plan).toEqualTypeOf<Plan>()
  })
})

/** For calls that the compiler is to judge and nobody is to make. */
function compiled(_calls: (store: Store<Desk>) => unknown): void {}

test('collections have restore and purge where the resource has softDelete, below owners and at the top, too', () => {
  compiled(async (store) => {
    expectTypeOf(await store.invoice.restore(1)).toEqualTypeOf<RecordOf<Desk, 'invoice'>>()
    expectTypeOf(await store.invoice.owned(1, 'lines').restore(2)).toEqualTypeOf<RecordOf<Desk, 'line'>>()
    expectTypeOf((await store.invoice.restore(1, { dryRun: true })).plan).toEqualTypeOf<Plan>()
    expectTypeOf((await store.memo.restore(3)).invoiceId).toEqualTypeOf<number>()
    expectTypeOf(await store.invoice.purge(1)).toEqualTypeOf<void>()
    // @ts-expect-error ids are numbers
    await store.invoice.restore('1')
    // @ts-expect-error its descriptor has no softDelete
    await store.tag.restore(1)
  })
  expectTypeOf<Store<Desk>['tag']>().toEqualTypeOf<Collection<Desk, 'tag'>>()
})
