import type { FastifyInstance } from 'fastify'
import { beforeEach, expect, test } from 'vitest'
import { type Answer, useApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../test/support/json-body.ts'
import { chosenId, missingId } from '../../../../test/support/test-ids.ts'
import { category } from './models/category.ts'
import { library } from './models/library.ts'
import { product } from './models/product.ts'

const STRONG = /^"[\w-]{24}"$/

const tagOf = ({ headers }: Answer) => headers.etag

describeOnBoth('`ETag`', (database) => {
  const service = useApp(database, library)
  let book: JsonBody
  let path: string

  beforeEach(async () => {
    const publisher = await service.add('/api/publisher', { fullName: 'Ink' })
    const author = await service.add('/api/author', { firstName: 'Ann' })
    book = await service.add('/api/book', {
      mainTitle: 'a',
      mainPublisherId: publisher.id,
      authors: [{ id: author.id }],
      chapters: [{ mainTitle: 'one' }],
    })
    path = `/api/book/${book.id}`
  })

  test('is strong, of every single record, and HEAD has it too', async () => {
    const tag = tagOf(await service.get(path))
    expect(tag).toMatch(STRONG)
    expect(tagOf(await service.request('HEAD', path))).toBe(tag)
    expect(tagOf(await service.get(`${path}/chapter/${book.chapters[0].id}`))).toMatch(STRONG)
  })

  test('of the answer to a write is the one that GET has, as the record is the same', async () => {
    const body = { mainTitle: 'b', mainPublisherId: book.mainPublisherId, authors: book.authors }
    const writes: [string, string, unknown][] = [
      ['PUT', path, { ...book, mainTitle: 'b' }],
      ['PUT', path, { ...book, mainTitle: 'b' }],
      ['PUT', '/api/book', { ...book, mainTitle: 'c' }],
      ['PATCH', path, { unitPrice: 12.5 }],
      ['PATCH', path, {}],
      ['PATCH', path, { chapters: [{ mainTitle: 'two' }], bookTags: [] }],
      ['POST', '/api/book', { ...body, mainTitle: 'other' }],
      ['POST', `/api/book/${chosenId('book')}`, { ...body, mainTitle: 'chosen' }],
      ['POST', `${path}/chapter`, { mainTitle: 'three' }],
    ]
    for (const [method, url, sent] of writes) {
      const answer = await service.request(method, url, sent)
      expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300)
      const read = await service.get(String(answer.headers.location ?? path))
      expect([tagOf(answer), answer.body]).toEqual([tagOf(read), read.body])
      expect(tagOf(answer)).toMatch(STRONG)
    }
  })

  test('is another one as soon as anything that the record shows is different', async () => {
    const tags = new Set([tagOf(await service.get(path))])
    const changes: [string, string, unknown][] = [
      ['PATCH', path, { mainTitle: 'b' }],
      ['PATCH', `${path}/chapter/${book.chapters[0].id}`, { pageCount: 7 }],
      ['POST', `${path}/cover`, { imageUrl: 'x' }],
      ['PATCH', `/api/publisher/${book.mainPublisherId}`, { fullName: 'Paper' }],
      ['PATCH', `/api/author/${book.authors[0].id}`, { firstName: 'Bob' }],
    ]
    for (const [method, url, body] of changes) {
      await service.request(method, url, body)
      tags.add(tagOf(await service.get(path)))
    }
    expect(tags.size).toBe(changes.length + 1)
  })

  test('is the same again when the record is the same again', async () => {
    const before = tagOf(await service.get(path))
    await service.patch(path, { mainTitle: 'b' })
    expect(tagOf(await service.patch(path, { mainTitle: 'a' }))).toBe(before)
  })

  test('is not on lists, refusals and deletes', async () => {
    const answers = [
      await service.get('/api/book'),
      await service.get(`${path}/chapter`),
      await service.get(`/api/book/${missingId('book')}`),
      await service.patch(path, { nothing: 1 }),
      await service.delete(path),
    ]
    expect(answers.map(({ status, headers }) => [status, headers.etag])).toEqual([
      [200, undefined],
      [200, undefined],
      [404, undefined],
      [400, undefined],
      [204, undefined],
    ])
  })
})

describeOnBoth('the `ETag` of a tree', (database) => {
  const service = useApp(database, category)

  test('is that of the whole tree', async () => {
    const created = await service.post('/api/category', { name: 'a', categories: [{ name: 'b' }] })
    const path = `/api/category/${created.body.id}`
    expect(tagOf(await service.get(path))).toBe(tagOf(created))
    await service.patch(`/api/category/${created.body.categories[0].id}`, { categories: [{ name: 'c' }] })
    expect(tagOf(await service.get(path))).not.toBe(tagOf(created))
  })
})

describeOnBoth('the `ETag` of a replaced endpoint', (database) => {
  const service = useApp(database, product, {
    plugin: {
      handlers: {
        product: {
          findOne: {
            access: { action: 'View', id: 'id' },
            async handler(request, _reply, next) {
              const record = (await next()) as JsonBody
              if (request.headers['x-change'] !== undefined) record.price = 99
            },
          },
          create: {
            access: { action: 'Add' },
            async handler(_request, reply, next) {
              await next()
              reply.header('x-seen', '1')
            },
          },
          patch: {
            access: { action: 'Edit', id: 'id' },
            async handler(_request, reply, next) {
              reply.send({ mine: await next() })
            },
          },
        },
      },
    },
  })

  test('is there as long as the handler leaves the answer as it is', async () => {
    const created = await service.post('/api/product', { name: 'a' })
    expect(tagOf(created)).toMatch(STRONG)
    const path = `/api/product/${created.body.id}`
    expect(tagOf(await service.get(path))).toBe(tagOf(created))
    const changed = await service.request('GET', path, undefined, { 'x-change': '1' })
    expect([changed.body.price, tagOf(changed)]).toEqual([99, undefined])
    expect(tagOf(await service.patch(path, { name: 'b' }))).toBe(undefined)
  })

  test('is not what `If-None-Match` names if the handler changes the answer', async () => {
    const created = await service.post('/api/product', { name: 'a' })
    const path = `/api/product/${created.body.id}`
    const condition = { 'if-none-match': String(tagOf(created)) }
    expect((await service.request('GET', path, undefined, condition)).status).toBe(304)
    expect((await service.request('GET', path, undefined, { ...condition, 'x-change': '1' })).status).toBe(200)
  })

  test('does not keep `next()` from checking `If-Match`', async () => {
    const { id } = await service.add('/api/product', { name: 'a' })
    const answer = await service.request('PATCH', `/api/product/${id}`, { name: 'b' }, { 'if-match': '"other"' })
    expect(answer.status).toBe(412)
    expect((await service.read(`/api/product/${id}`)).name).toBe('a')
  })
})

describeOnBoth('an `ETag` that a hook of the application sets', (database) => {
  const service = useApp(database, product, {
    before(app: FastifyInstance) {
      app.addHook('preHandler', async (_request, reply) => {
        reply.header('etag', '"mine"')
      })
    },
  })

  test('stays, and `If-None-Match` of a GET goes by it', async () => {
    const created = await service.post('/api/product', { name: 'a' })
    const path = `/api/product/${created.body.id}`
    expect([tagOf(created), tagOf(await service.get(path))]).toEqual(['"mine"', '"mine"'])
    const answer = await service.request('GET', path, undefined, { 'if-none-match': '"mine"' })
    expect([answer.status, tagOf(answer)]).toEqual([304, '"mine"'])
  })
})
