import { Type } from '@sinclair/typebox'
import { defineResources, ownedBy, owns } from 'fastify-crud'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { type TestApp, useApp } from '../../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../../test/support/describe-on-databases.ts'

type AnyPolicy = { readonly eb: (...given: readonly string[]) => unknown }

const name = Type.String()
const constraint = false

/** Pages of chapters of books; a note may be on either, and has marks of its own. */
const resources = defineResources({
  book: { fields: { name }, relations: { chapters: owns.many('chapter'), notes: owns.many('note') } },
  chapter: {
    fields: { name },
    relations: { book: ownedBy('book', { constraint }), pages: owns.many('page'), notes: owns.many('note') },
    topLevel: true,
  },
  page: {
    fields: { name },
    relations: { chapter: ownedBy('chapter', { constraint }), marks: owns.many('mark') },
    topLevel: true,
  },
  mark: { fields: { name }, relations: { page: ownedBy('page', { constraint }) }, topLevel: true },
  note: {
    fields: { name },
    relations: { book: ownedBy('book', { constraint }), chapter: ownedBy('chapter', { constraint }) },
    topLevel: true,
  },
})

const gone = {
  'its owner': ['chapter'],
  'its topmost owner': ['book'],
  'all of its owners': ['book', 'chapter'],
} as const

async function addBook(service: TestApp) {
  const page = { name: 'p', marks: [{ name: 'm' }] }
  const chapters = [{ name: 'c', pages: [page], notes: [{ name: 'n' }] }]
  const book = await service.add('/api/book', { name: 'b', chapters })
  const [chapter] = book.chapters
  return { page: chapter.pages[0], mark: chapter.pages[0].marks[0], note: chapter.notes[0] }
}

for (const [title, tables] of Object.entries(gone)) {
  describeOnBoth(`a record at the top without ${title}`, (database) => {
    const service = useApp(database, resources)

    test('is read, changed and deleted as any other', async () => {
      for (const key of ['page', 'mark', 'note'] as const) {
        const { [key]: record } = await addBook(service)
        for (const table of tables) await sql`delete from ${sql.table(table)}`.execute(service.db)
        const path = `/api/${key}/${record.id}`
        const before = await service.read(path)
        expect(before, key).toMatchObject({ name: record.name })
        expect((await service.patch(path, { name: 'x' })).body, key).toEqual({ ...before, name: 'x' })
        expect((await service.put(path, before)).body, key).toEqual(before)
        expect((await service.patch(`/api/${key}`, [{ id: record.id, name: 'y' }])).body, key).toMatchObject({
          rows: [{ name: 'y' }],
        })
        expect((await service.delete(path)).status, key).toBe(204)
        expect((await service.get(path)).status, key).toBe(404)
      }
    })
  })
}

describeOnBoth('a record at the top without its owner, which the rights need', (database) => {
  const isShown = ({ eb }: AnyPolicy) => eb('name', '!=', 'zebra')
  const policies = { book: true, chapter: { View: isShown, Add: true, Edit: true, Delete: true } }
  const service = useApp(database, resources, { plugin: { caller: () => ({}), policies: policies as never } })

  test('is not there, for reads and writes', async () => {
    const { page, note } = await addBook(service)
    await sql`delete from chapter`.execute(service.db)
    for (const [key, record] of Object.entries({ page, note })) {
      const path = `/api/${key}/${record.id}`
      for (const [method, body] of [
        ['GET', undefined],
        ['PATCH', { name: 'x' }],
        ['PUT', record],
        ['DELETE', undefined],
      ] as const)
        expect((await service.request(method, path, body)).body, `${method} ${path}`).toMatchObject({
          code: 'CRUD_ERR_NOT_FOUND',
        })
    }
  })
})

describeOnBoth('a record at the top without its owner, whose policy is about changes', (database) => {
  const mayChange = ({ eb }: AnyPolicy) => eb('name', '!=', 'locked')
  const policies = { book: true, chapter: { View: true, Add: true, Edit: mayChange, Delete: true } }
  const service = useApp(database, resources, { plugin: { caller: () => ({}), policies: policies as never } })

  test('is read, and not changed', async () => {
    const { page } = await addBook(service)
    await sql`delete from chapter`.execute(service.db)
    const path = `/api/page/${page.id}`
    const before = await service.read(path)
    for (const [method, body] of [
      ['PATCH', { name: 'x' }],
      ['DELETE', undefined],
    ] as const)
      expect([403, 404]).toContain((await service.request(method, path, body)).status)
    expect(await service.read(path)).toEqual(before)
  })
})
