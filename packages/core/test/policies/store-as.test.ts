import { createStore, defineResources, type PolicyRule, type Store } from '@fastify-crud/core'
import { createTables } from '@fastify-crud/tables'
import { Type } from '@sinclair/typebox'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { OpenDatabase } from '../../../../test/support/databases.ts'
import { describeOnDatabases } from '../../../../test/support/describe-on-databases.ts'
import { notebook } from './notebook.ts'

type Notebook = Store<typeof notebook>

const forbidden = { code: 'CRUD_ERR_FORBIDDEN' } as const
const notFound = { code: 'CRUD_ERR_NOT_FOUND' } as const
const unknown = { code: 'CRUD_ERR_UNKNOWN_REFERENCE' } as const

/** The compiler knows another meaning of a property of this name, so the rule needs a type. */
const isConstructor: PolicyRule = ({ eb }) => eb('text', '=', 'constructor')

describeOnDatabases('the store with policies', (database) => {
  let open: OpenDatabase
  const guarded = () =>
    createStore({
      db: open.db,
      resources: notebook,
      policies: {
        note: ({ eb, my }) => eb('authorId', '=', my('id')),
        topic: { author: ({ eb, my }) => eb('authorId', '=', my('id')), admin: true },
      },
    })
  const as = (id: number, ...roles: string[]) => guarded().as({ id, roles })

  beforeAll(async () => {
    open = await database.open()
    await createTables(open.db, notebook)
  })
  beforeEach(() => open.empty())
  afterAll(() => open.close())

  test('does nothing without `.as(caller)` or `.asSystem()`', async () => {
    const bare = guarded() as unknown as Notebook
    for (const call of [
      async () => bare.note.list(),
      async () => bare.note.create({ text: 'n', authorId: 1 }),
      async () => bare.resource('note').find(1),
      async () => bare.resource('note').owned(1, 'marks').list(),
    ]) {
      await expect(call()).rejects.toThrow(/asSystem/)
    }
    expect(await guarded().asSystem().note.list()).toEqual({ rows: [], count: 0 })
  })

  test('has a caller’s rows for this caller alone', async () => {
    const mine = await as(1).note.create({ text: 'mine', authorId: 1, marks: [{ text: 'm' }] })
    const theirs = await as(2).note.create({ text: 'theirs', authorId: 2 })
    expect(await as(1).note.list()).toEqual({ rows: [mine], count: 1 })
    expect(await as(1).note.find(mine.id)).toEqual(mine)
    await expect(as(1).note.find(theirs.id)).rejects.toMatchObject(notFound)
    await expect(as(1).note.patch(theirs.id, { text: 'x' })).rejects.toMatchObject(notFound)
    await expect(as(1).note.delete(theirs.id)).rejects.toMatchObject(notFound)
    await expect(as(2).note.owned(mine.id, 'marks').create({ text: 'x' })).rejects.toMatchObject(notFound)
    await expect(as(1).note.create({ text: 'x', authorId: 2 })).rejects.toMatchObject(forbidden)
    await expect(as(1).note.patch(mine.id, { authorId: 2 })).rejects.toMatchObject(forbidden)
    expect(await guarded().asSystem().note.list()).toEqual({ rows: [mine, theirs], count: 2 })
  })

  test('takes the roles of its caller', async () => {
    const topic = await as(1, 'author').topic.create({ text: 't', authorId: 1 })
    expect((await as(2, 'admin').topic.list()).rows).toEqual([topic])
    expect((await as(1).topic.list()).rows).toEqual([])
    await expect(as(1).note.create({ text: 'n', authorId: 1, topicId: topic.id })).rejects.toMatchObject(unknown)
    const note = await as(1, 'author').note.create({ text: 'n', authorId: 1, topicId: topic.id })
    expect(await as(1).note.find(note.id)).toMatchObject({ topicId: topic.id, topic: null })
  })

  test('keeps two callers apart whose requests run at the same time', async () => {
    const callers = Array.from({ length: 12 }, (_, index) => index + 1)
    for (const id of callers) await as(id).note.create({ text: `of ${id}`, authorId: id })
    const store = guarded()
    const lists = await Promise.all(callers.map((id) => store.as({ id }).note.list()))
    expect(lists.map(({ rows }) => rows.map(({ text }) => text))).toEqual(callers.map((id) => [`of ${id}`]))
  })

  test('keeps roles apart, whatever their names', async () => {
    const store = createStore({
      db: open.db,
      resources: notebook,
      policies: {
        note: true,
        topic: {
          'a,b': true,
          '': { View: ({ eb }) => eb('text', '=', '') },
          a: { View: ({ eb }) => eb('text', '=', 'a') },
          b: { View: ({ eb }) => eb('text', '=', 'b') },
          constructor: { View: isConstructor },
        },
      },
    })
    for (const text of ['a', 'b', 'constructor', '']) {
      await store.asSystem().topic.create({ text, authorId: 1 })
    }
    const seen = async (...roles: string[]) => (await store.as({ roles }).topic.list()).rows.map(({ text }) => text)
    for (const _round of [1, 2]) {
      expect(await seen('a', 'b')).toEqual(['a', 'b'])
      expect(await seen('a,b')).toEqual(['a', 'b', 'constructor', ''])
      expect(await seen('a', '')).toEqual(['a', ''])
      expect(await seen('constructor')).toEqual(['constructor'])
      expect(await seen('toString', '__proto__', 'b')).toEqual(['b'])
      expect(await seen()).toEqual([])
    }
  })

  test('refuses what is no caller', () => {
    for (const wrong of [undefined, null, 1, 'ada']) expect(() => guarded().as(wrong as never)).toThrow(/caller/)
  })

  test('without policies is as it was', async () => {
    const store = createStore({ db: open.db, resources: notebook })
    const { id } = await store.note.create({ text: 'n', authorId: 1 })
    expect((await store.note.find(id)).text).toBe('n')
  })
})

describeOnDatabases('the store of a model with a resource that is called like `as`', (database) => {
  const model = defineResources({
    as: { fields: { name: Type.String() } },
    asSystem: { fields: { name: Type.String() } },
  })
  let open: OpenDatabase

  beforeAll(async () => {
    open = await database.open()
    await createTables(open.db, model)
  })
  afterAll(() => open.close())

  test('reaches it by `resource`', async () => {
    const store = createStore({ db: open.db, resources: model, policies: { as: true, asSystem: false } }).as({ id: 1 })
    const { id } = await store.resource('as').create({ name: 'a' })
    expect(await store.resource('as').find(id)).toEqual({ id, name: 'a' })
    expect((await store.resource('asSystem').list()).count).toBe(0)
  })
})
