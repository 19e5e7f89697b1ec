import { createStore, defineResources, knows, ownedBy, owns, type Store } from '@fastify-crud/core'
import { createTables } from '@fastify-crud/tables'
import { Type } from '@sinclair/typebox'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { OpenDatabase } from '../../../../test/support/databases.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'

const text = Type.String()

const resources = defineResources({
  person: {
    fields: { name: text },
    defaultInclude: [],
    relations: { homes: owns.many('address'), tags: knows.many('tag') },
  },
  address: { fields: { street: text }, relations: { person: ownedBy('person') } },
  tag: { fields: { name: text } },
})

describeOnBoth('of relations that a record does not carry by default', (database) => {
  const told: unknown[] = []
  let opened: OpenDatabase
  let store: Store<typeof resources>
  beforeAll(async () => {
    opened = await database.open()
    await createTables(opened.db, resources)
    store = createStore({
      db: opened.db,
      resources,
      rules: {
        person: [
          { validate: ({ action, before, after }) => void told.push([action, before?.tags, after?.tags]) },
          { invariant: { reads: ['homes.street'], test: ({ after }) => void told.push(after.homes[0]?.street) } },
        ],
        address: { validate: ({ action, before }) => void told.push([action, before?.street]) },
      },
    })
  })
  afterAll(() => opened.close())

  test('rules see the links and the owned records of an update that does not name them', async () => {
    const { id: tag } = await store.tag.create({ name: 'red' })
    const { id } = await store.person.create({ name: 'Ada', homes: [{ street: 'High' }], tags: [{ id: tag }] })
    told.length = 0
    await store.person.patch(id, { name: 'Bo' })
    expect(told).toEqual([['Edit', [tag], [tag]], 'High'])
  })

  test('rules see those that a body names, and those that go', async () => {
    const { id: tag } = await store.tag.create({ name: 'blue' })
    const { id } = await store.person.create({ name: 'Ada', homes: [{ street: 'Low' }] })
    told.length = 0
    await store.person.patch(id, { tags: [{ id: tag }] })
    expect(told).toEqual([['Edit', [], [tag]], 'Low'])
    told.length = 0
    await store.person.delete(id)
    expect(told).toEqual([
      ['Delete', [tag], undefined],
      ['Delete', 'Low'],
    ])
  })
})
