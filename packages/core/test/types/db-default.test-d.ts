import { Type } from '@sinclair/typebox'
import type { Insertable, Selectable } from 'kysely'
import Type1 from 'typebox'
import { describe, expectTypeOf, test } from 'vitest'
import {
  type CreateBody,
  dbDefault,
  defineResources,
  type RecordOf,
  type ReplaceBody,
  type TablesOf,
  type ValidatedRow,
  type WrittenRow,
} from '../../src/index.ts'

const model = defineResources({
  note: {
    fields: {
      text: Type.String(),
      at: Object.assign(Type.String(), { default: dbDefault }),
      rank: Object.assign(Type1.Integer(), { default: dbDefault }),
      data: Object.assign(Type.Object({ a: Type.Integer() }), { default: dbDefault }),
      state: { type: 'string', default: dbDefault },
      kind: { type: 'string', default: 'plain' },
    },
  },
})
type Model = typeof model

describe('a field whose type shows `default: dbDefault`', () => {
  test('is in a record, and need not be in a body', () => {
    expectTypeOf<RecordOf<Model, 'note'>>().toEqualTypeOf<{
      id: number
      text: string
      at: string
      rank: number
      data: { a: number }
      state: string
      kind: string
    }>()
    const created: CreateBody<Model, 'note'> = { text: 'a' }
    const replaced: ReplaceBody<Model, 'note'> = { id: 1, text: 'a', at: 'noon', rank: 1, data: { a: 1 }, state: 'x' }
    // @ts-expect-error it may not be null
    const wrong: CreateBody<Model, 'note'> = { text: 'a', at: null }
    // @ts-expect-error the text is required
    const lacking: CreateBody<Model, 'note'> = { at: 'noon' }
    expectTypeOf([created, replaced, wrong, lacking]).not.toBeAny()
  })

  test('is not known in `validate`, and is known afterwards', () => {
    type Planned = NonNullable<ValidatedRow<Model, 'note'>['after']>
    type Written = NonNullable<WrittenRow<Model, 'note'>['after']>
    expectTypeOf<Planned['at']>().toEqualTypeOf<string | undefined>()
    expectTypeOf<Planned['state']>().toEqualTypeOf<string | undefined>()
    expectTypeOf<Planned['kind']>().toEqualTypeOf<string>()
    expectTypeOf<Planned['text']>().toEqualTypeOf<string>()
    expectTypeOf<Written['at']>().toEqualTypeOf<string>()
    expectTypeOf<NonNullable<ValidatedRow<Model, 'note'>['before']>['at']>().toEqualTypeOf<string>()
  })

  test('has a column that an INSERT may leave out', () => {
    type Table = TablesOf<Model, 'sqlite'>['note']
    expectTypeOf<Selectable<Table>['at']>().toEqualTypeOf<string>()
    const row: Insertable<Table> = { text: 'a', kind: 'b' }
    expectTypeOf(row).toExtend<Insertable<Table>>()
    expectTypeOf<Selectable<TablesOf<Model, 'postgres'>['note']>['data']>().toEqualTypeOf<{ a: number }>()
    expectTypeOf<Insertable<TablesOf<Model, 'postgres'>['note']>['data']>().toEqualTypeOf<string | undefined>()
    // @ts-expect-error the default of `kind` is the model's
    const lacking: Insertable<Table> = { text: 'a' }
    expectTypeOf(lacking).toExtend<Insertable<Table>>()
  })
})
