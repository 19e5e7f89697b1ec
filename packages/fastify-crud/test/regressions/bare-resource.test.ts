import { Type } from '@sinclair/typebox'
import { defineResources, knows, ownedBy, owns } from 'fastify-crud'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'

const resources = defineResources({
  song: { fields: { title: Type.String() } },
  list: { fields: {}, relations: { songs: knows.many('song'), notes: owns.many('note') } },
  note: { fields: {}, relations: { list: ownedBy('list') } },
})

describeOnBoth('a record that has nothing but an id', (database) => {
  const service = useApp(database, resources)

  test('is created at the first try, with what belongs to it', async () => {
    const song = await service.add('/api/song', { title: 's' })
    const statements = await service.statements(async () => {
      const list = await service.add('/api/list', { songs: [{ id: song.id }], notes: [{}, {}] })
      expect(list).toMatchObject({ id: expect.any(Number), songs: [{ id: song.id }], notes: [{}, {}] })
      expect(await service.add('/api/list', {})).toEqual({ id: list.id + 1, songs: [], notes: [] })
    })
    expect(statements.filter((statement) => /rollback/i.test(statement))).toEqual([])
  })

  if (database.name === 'postgres') {
    test('also where the id is one that is always generated', async () => {
      await sql`alter table list alter column id set generated always`.execute(service.db)
      expect((await service.post('/api/list', { notes: [{}] })).status).toBe(201)
    })
  }
})
