import { Type } from '@sinclair/typebox'
import { defineResources } from 'fastify-crud'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnDatabases } from '../../../../test/support/describe-on-databases.ts'

const resources = defineResources({ count: { fields: { n: Type.Integer(), x: Type.Number() } } })

describeOnDatabases('integers', (database) => {
  const service = useApp(database, resources, {
    async tables({ db, name }) {
      // A column of SQLite takes values of any type where it has none itself.
      const [id, n] =
        name === 'sqlite'
          ? ['integer primary key autoincrement', 'n not null']
          : ['serial primary key', 'n bigint not null']
      await sql`create table count (id ${sql.raw(id)}, ${sql.raw(n)}, x double precision not null)`.execute(db)
    },
  })

  test.each([5, -5, 0, 3_000_000_000, Number.MAX_SAFE_INTEGER])('%i is stored as the integer that it is', async (n) => {
    const { id } = await service.add('/api/count', { n, x: -0 })
    await service.patch(`/api/count/${id}`, { n: n - 1 })
    await service.patch(`/api/count/${id}`, { n })
    const { rows } = await sql`select cast(n as text) as n, cast(x as text) as x from count where id = ${id}`.execute(
      service.db,
    )
    expect(rows).toEqual([{ n: String(n), x: expect.stringMatching(/^0(\.0)?$/) }])
  })
})
