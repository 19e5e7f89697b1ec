import { Type } from '@sinclair/typebox'
import type { Kysely } from 'kysely'
import { describe, expectTypeOf, test } from 'vitest'
import { defineResources, field, needs, type Store } from '../../src/index.ts'

const shop = defineResources({
  person: {
    fields: {
      name: Type.String(),
      wage: field(Type.Integer(), { access: { View: ['hr'], Edit: ['hr'] } }),
      secret: field(Type.String(), { writeOnly: true }),
    },
    columns: { name: 'full_name' },
  },
  desk: { id: 'uuid', fields: { place: Type.Optional(Type.Integer()) }, relations: { person: needs.one('person') } },
})

/** For calls that the compiler is to judge and nobody is to make. */
function compiled(_calls: (store: Store<typeof shop>, db: Kysely<object>) => unknown): void {}

describe('Rows for own queries', () => {
  test('have the columns of the table, null where only some callers see a field', () => {
    compiled(async (store, db) => {
      const rows = await db
        .selectFrom(store.visible('desk').as('d'))
        .innerJoin(store.visible('person').as('p'), 'p.id', 'd.personId')
        .select(['d.id', 'd.place', 'p.full_name', 'p.wage'])
        .execute()
      expectTypeOf(rows).toEqualTypeOf<{ id: string; place: number | null; full_name: string; wage: number | null }[]>()
      // @ts-expect-error: nobody sees it.
      await db.selectFrom(store.visible('person').as('p')).select('p.secret').execute()
      // @ts-expect-error: there is no such resource.
      store.visible('chair')
    })
  })
})
