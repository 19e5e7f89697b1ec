import { Type } from '@sinclair/typebox'
import { type AccessQuestion, defineResources, needs, ownedBy, owns } from 'fastify-crud'
import { beforeEach, expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../test/support/json-body.ts'
import type { ExpectedProblem } from '../../../../test/support/problem.ts'

const name = Type.String()

const library = defineResources({
  author: {
    fields: { name, diary: { ...name, access: { View: ['staff'] }, default: '' } },
    relations: { books: owns.many('book'), cover: owns.one('cover') },
  },
  book: { fields: { name }, relations: { author: ownedBy('author'), pages: owns.many('page') } },
  page: { fields: { name }, relations: { book: ownedBy('book') } },
  cover: { fields: { name }, relations: { author: ownedBy('author') } },
  secret: {
    fields: { name },
    relations: {
      book: needs.one('book', { optional: true }),
      page: needs.one('page', { optional: true }),
      cover: needs.one('cover', { optional: true }),
    },
  },
  review: { fields: { name }, relations: { book: needs.one('book') } },
  bundle: { fields: { name }, relations: { books: needs.many('book') } },
  folder: { fields: { name }, relations: { papers: owns.many('paper') } },
  paper: {
    authorizedBy: 'owner',
    fields: { name },
    relations: { folder: ownedBy('folder'), book: needs.one('book', { optional: true }) },
  },
})

const code = 'CRUD_ERR_STILL_NEEDED'
const unnamed: ExpectedProblem = { code, detail: /^it is still needed$/, pointers: [] }

describeOnBoth('a removal that is blocked by records which `authorize` hides', (database) => {
  let hidden: readonly string[] = []
  let asked: AccessQuestion[] = []
  let answer: (question: AccessQuestion) => unknown
  const service = useApp(database, library, {
    plugin: {
      openapi: { responses: { 401: { description: 'Who are you?' } } },
      caller: () => ({ roles: [] }),
      authorize(_request, question) {
        asked.push(question)
        return answer(question) as boolean
      },
    },
  })
  let author: JsonBody
  let book: JsonBody
  let path: string

  beforeEach(async () => {
    hidden = []
    answer = isShown
    const body = { name: 'a', books: [{ name: 'b', pages: [{ name: 'p' }] }, { name: 'c' }], cover: { name: 'd' } }
    author = await service.add('/api/author', body)
    book = author.books[0]
    path = `/api/author/${author.id}/book/${book.id}`
    asked = []
  })

  const isShown = ({ action, resource }: AccessQuestion) => action !== 'View' || !hidden.includes(resource)
  const secret = (needed: object) => service.add('/api/secret', { name: 's', ...needed })
  const review = () => service.add('/api/review', { name: 'r', bookId: book.id })
  const pairs = () => asked.map(({ action, resource }) => `${action} ${resource}`)

  test('says only that the record is still needed', async () => {
    await secret({ bookId: book.id })
    await service.refuse('DELETE', path, undefined, { code, detail: /needed by 1 secret record$/ })
    hidden = ['secret']
    await service.refuse('DELETE', path, undefined, unnamed)
    const { body, status } = await service.request('DELETE', path, undefined, { prefer: 'max-affected=9' })
    expect([status, body.detail, body.errors]).toEqual([409, 'it is still needed', []])
  })

  test('names and counts those that are shown', async () => {
    await secret({ bookId: book.id })
    await service.add('/api/bundle', { name: 'm', books: [{ id: book.id }] })
    for (let n = 0; n < 2; n++) await review()
    hidden = ['secret', 'bundle']
    const detail = new RegExp(`^book ${book.id} is still needed by 2 review records$`)
    await service.refuse('DELETE', path, undefined, { code, detail })
    hidden = ['secret', 'review']
    await service.refuse('DELETE', path, undefined, { code, detail: /needed by 1 bundle record$/ })
    hidden = ['secret', 'review', 'bundle']
    await service.refuse('DELETE', path, undefined, unnamed)
  })

  test('points to nothing in a body, unless a record that is shown needs what it removes', async () => {
    await secret({ bookId: book.id })
    await secret({ coverId: author.cover.id })
    hidden = ['secret']
    const { diary: _, ...shown } = author
    const put = { ...shown, books: author.books.slice(1) }
    await service.refuse('PUT', `/api/author/${author.id}`, put, unnamed)
    await service.refuse('PATCH', `/api/author/${author.id}`, { cover: null }, unnamed)
    await review()
    const refused = { code, detail: /needed by 1 review record$/, pointers: ['/books'] } as const
    await service.refuse('PUT', `/api/author/${author.id}`, put, refused)
  })

  test('does not name what goes with its owner if that is hidden, or what owns it', async () => {
    await secret({ pageId: book.pages[0].id })
    const all = `/api/author/${author.id}`
    const detail = new RegExp(`^page ${book.pages[0].id} is still needed by 1 secret record$`)
    await service.refuse('DELETE', all, undefined, { code, detail })
    for (const one of ['page', 'book']) {
      hidden = [one]
      await service.refuse('DELETE', all, undefined, unnamed)
    }
    hidden = ['author', 'cover', 'review']
    await service.refuse('DELETE', all, undefined, { code, detail })
  })

  test('asks the owner where it decides', async () => {
    await service.add('/api/folder', { name: 'f', papers: [{ name: 'p', bookId: book.id }] })
    hidden = ['paper']
    await service.refuse('DELETE', path, undefined, { code, detail: /needed by 1 paper record$/ })
    hidden = ['folder']
    await service.refuse('DELETE', path, undefined, unnamed)
  })

  test('asks about what it would name only, each once, and all of that at the same time', async () => {
    await review()
    await service.add('/api/bundle', { name: 'm', books: [{ id: book.id }] })
    await secret({ pageId: book.pages[0].id })
    const asks = Promise.withResolvers<void>()
    asked = []
    answer = async ({ action, resource }) => {
      if (action !== 'View') return true
      if (pairs().filter((pair) => pair.startsWith('View')).length === 4) asks.resolve()
      await asks.promise
      return resource !== 'review'
    }
    const refused = { code, detail: /^(?!.*review).*bundle.*secret/ } as const
    await service.refuse('DELETE', path, undefined, refused)
    expect(pairs().sort()).toEqual(
      ['Delete book', 'Delete page', 'View bundle', 'View page', 'View review', 'View secret'].sort(),
    )
  })

  test('asks nothing where nothing is refused', async () => {
    await secret({ bookId: author.books[1].id })
    asked = []
    expect((await service.delete(path)).status).toBe(204)
    expect(pairs()).toEqual(['Delete book', 'Delete page'])
  })

  test('keeps nobody waiting while the answer is late', async () => {
    await secret({ bookId: book.id })
    const isAsked = Promise.withResolvers<void>()
    const late = Promise.withResolvers<boolean>()
    answer = ({ action, operation }) => {
      if (action !== 'View' || operation !== 'delete') return true
      isAsked.resolve()
      return late.promise
    }
    const removal = service.delete(path)
    await isAsked.promise
    expect((await service.patch(path, { name: 'meanwhile' })).status).toBe(200)
    late.resolve(false)
    expect(await removal).toMatchObject({ status: 409, body: { detail: 'it is still needed', errors: [] } })
  })

  test('is the error of `authorize` if that fails', async () => {
    await secret({ bookId: book.id })
    const error = Object.assign(new Error('who are you?'), { statusCode: 401 })
    const fails = () => {
      throw error
    }
    for (const fail of [fails, () => Promise.reject(error)]) {
      answer = ({ action }) => (action === 'View' ? fail() : true)
      expect((await service.delete(path)).status).toBe(401)
    }
    answer = () => true
    expect((await service.read(path)).id).toBe(book.id)
  })
})

describeOnBoth('a replaced DELETE that calls `next()`', (database) => {
  const service = useApp(database, library, {
    plugin: {
      caller: () => ({}),
      authorize: (_request, { action, resource }) => Promise.resolve(action !== 'View' || resource !== 'secret'),
      handlers: {
        author: { delete: { access: { action: 'Delete', id: 'id' }, handler: (_request, _reply, next) => next() } },
      },
    },
  })

  test('names no record that `authorize` hides, either', async () => {
    const { id, cover } = await service.add('/api/author', { name: 'a', books: [], cover: { name: 'd' } })
    await service.add('/api/secret', { name: 's', coverId: cover.id })
    await service.refuse('DELETE', `/api/author/${id}`, undefined, unnamed)
  })
})
