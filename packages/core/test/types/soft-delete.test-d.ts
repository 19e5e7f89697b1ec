import { Type } from '@sinclair/typebox'
import { expectTypeOf, test } from 'vitest'
import { type CreateBody, defineResources, ownedBy, owns, type RecordOf, type TablesOf } from '../../src/index.ts'

const desk = defineResources({
  invoice: {
    softDelete: 'deletedAt',
    columns: { deletedAt: 'deleted_at' },
    fields: { number: Type.String() },
    relations: { lines: owns.many('line') },
  },
  line: { softDelete: 'goneAt', fields: { text: Type.String() }, relations: { invoice: ownedBy('invoice') } },
  tag: { fields: { name: Type.String() } },
})

type Desk = typeof desk

test('the column of deleted records is a column of the table, and no property', () => {
  expectTypeOf<TablesOf<Desk>['invoice']['deleted_at']>().toEqualTypeOf<string | null>()
  expectTypeOf<TablesOf<Desk>['line']['goneAt']>().toEqualTypeOf<string | null>()
  expectTypeOf<keyof TablesOf<Desk>['tag']>().toEqualTypeOf<'id' | 'name'>()
  expectTypeOf<keyof RecordOf<Desk, 'invoice'>>().toEqualTypeOf<'id' | 'number' | 'lines'>()
  expectTypeOf<CreateBody<Desk, 'invoice'>>().not.toHaveProperty('deletedAt')
})
