import {
  createStore,
  defineResources,
  field,
  knows,
  ownedBy,
  owns,
  type Rules,
  type Store,
  set,
} from '@fastify-crud/core'
import { createTables } from '@fastify-crud/tables'
import { Type } from '@sinclair/typebox'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { OpenDatabase } from '../../../../test/support/databases.ts'
import { describeOnDatabases } from '../../../../test/support/describe-on-databases.ts'

const text = Type.String()
const secret = field(Type.Optional(Type.String()), { writeOnly: true })

const resources = defineResources({
  category: {
    fields: { name: text },
    relations: { parent: ownedBy('category', { optional: true }), categories: owns.many('category') },
  },
  person: {
    fields: { name: text, pin: secret, edits: Type.Optional(Type.Integer()) },
    relations: {
      homes: owns.many('address', { inverse: 'homeOf' }),
      works: owns.many('address', { inverse: 'workOf' }),
      tags: knows.many('tag'),
    },
  },
  address: { fields: { street: text }, relations: { homeOf: ownedBy('person'), workOf: ownedBy('person') } },
  tag: { fields: { name: text } },
})

interface Told {
  readonly resource: string
  readonly action: string
  readonly before: unknown
  readonly after: unknown
  readonly changedBelow: readonly string[]
}

describeOnDatabases('rules are told', (database) => {
  const told: Told[] = []
  const invariants: unknown[] = []
  const tell = (resource: string) => ({
    validate: ({ action, before, after, changedBelow }: Omit<Told, 'resource'>) =>
      void told.push({ resource, action, before, after, changedBelow }),
  })
  const rules: Rules<typeof resources> = {
    category: [
      tell('category'),
      {
        invariant: {
          reads: ['name', 'categories.name'],
          test: ({ after }) => void invariants.push(after),
        },
      },
    ],
    person: [tell('person'), set({ edits: ({ row }) => (row.edits ?? 0) + 1 }, { on: 'change' })],
    address: tell('address'),
  }
  let open: OpenDatabase
  let store: Store<typeof resources>

  beforeAll(async () => {
    open = await database.open()
    await createTables(open.db, resources)
    store = createStore({ db: open.db, resources, rules })
  })
  beforeEach(async () => {
    await open.empty()
    told.splice(0)
    invariants.splice(0)
  })
  afterAll(() => open.close())

  const short = () => told.map(({ resource, action, changedBelow }) => [resource, action, ...changedBelow].join(' '))

  async function addTree() {
    const plain = createStore({ db: open.db, resources })
    const root = await plain.category.create({ name: 'a', categories: [{ name: 'b', categories: [{ name: 'c' }] }] })
    const [b] = root.categories
    return { a: root.id, b: b?.id as number, c: b?.categories[0]?.id as number }
  }

  test('of all records above a node of a tree, though the path does not name them', async () => {
    const { a, b, c } = await addTree()
    await store.category.patch(c, { name: 'C' })
    expect(short().sort()).toEqual(['category Edit', 'category Edit categories', 'category Edit categories'])
    expect(told.map(({ after }) => after)).toEqual(
      expect.arrayContaining([
        { id: a, name: 'a', parentId: null },
        { id: b, name: 'b', parentId: a },
        { id: c, name: 'C', parentId: b },
      ]),
    )
  })

  test('what an invariant reads of a tree of one kind, level by level', async () => {
    const { a, b, c } = await addTree()
    await store.category.patch(b, { name: 'B' })
    expect(invariants).toEqual(
      expect.arrayContaining([
        { id: a, name: 'a', categories: [{ id: b, name: 'B' }] },
        { id: b, name: 'B', categories: [{ id: c, name: 'c' }] },
      ]),
    )
    expect(invariants).toHaveLength(2)
  })

  test('of a whole tree that is deleted, once for each record', async () => {
    const { a } = await addTree()
    await store.category.delete(a)
    expect(short()).toEqual(['category Delete', 'category Delete', 'category Delete'])
    expect(invariants).toEqual([])
  })

  test('through which relation of its owner a record is owned', async () => {
    const { id, homes, works } = await store.person.create({
      name: 'Ada',
      homes: [{ street: 'h' }],
      works: [{ street: 'w' }],
    })
    expect(told.map(({ action }) => action)).toEqual(['Add', 'Add', 'Add'])
    told.splice(0)
    await store.person.owned(id, 'works').patch(works[0]?.id as number, { street: 'x' })
    expect(short().sort()).toEqual(['address Edit', 'person Edit works'])
    expect(told.find(({ resource }) => resource === 'address')?.before).toMatchObject({ homeOfId: null, workOfId: id })
    told.splice(0)
    await store.person.owned(id, 'homes').delete(homes[0]?.id as number)
    expect(short().sort()).toEqual(['address Delete', 'person Edit homes'])
  })

  test('values that no answer shows', async () => {
    const { id } = await store.person.create({ name: 'Ada', pin: '1234' })
    await store.person.patch(id, { name: 'Bo' })
    await store.person.patch(id, { pin: '5678' })
    expect(told.map(({ before, after }) => [before, after])).toMatchObject([
      [null, { pin: '1234' }],
      [{ pin: '1234' }, { name: 'Bo', pin: '1234' }],
      [{ pin: '1234' }, { pin: '5678' }],
    ])
  })

  test('of a record of which only the links change, and `set` takes it for a change', async () => {
    const [red, blue] = [await store.tag.create({ name: 'red' }), await store.tag.create({ name: 'blue' })]
    const ada = await store.person.create({ name: 'Ada', tags: [{ id: red.id }] })
    expect(ada).toMatchObject({ edits: 1 })
    told.splice(0)
    const changed = await store.person.patch(ada.id, { tags: [{ id: blue.id }] })
    expect(changed).toMatchObject({ edits: 2 })
    expect(told).toMatchObject([{ before: { edits: 1, tags: [red.id] }, after: { edits: 2, tags: [red.id, blue.id] } }])
    expect(await store.person.patch(ada.id, { tags: [{ id: blue.id }] })).toMatchObject({ edits: 2 })
    await store.tag.delete(red.id)
    expect(await store.person.find(ada.id)).toMatchObject({ edits: 2, tags: [{ id: blue.id }] })
  })
})
