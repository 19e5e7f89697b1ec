import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnDrivers } from '../../../../test/support/describe-on-databases.ts'
import { ownsMany } from './models/owns-many.ts'

describeOnDrivers('a constraint that only the database knows', (database) => {
  const service = useApp(database, ownsMany, {
    async tables({ db }) {
      const { createTables } = await import('fastify-crud')
      await createTables(db, ownsMany)
      await sql`create unique index child_note on child (note)`.execute(db)
    },
  })
  const third = { code: 'CRUD_ERR_NOT_UNIQUE', pointers: ['/children/2/note'] } as const

  test('the third of five children violates it: nothing is stored, the error points to the third', async () => {
    await service.add('/api/parent', { name: 'p', children: [{ name: 'c', note: 'taken' }] })
    const children = ['a', 'b', 'taken', 'c', 'd'].map((note) => ({ name: note, note }))
    await service.refuse('POST', '/api/parent', { name: 'q', children }, third)
    const { id } = await service.add('/api/parent', { name: 'q' })
    await service.refuse('PUT', `/api/parent/${id}`, { name: 'r', children }, third)
    await service.refuse('PATCH', `/api/parent/${id}`, { name: 'r', children }, third)
  })

  test('an error after the deletes are done: the deleted are back', async () => {
    await service.add('/api/parent', { name: 'p', children: [{ name: 'c', note: 'taken' }] })
    const { id } = await service.add('/api/parent', { name: 'q', children: [{ name: '1' }, { name: '2' }] })
    const children = [{ name: 'a' }, { name: 'b' }, { name: 'c', note: 'taken' }]
    await service.refuse('PUT', `/api/parent/${id}`, { name: 'r', children }, third)
    expect((await service.read(`/api/parent/${id}`)).children).toHaveLength(2)
  })

  test('the next request is served', async () => {
    await service.add('/api/parent', { name: 'p', children: [{ name: 'c', note: 'taken' }] })
    const children = [{ name: 'a' }, { name: 'b' }, { name: 'c', note: 'taken' }]
    for (let i = 0; i < 20; i++) await service.refuse('POST', '/api/parent', { name: 'q', children }, third)
    expect((await service.add('/api/parent', { name: 'q', children: children.slice(0, 2) })).children).toHaveLength(2)
  })
})
