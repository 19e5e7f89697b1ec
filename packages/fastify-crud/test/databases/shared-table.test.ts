import { Type } from '@sinclair/typebox'
import { checkTables, createTables, defineResources, type Model, ownedBy, owns } from 'fastify-crud'
import { expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'

const resources = defineResources({
  team: { fields: { name: Type.String() }, relations: { admins: owns.many('admin'), members: owns.many('member') } },
  admin: {
    table: 'person',
    where: { type: "Admin's" },
    fields: { name: Type.String(), level: Type.Integer() },
    relations: { team: ownedBy('team') },
    unique: [['name']],
  },
  member: {
    table: 'person',
    where: { type: 'Member' },
    fields: { name: Type.String(), note: Type.Optional(Type.String()) },
    relations: { team: ownedBy('team') },
    unique: [['name']],
  },
}) as Model

describeOnBoth('the table of two resources', (database) => {
  const service = useApp(database, resources)

  test('has the columns of both, nothing to say against it, and rows that are of neither', async () => {
    const body = { name: 't', admins: [{ name: 'a', level: 1 }], members: [{ name: 'a' }] }
    const { id } = await service.add('/api/team', body)
    const team = await service.read(`/api/team/${id}`)
    await createTables(service.db, resources)
    expect(await checkTables(service.db, resources)).toEqual([])
    await service.db.insertInto('person').values({ type: 'Other', name: 'a', teamId: id }).execute()
    expect(await service.read(`/api/team/${id}`)).toEqual(team)
    await expect(service.db.insertInto('person').values({ name: 'q' }).execute()).rejects.toThrow(/null/i)
  })
})
