import { Type } from '@sinclair/typebox'
import { defineResources } from 'fastify-crud'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'

const notes = defineResources({
  note: {
    fields: { text: Type.String(), authorId: Type.Integer() },
    computed: {
      isMine: {
        schema: Type.Boolean(),
        value: ({ eb, my }) => eb.case().when('authorId', '=', my('id')).then(true).else(false).end(),
      },
      reader: { schema: Type.Optional(Type.Integer()), value: ({ my }) => sql`${my('id', 'integer')}` },
    },
  },
})

describeOnBoth('a value of the caller in a computed field', (database) => {
  let id: unknown
  const service = useApp(database, notes, { plugin: { caller: () => ({ id }) } })

  test('is null if it is of another type than what it is compared with', async () => {
    await service.db.insertInto('note').values({ text: 'n', authorId: 1 }).execute()
    id = 1
    expect((await service.read('/api/note')).rows).toMatchObject([{ isMine: true, reader: 1 }])
    for (id of [
      true,
      '1',
      '1.0',
      ' 1',
      '1\u0000',
      Number.NaN,
      Number.POSITIVE_INFINITY,
      [1],
      {},
      new Date(1),
      2n ** 60n,
    ]) {
      expect((await service.read('/api/note')).rows).toMatchObject([{ isMine: false, reader: null }])
      expect((await service.read('/api/note?filter[isMine]=false&sort=reader')).count).toBe(1)
    }
  })
})
