import {
  type Collection,
  type CreateOptions,
  createStore,
  defineResources,
  ownedBy,
  owns,
  type Page,
  type Store,
} from '@fastify-crud/core'
import { createTables } from '@fastify-crud/tables'
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

  test('refuses what is no id, whatever there is, and says what it is instead', async () => {
    const { room } = store as unknown as { room: Collection }
    const body = { name: 'attic' }
    const methods: ((id: never) => Promise<unknown>)[] = [
      (id) => room.find(id),
      (id) => room.replace(id, { ...body, id: 1 } as never),
      (id) => room.patch(id, body as never),
      (id) => room.delete(id),
    ]
    for (const [id, shown] of [
      ['1', "'1'"],
      [Number.NaN, 'NaN'],
      [undefined, 'undefined'],
      [null, 'null'],
      [1.5, '1.5'],
      [1n, '1n'],
      [{ id: 1 }, 'an object'],
    ]) {
      const refusal = { code: 'CRUD_ERR_INVALID', message: `the id must be an integer, not ${shown}` }
      for (const method of methods) await expect(method(id as never)).rejects.toMatchObject(refusal)
    }
  })

  test('refuses what is no id of an owner, and names the owner', async () => {
    const chairs = store.room.owned('1' as never, 'chairs')
    const refusal = { code: 'CRUD_ERR_INVALID', message: "the id of the room must be an integer, not '1'" }
    for (const call of [
      chairs.find(1),
      chairs.list(),
      chairs.create({ colour: 'red' }),
      chairs.replace(1, { colour: 'red' }),
      chairs.patch(1, {}),
      chairs.delete(1),
    ]) {
      await expect(call).rejects.toMatchObject(refusal)
    }
  })

  test('refuses an option that there is not', async () => {
    const page = { limt: 1 } as Page
    const refusal = { code: 'CRUD_ERR_INVALID', message: "list has no option 'limt'; did you mean 'limit'?" }
    await expect(store.room.list(page)).rejects.toMatchObject(refusal)
    await expect(store.room.owned(1, 'chairs').list(page)).rejects.toMatchObject(refusal)
    await expect(store.room.list({ offset: 0, order: 'name' } as Page)).rejects.toMatchObject({
      message: "list has no option 'order'",
    })
    await expect(store.room.create({ name: 'hall' }, { Id: 7 } as CreateOptions<number>)).rejects.toMatchObject({
      code: 'CRUD_ERR_INVALID',
      message: "create has no option 'Id'; did you mean 'id'?",
    })
  })

  test('has nothing for a resource whose records all have owners', () => {
    expect(Object.keys(store).sort()).toEqual(['as', 'asSystem', 'batch', 'in', 'on', 'resource', 'room', 'visible'])
    const untyped = store as unknown as Store
    const how = "a chair is addressed through its owner, room: store.room.owned(id, 'chairs')"
    expect(() => untyped.resource('chair')).toThrow(how)
    expect(() => untyped.chair?.list()).toThrow(how)
    expect(Object.keys(untyped)).not.toContain('chair')
    expect(() => untyped.resource('chiar')).toThrow("the model has no resource 'chiar'")
  })
})
