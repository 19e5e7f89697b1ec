import { createStore, createTables, defineResources, ownedBy, owns, type Store } from '@fastify-crud/core'
import { Type } from '@sinclair/typebox'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { OpenDatabase } from '../../../../test/support/databases.ts'
import { describeOnDatabases } from '../../../../test/support/describe-on-databases.ts'

const resources = defineResources({
  room: { fields: { name: Type.String() }, relations: { chairs: owns.many('chair') } },
  chair: { fields: { colour: Type.String() }, relations: { room: ownedBy('room') } },
  resource: { fields: { kind: Type.String() } },
})

describeOnDatabases('The store', (database) => {
  let open: OpenDatabase
  let store: Store<typeof resources>

  beforeAll(async () => {
    open = await database.open()
    await createTables(open.db, resources)
    store = createStore({ db: open.db, resources })
  })
  afterAll(() => open.close())

  test('has a property for each resource, and reaches owned records through their owner', async () => {
    const hall = await store.room.create({ name: 'hall', chairs: [{ colour: 'red' }] })
    const chairs = store.room.owned(hall.id, 'chairs')
    await chairs.create({ colour: 'blue' })
    expect(await store.resource('room').find(hall.id)).toMatchObject({
      chairs: [{ colour: 'red' }, { colour: 'blue' }],
    })
    expect(await chairs.list({ limit: 1 })).toMatchObject({ rows: [{ colour: 'red' }], count: 2 })
  })

  test('reaches a resource that is called like one of its methods by that method', async () => {
    const { id } = await store.resource('resource').create({ kind: 'room' })
    expect(await store.resource('resource').find(id)).toEqual({ id, kind: 'room' })
  })

  test('has nothing for a resource whose records all have owners', () => {
    expect(Object.keys(store).sort()).toEqual(['resource', 'room'])
    const untyped = store as unknown as Store
    expect(() => untyped.resource('chair')).toThrow('a chair is addressed through its owner, room')
    expect(() => untyped.resource('chiar')).toThrow("the model has no resource 'chiar'")
  })
})
