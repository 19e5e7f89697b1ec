import {
  createStore,
  defineResources,
  knows,
  type LinkedRecords,
  needs,
  ownedBy,
  owns,
  type Store,
} from '@fastify-crud/core'
import { createTables } from '@fastify-crud/tables'
import { Type } from '@sinclair/typebox'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { OpenDatabase } from '../../../../test/support/databases.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'

const name = Type.String()
const resources = defineResources({
  tag: { fields: { name } },
  book: {
    fields: { name },
    relations: { tags: knows.many('tag'), topics: needs.many('tag'), chapters: owns.many('chapter') },
  },
  chapter: { topLevel: true, fields: { name }, relations: { book: ownedBy('book'), tags: knows.many('tag') } },
})

describeOnBoth('The records that a record is linked to, in the store,', (database) => {
  let open: OpenDatabase
  let store: Store<typeof resources>
  let [red, blue]: number[] = []
  let book: number
  let chapter: number

  beforeAll(async () => {
    open = await database.open()
    await createTables(open.db, resources)
    store = createStore({ db: open.db, resources })
  })
  beforeEach(async () => {
    await open.empty()
    red = (await store.tag.create({ name: 'red' })).id
    blue = (await store.tag.create({ name: 'blue' })).id
    const made = await store.book.create({ name: 'b', topics: [{ id: red }], chapters: [{ name: 'c' }] })
    book = made.id
    chapter = made.chapters[0]?.id as number
  })
  afterAll(() => open.close())

  test('are added, listed and removed', async () => {
    const tags = store.book.linked(book, 'tags')
    expect(await tags.add(red as number)).toBeUndefined()
    await tags.add(blue as number)
    await tags.add(blue as number)
    expect(await tags.list({ sort: ['-name'], limit: 1 })).toMatchObject({ rows: [{ name: 'red' }], count: 2 })
    const { next } = await tags.list({ limit: 1 })
    expect((await tags.list({ limit: 1, after: next ?? '' })).rows).toEqual([{ id: blue, name: 'blue' }])
    expect(await tags.remove(red as number)).toBeUndefined()
    await tags.remove(red as number)
    expect(await tags.list({ filter: { name: { contains: 'l' } } })).toEqual({
      rows: [{ id: blue, name: 'blue' }],
      count: 1,
    })
    expect((await store.book.find(book)).tags).toEqual([{ id: blue, name: 'blue' }])
  })

  test('are reached below an owner, and at the top', async () => {
    for (const tags of [
      store.book.owned(book, 'chapters').linked(chapter, 'tags'),
      store.chapter.linked(chapter, 'tags'),
    ]) {
      await tags.add(red as number)
      expect((await tags.list()).count).toBe(1)
      await tags.remove(red as number)
      expect((await tags.list()).count).toBe(0)
    }
  })

  test('refuse what is not there, and the last one that is needed', async () => {
    const topics = store.book.linked(book, 'topics')
    await expect(topics.remove(red as number)).rejects.toMatchObject({ code: 'CRUD_ERR_STILL_NEEDED' })
    await expect(topics.add(999)).rejects.toMatchObject({ code: 'CRUD_ERR_NOT_FOUND' })
    for (const missing of [store.book.linked(999, 'tags'), store.book.owned(999, 'chapters').linked(1, 'tags')]) {
      await expect(missing.list()).rejects.toMatchObject({ code: 'CRUD_ERR_NOT_FOUND' })
      await expect(missing.add(red as number)).rejects.toMatchObject({ code: 'CRUD_ERR_NOT_FOUND' })
      await expect(missing.remove(red as number)).rejects.toMatchObject({ code: 'CRUD_ERR_NOT_FOUND' })
    }
  })

  test('say what a dry run would do', async () => {
    const tags = store.book.linked(book, 'tags')
    const relation = { resource: 'book', relation: 'tags' }
    const { plan } = await tags.add(red as number, { dryRun: true })
    expect(plan.steps).toMatchObject([{ step: 'link', relation, pairs: [{ from: book, to: red }] }])
    expect((await tags.list()).rows).toEqual([])
    await tags.add(red as number)
    expect((await tags.remove(red as number, { dryRun: true })).plan.steps).toMatchObject([
      { step: 'unlink', relation, pairs: [[book, red]] },
    ])
    expect((await tags.remove(blue as number, { dryRun: true })).plan.steps).toEqual([])
  })

  test('refuse what is no id, no relation or no option, by its name', async () => {
    const untyped = store.book as unknown as { linked(id: unknown, relation: string): LinkedRecords }
    expect(() => untyped.linked(book, 'chapters')).toThrow(TypeError)
    expect(() => untyped.linked(book, 'nothing')).toThrow("a book has no links 'nothing'")
    const wrong = { code: 'CRUD_ERR_INVALID', errors: [{ parameter: 'tag_id' }] }
    await expect(untyped.linked(book, 'tags').add('1')).rejects.toMatchObject(wrong)
    await expect(untyped.linked(book, 'tags').remove('1')).rejects.toMatchObject(wrong)
    const ofBook = { code: 'CRUD_ERR_INVALID', errors: [{ parameter: 'id' }] }
    await expect(untyped.linked('1', 'tags').add(red as number)).rejects.toMatchObject(ofBook)
    await expect(untyped.linked('1', 'tags').list()).rejects.toMatchObject({ errors: [{ parameter: 'book_id' }] })
    await expect(untyped.linked(book, 'tags').add(red as number, { dry: true } as never)).rejects.toThrow(/dry/)
  })

  test('are changed in a transaction of the application', async () => {
    const undone = open.db.transaction().execute(async (trx) => {
      await store
        .in(trx)
        .book.linked(book, 'tags')
        .add(red as number)
      expect((await store.in(trx).book.linked(book, 'tags').list()).count).toBe(1)
      throw new Error('undo')
    })
    await expect(undone).rejects.toThrow('undo')
    expect((await store.book.linked(book, 'tags').list()).count).toBe(0)
  })
})
