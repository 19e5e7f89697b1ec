import { Type } from '@sinclair/typebox'
import { createStore, defineResources, needs, ownedBy, owns } from 'fastify-crud'
import { expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import { ada, asCaller, caller } from './support/as-caller.ts'

const resources = defineResources({
  car: {
    fields: { name: Type.String() },
    relations: { plate: owns.one('plate', { required: true }), drivers: needs.many('driver') },
  },
  plate: { fields: { text: Type.String() }, relations: { car: ownedBy('car') } },
  driver: { fields: { name: Type.String(), orgId: Type.Integer() } },
})

describeOnBoth('a record whose required records are all outside of View', (database) => {
  const service = useApp(database, resources, {
    plugin: {
      caller,
      policies: {
        car: true,
        plate: { View: false, Add: true, Edit: true, Delete: true },
        driver: ({ eb, my }) => eb('orgId', '=', my('org')),
      },
    },
  })
  const client = asCaller(service, ada)
  const all = () => createStore({ db: service.db, resources })

  test('may be sent back as it was shown: what is required is there, though hidden', async () => {
    const driver = await all().driver.create({ name: 'zebra', orgId: 2 })
    const car = await all().car.create({ name: 'c', plate: { text: 'zebra' }, drivers: [{ id: driver.id }] })
    const path = `/api/car/${car.id}`
    const shown = await client.read(path)
    expect(shown).toEqual({ id: car.id, name: 'c', plate: null, drivers: [] })
    expect(await client.put(path, shown)).toMatchObject({ status: 200, body: shown })
    expect(await client.put(path, { ...shown, name: 'd' })).toMatchObject({ status: 200, body: { name: 'd' } })
    expect(await all().car.find(car.id)).toEqual({ ...car, name: 'd' })
  })
})
