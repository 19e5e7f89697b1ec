import { Type } from '@sinclair/typebox'
import { defineResources, ownedBy, owns } from 'fastify-crud'
import { expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'

const name = Type.String()

const resources = defineResources({
  box: { fields: { name }, relations: { inner: owns.one('Box') } },
  Box: {
    table: 'inner_box',
    route: 'inner',
    fields: { name },
    relations: { outer: ownedBy('box'), parts: owns.many('part'), labels: owns.many('label') },
  },
  part: { fields: { name }, relations: { box: ownedBy('Box') } },
  label: { fields: { name }, relations: { box: ownedBy('Box') } },
})

describeOnBoth('resources whose keys differ in case only', (database) => {
  const service = useApp(database, resources)

  test('keep the ids of their new rows apart', async () => {
    // The ids of the two tables are not the same by chance.
    await service.add('/api/box', { name: 'first' })
    const inner = { name: 'i', parts: [{ name: 'p' }], labels: [{ name: 'l' }] }
    const record = await service.add('/api/box', { name: 'second', inner })
    expect(record).toMatchObject({
      name: 'second',
      inner: { name: 'i', parts: [{ name: 'p' }], labels: [{ name: 'l' }] },
    })
    expect(await service.read(`/api/box/${record.id}`)).toEqual(record)
  })
})
