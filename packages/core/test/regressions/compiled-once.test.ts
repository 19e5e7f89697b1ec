import { createStore, defineResources, ownedBy, owns } from '@fastify-crud/core'
import { createTables } from '@fastify-crud/tables'
import { Type } from '@sinclair/typebox'
import type { KyselyPlugin } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { OpenDatabase } from '../../../../test/support/databases.ts'
import { describeOnDatabases } from '../../../../test/support/describe-on-databases.ts'

const resources = defineResources({
  person: { fields: { name: Type.String() }, relations: { pets: owns.many('pet') } },
  pet: { fields: { name: Type.String() }, relations: { owner: ownedBy('person') } },
})

describeOnDatabases('a statement', (database) => {
  let open: OpenDatabase
  let compiled = 0
  // What is compiled comes by a plugin's `transformQuery`; what is kept does not.
  const counting: KyselyPlugin = {
    transformQuery({ node }) {
      compiled += 1
      return node
    },
    transformResult: async ({ result }) => result,
  }

  beforeAll(async () => {
    open = await database.open({ plugins: [counting] })
    await createTables(open.db, resources)
  })
  afterAll(() => open.close())

  test('is compiled once, however a collection is come by', async () => {
    const store = createStore({ db: open.db, resources })
    const work = async () => {
      const { id } = await store.resource('person').create({ name: 'a', pets: [{ name: 'b' }] })
      await store.resource('person').find(id)
      await store.resource('person').list()
      const pet = await store.resource('person').owned(id, 'pets').create({ name: 'c' })
      await store.resource('person').owned(id, 'pets').find(pet.id)
      await store.resource('person').owned(id, 'pets').list()
      await store.resource('person').owned(id, 'pets').patch(pet.id, { name: 'd' })
      await store.resource('person').delete(id)
    }
    await work()
    expect(compiled).toBeGreaterThan(0)
    compiled = 0
    await work()
    expect(compiled).toBe(0)
  })
})
