import { CrudError, createStore, defineResources, ownedBy, owns } from '@fastify-crud/core'
import { createTables } from '@fastify-crud/tables'
import { Type } from '@sinclair/typebox'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { OpenDatabase } from '../support/databases.ts'
import { describeOnBoth } from '../support/describe-on-databases.ts'

const title = Type.String()

const resources = defineResources({
  book: {
    fields: { title },
    relations: { chapters: owns.many('chapter'), folders: owns.many('folder'), cover: owns.one('cover') },
  },
  chapter: {
    topLevel: true,
    fields: { title },
    relations: { book: ownedBy('book'), notes: owns.many('note') },
    unique: [['book', 'title']],
  },
  note: { topLevel: true, fields: { title }, relations: { chapter: ownedBy('chapter') } },
  cover: { topLevel: true, fields: { title }, relations: { book: ownedBy('book') } },
  folder: {
    fields: { title },
    relations: {
      book: ownedBy('book'),
      parent: ownedBy('folder', { optional: true }),
      folders: owns.many('folder'),
      papers: owns.many('paper'),
    },
  },
  paper: { topLevel: true, fields: { title }, relations: { folder: ownedBy('folder') } },
})

const MANY = 9_999

function times<Item>(count: number, item: (index: number) => Item): Item[] {
  return Array.from({ length: count }, (_, index) => item(index))
}

describeOnBoth('as many owners as a body may have records', (database) => {
  let open: OpenDatabase
  let store: ReturnType<typeof openStore>
  const openStore = ({ db }: OpenDatabase) => createStore({ db, resources })

  beforeAll(async () => {
    open = await database.open()
    await createTables(open.db, resources)
    store = openStore(open)
  })
  afterAll(() => open.close())

  /** Refused with this code, at these places. */
  const refusalOf = async (write: Promise<unknown>): Promise<readonly [string, readonly (string | undefined)[]]> => {
    const refused = await write.then(
      () => expect.unreachable('the write has to be refused'),
      (error: unknown) => error,
    )
    expect(refused).toBeInstanceOf(CrudError)
    const { code, errors } = refused as CrudError
    return [code, errors.map((problem) => ('pointer' in problem ? problem.pointer : undefined))]
  }

  /** Books, each with a chapter and a folder in a folder. */
  const addBooks = async (count: number) => {
    const body = { title: 'x', chapters: [{ title: 'one' }], folders: [{ title: 'f', folders: [{ title: 'g' }] }] }
    const { rows } = await store.book.createMany(times(count, () => body))
    return rows.map(({ id, chapters, folders }) => ({
      bookId: id,
      chapterId: chapters[0]?.id as number,
      folderId: folders[0]?.folders[0]?.id as number,
    }))
  }

  test('are looked for in as many statements as ten', async () => {
    const counted = async (count: number) => {
      const books = await addBooks(count)
      const statements = async (write: () => Promise<{ readonly rows: readonly object[] }>) => {
        let rows = 0
        const sent = await open.statements.record(async () => (rows = (await write()).rows.length))
        expect(rows).toBe(count)
        return sent.length
      }
      return {
        chapters: await statements(() =>
          store.chapter.createMany(books.map(({ bookId }) => ({ title: 'two', bookId }))),
        ),
        byKey: await statements(() =>
          store.chapter.upsertMany(
            books.map(({ bookId }) => ({ title: 'three', bookId })),
            { by: ['book', 'title'] },
          ),
        ),
        covers: await statements(() => store.cover.createMany(books.map(({ bookId }) => ({ title: 'c', bookId })))),
        notes: await statements(() => store.note.createMany(books.map(({ chapterId }) => ({ title: 'n', chapterId })))),
        papers: await statements(() => store.paper.createMany(books.map(({ folderId }) => ({ title: 'p', folderId })))),
      }
    }
    await counted(2)
    const few = await counted(10)
    expect(await counted(1_000)).toEqual(few)
    expect(Math.max(...Object.values(few))).toBeLessThan(15)
  })

  test('are those that the bodies name, however deep they are', async () => {
    const books = await addBooks(20)
    const { rows: notes } = await store.note.createMany(
      books.toReversed().map(({ chapterId }) => ({ title: 'n', chapterId })),
    )
    expect(notes.map(({ chapterId }) => chapterId)).toEqual(books.toReversed().map(({ chapterId }) => chapterId))
    const { rows: papers } = await store.paper.createMany(books.map(({ folderId }) => ({ title: 'p', folderId })))
    expect(papers.map(({ folderId }) => folderId)).toEqual(books.map(({ folderId }) => folderId))
    const { chapters, folders } = await store.book.find(books[7]?.bookId as number)
    expect([chapters[0]?.notes, folders[0]?.folders[0]?.papers].map((found) => found?.length)).toEqual([1, 1])
  })

  test('are told where they are not there, or have their one record', async () => {
    const [first, second] = await addBooks(2)
    const [{ bookId, chapterId, folderId }, { bookId: other }] = [first, second] as [
      NonNullable<typeof first>,
      NonNullable<typeof second>,
    ]
    const missing = 2 ** 40
    const unknown = (key: string) => ['CRUD_ERR_UNKNOWN_REFERENCE', [`/1/${key}`, `/3/${key}`]]
    const around = <Body>(body: (id: number) => Body, id: number) => [id, missing, id, missing + 1].map(body)
    const title = 'x'
    expect(await refusalOf(store.note.createMany(around((chapterId) => ({ title, chapterId }), chapterId)))).toEqual(
      unknown('chapterId'),
    )
    expect(await refusalOf(store.paper.createMany(around((folderId) => ({ title, folderId }), folderId)))).toEqual(
      unknown('folderId'),
    )
    await store.cover.create({ title, bookId })
    const [code] = await refusalOf(
      store.cover.createMany([
        { title, bookId: other },
        { title, bookId },
      ]),
    )
    expect(code).toBe('CRUD_ERR_EXISTS')
  })

  test('are looked for, and each one that is missing is told, up to the most that an answer lists', async () => {
    const { id } = await store.book.create({ title: 'there' })
    const bodies = times(MANY, (index) => ({ title: 'x', bookId: id + index }))
    const ofBooks = await refusalOf(store.chapter.createMany(bodies))
    expect([ofBooks[0], ofBooks[1].length]).toEqual(['CRUD_ERR_UNKNOWN_REFERENCE', 1_000])
    const ofKeys = await refusalOf(store.chapter.upsertMany(bodies, { by: ['book', 'title'] }))
    expect([ofKeys[0], ofKeys[1].length]).toEqual(['CRUD_ERR_UNKNOWN_REFERENCE', 1_000])
  })
})
