import { Type } from '@sinclair/typebox'
import { defineResources } from 'fastify-crud'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'

const resources = defineResources({ r: { fields: { name: Type.String() } } })

describeOnBoth('an id that a client chooses, where ids are integers of 4 bytes', (database) => {
  const service = useApp(database, resources, {
    async tables({ name, db }) {
      const key = sql.raw(name === 'sqlite' ? 'integer primary key autoincrement' : 'serial primary key')
      await sql`create table r (id ${key}, name text not null)`.execute(db)
    },
  })

  test('is refused above 2,000,000,000; up to there, there is room for those that follow', async () => {
    await service.refuse('POST', '/api/r/2000000001', { name: 'a' }, { code: 'CRUD_ERR_INVALID' })
    await service.refuse('POST', '/api/r/2147483647', { name: 'a' }, { code: 'CRUD_ERR_INVALID' })
    await service.refuse('POST', '/api/r/9007199254740991', { name: 'a' }, { code: 'CRUD_ERR_INVALID' })
    const highest = await service.post('/api/r/2000000000', { name: 'b' })
    expect([highest.status, highest.body]).toEqual([201, { id: 2_000_000_000, name: 'b' }])
    expect((await service.add('/api/r', { name: 'c' })).id).toBeGreaterThan(2_000_000_000)
    expect((await service.add('/api/r', { name: 'd' })).id).toBeGreaterThan(2_000_000_001)
  })
})
