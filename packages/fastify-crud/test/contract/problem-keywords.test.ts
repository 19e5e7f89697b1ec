import { Type } from '@sinclair/typebox'
import { CrudError, createStore, defineResources, knows, neededBy, needs, ownedBy, owns } from 'fastify-crud'
import { beforeEach, describe, expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import { missingId, withGivenId, withIntegerIds, withTestIds } from '../../../../test/support/test-ids.ts'

const shop = defineResources({
  publisher: {
    fields: { name: Type.String({ minLength: 1 }), isbn: Type.Optional(Type.String()) },
    unique: [['isbn']],
    relations: {
      books: neededBy.many('book', { inverse: 'publisher' }),
      reprints: neededBy.many('book', { inverse: 'reprinter' }),
    },
  },
  book: {
    fields: {
      title: Type.String({ minLength: 1, maxLength: 5 }),
      price: Type.Optional(Type.Number({ minimum: 0 })),
      kind: Type.Optional(Type.Union([Type.Literal('novel'), Type.Literal('essay')])),
      sold: Type.Optional(Type.Integer({ readOnly: true })),
    },
    relations: {
      publisher: needs.one('publisher'),
      reprinter: needs.one('publisher', { optional: true }),
      chapters: owns.many('chapter'),
      tags: knows.many('tag'),
    },
  },
  chapter: { fields: { title: Type.String() }, relations: { book: ownedBy('book') } },
  tag: { fields: { name: Type.String() } },
})

describeOnBoth('what a problem says to programs', (database) => {
  const service = useApp(database, shop)
  const store = () => createStore({ db: service.db, resources: withTestIds(shop) })
  let publisher: number

  beforeEach(async () => {
    publisher = (await service.add('/api/publisher', { name: 'Ink', isbn: '1' })).id
  })

  const bodies: [what: string, body: object, problem: object][] = [
    ['a text too long', { title: 'Sixsix' }, { pointer: '/title', keyword: 'maxLength', params: { limit: 5 } }],
    ['a text too short', { title: '' }, { pointer: '/title', keyword: 'minLength', params: { limit: 1 } }],
    ['no text', { title: 5 }, { pointer: '/title', keyword: 'type', params: { type: 'string' } }],
    ['null', { title: null }, { pointer: '/title', keyword: 'notNull' }],
    ['a value left out', {}, { pointer: '/title', keyword: 'required', params: { missingProperty: 'title' } }],
    [
      'a number too low',
      { title: 'a', price: -1 },
      { pointer: '/price', keyword: 'minimum', params: { comparison: '>=', limit: 0 } },
    ],
    [
      'none of several values',
      { title: 'a', kind: 'poem' },
      { pointer: '/kind', keyword: 'enum', params: { allowedValues: ['novel', 'essay'] } },
    ],
    [
      'an unknown property',
      { title: 'a', titel: 'b' },
      { pointer: '/titel', keyword: 'additionalProperties', params: { additionalProperty: 'titel' } },
    ],
    ['a read-only value', { title: 'a', sold: 1 }, { pointer: '/sold', keyword: 'readOnly' }],
    [
      'an id twice',
      { title: 'a', tags: [{ id: missingId('tag') }, { id: missingId('tag') }] },
      { pointer: '/tags/1/id', keyword: 'uniqueItems', params: { id: missingId('tag') } },
    ],
    ['no list', { title: 'a', chapters: 1 }, { pointer: '/chapters', keyword: 'type', params: { type: 'array' } }],
    [
      'no object',
      { title: 'a', chapters: [1] },
      { pointer: '/chapters/0', keyword: 'type', params: { type: 'object' } },
    ],
    ['U+0000', { title: '\u0000' }, { pointer: '/title', keyword: 'storable', params: { not: 'U+0000' } }],
  ]
  for (const [what, body, problem] of bodies) {
    test(`of a body: ${what}, by HTTP and in the store`, async () => {
      const sent = { ...body, publisherId: publisher }
      const { errors } = await service.refuse('POST', '/api/book', sent, { code: 'CRUD_ERR_INVALID' })
      expect(errors).toEqual([{ ...problem, message: expect.any(String) }])
      const refused = await store()
        .book.create(withGivenId('book', sent) as never)
        .catch((error: unknown) => error)
      expect(refused).toBeInstanceOf(CrudError)
      expect((refused as CrudError).errors).toEqual(errors)
    })
  }

  test('of a record that is not there', async () => {
    const body = { title: 'a', publisherId: missingId('publisher'), tags: [{ id: missingId('tag') }] }
    const { errors } = await service.refuse('POST', '/api/book', body, { code: 'CRUD_ERR_UNKNOWN_REFERENCE' })
    expect(errors).toMatchObject([
      { pointer: '/publisherId', keyword: 'reference', params: { resource: 'publisher' } },
      { pointer: '/tags/0/id', keyword: 'reference', params: { resource: 'tag' } },
    ])
  })

  test('of a value that is taken', async () => {
    const body = { name: 'Quill', isbn: '1' }
    const { errors } = await service.refuse('POST', '/api/publisher', body, { code: 'CRUD_ERR_NOT_UNIQUE' })
    expect(errors).toMatchObject([{ pointer: '/isbn', keyword: 'unique', params: { members: ['isbn'] } }])
  })

  test('of what is still needed: what needs it, in which way, and how often', async () => {
    for (const title of ['a', 'b']) await service.add('/api/book', { title, publisherId: publisher })
    const other = await service.add('/api/publisher', { name: 'Quill' })
    await service.add('/api/book', { title: 'c', publisherId: other.id, reprinterId: publisher })
    const expected = { code: 'CRUD_ERR_STILL_NEEDED' } as const
    const { blockers, errors } = await service.refuse('DELETE', `/api/publisher/${publisher}`, undefined, expected)
    expect(errors).toEqual([])
    expect(blockers).toEqual([
      { resource: 'book', relation: 'publisher', count: 2 },
      { resource: 'book', relation: 'reprinter', count: 1 },
    ])
    const refused: unknown = await store()
      .publisher.delete(publisher)
      .catch((error: unknown) => error)
    expect((refused as CrudError).blockers).toEqual(blockers)
  })

  test('other refusals have no blockers', async () => {
    const problem = await service.refuse('GET', `/api/book/${missingId('book')}`, undefined, {
      code: 'CRUD_ERR_NOT_FOUND',
    })
    expect(problem).not.toHaveProperty('blockers')
  })

  const queries: [query: string, problem: object][] = [
    ['limit=500', { parameter: 'limit', keyword: 'range', params: { minimum: 1, maximum: 100 } }],
    ['offset=-1', { parameter: 'offset', keyword: 'range', params: { minimum: 0 } }],
    ['count=some', { parameter: 'count', keyword: 'count' }],
    ['after=x', { parameter: 'after', keyword: 'cursor' }],
    ['nope=1', { parameter: 'nope', keyword: 'additionalProperties', params: { additionalProperty: 'nope' } }],
    ['limit=1&limit=1', { parameter: 'limit', keyword: 'repeated' }],
    ['sort=%E0', { parameter: 'sort', keyword: 'format', params: { format: 'percent-encoding' } }],
    ['sort=-titel', { parameter: 'sort', keyword: 'path', params: { path: 'titel' } }],
    ['sort=title,title', { parameter: 'sort', keyword: 'uniqueItems', params: { name: 'title' } }],
    ['sort=id,title,price,kind,sold,publisherId', { parameter: 'sort', keyword: 'maxItems', params: { limit: 5 } }],
    ['fields=titel', { parameter: 'fields', keyword: 'path', params: { path: 'titel' } }],
    ['fields=', { parameter: 'fields', keyword: 'minLength', params: { limit: 1 } }],
    ['include=-tagz', { parameter: 'include', keyword: 'path', params: { path: 'tagz' } }],
    [
      'nested[tags][limit]=0',
      { parameter: 'nested[tags][limit]', keyword: 'range', params: { minimum: 1, maximum: 1_000 } },
    ],
    ['nested[tags][sort]=x', { parameter: 'nested[tags][sort]', keyword: 'path', params: { path: 'x' } }],
    ['nested[tags][filter]={', { parameter: 'nested[tags][filter]', keyword: 'format', params: { format: 'json' } }],
    ['nested[title][limit]=1', { parameter: 'nested[title]', keyword: 'path', params: { path: 'title' } }],
    ['filter=[', { parameter: 'filter', keyword: 'format', params: { format: 'json' } }],
    ['filter={"titel":"a"}', { parameter: 'filter', keyword: 'path', params: { path: 'titel' } }],
    ['filter={"price":"a"}', { parameter: 'filter', keyword: 'type', params: { type: 'number' } }],
    ['filter={"or":[]}', { parameter: 'filter', keyword: 'minItems', params: { limit: 1 } }],
    ['filter[titel]=a', { parameter: 'filter[titel]', keyword: 'path', params: { path: 'titel' } }],
    ['filter[price][gte]=a', { parameter: 'filter[price][gte]', keyword: 'type', params: { type: 'number' } }],
    [
      'filter[id][is]=1',
      {
        parameter: 'filter[id][is]',
        keyword: 'operator',
        params: { operator: 'is', allowedValues: expect.arrayContaining(['eq', 'in', 'null']) },
      },
    ],
    ['filter[price]=1&filter[price][eq]=1', { parameter: 'filter[price][eq]', keyword: 'repeated' }],
  ]
  for (const [query, problem] of queries) {
    test(`of a query: ${query}`, async () => {
      const path = `/api/book?${query.replaceAll('"', '%22')}`
      const { errors } = await service.refuse('GET', path, undefined, { code: 'CRUD_ERR_INVALID' })
      expect(errors).toEqual([{ ...problem, message: expect.any(String) }])
    })
  }

  test('of too many conditions, and of filters too deep', async () => {
    const many = JSON.stringify({ or: Array.from({ length: 51 }, () => ({ price: 1 })) })
    const deep = JSON.stringify({ not: { not: { not: { not: { not: { price: 1 } } } } } })
    for (const [filter, keyword, limit] of [
      [many, 'maxFilters', 50],
      [deep, 'maxFilterDepth', 5],
    ] as const) {
      const path = `/api/book?filter=${encodeURIComponent(filter)}`
      const { errors } = await service.refuse('GET', path, undefined, { code: 'CRUD_ERR_INVALID' })
      expect(errors).toMatchObject([{ parameter: 'filter', keyword, params: { limit } }])
    }
  })

  test('of headers', async () => {
    const headers = { prefer: 'return=nothing', 'if-match': 'x' }
    const answer = await service.request('PATCH', `/api/publisher/${publisher}`, {}, headers)
    expect(answer.body.errors).toMatchObject([
      { parameter: 'If-Match', keyword: 'format' },
      { parameter: 'Prefer', keyword: 'preference', params: { preference: 'return' } },
    ])
  })

  test('of the options of the store', async () => {
    const { book } = store()
    const refusals: [Promise<unknown>, string][] = [
      [book.list({ sort: ['titel' as never] }), 'sort'],
      [book.list({ filter: { price: { gte: 'a' as never } } }), 'filter'],
      [book.list({ limit: 0 }), 'limit'],
      [book.list({ offset: -1 }), 'offset'],
      [book.list({ pages: 1 } as never), 'pages'],
      [book.find('' as never), 'id'],
    ]
    for (const [refusal, parameter] of refusals)
      await expect(refusal).rejects.toMatchObject({ errors: [{ parameter }] })
  })
})

describeOnBoth('what a problem says of a value that is no id', (database) => {
  const resources = withIntegerIds(shop)
  const service = useApp(database, resources)

  test('of a body, by HTTP and in the store', async () => {
    const publisher = await service.add('/api/publisher', { name: 'Ink' })
    const body = { title: 'a', publisherId: publisher.id, tags: [{ id: 'x' }] }
    const { errors } = await service.refuse('POST', '/api/book', body, { code: 'CRUD_ERR_INVALID' })
    const problem = { pointer: '/tags/0/id', keyword: 'id', params: { type: 'integer' }, message: expect.any(String) }
    expect(errors).toEqual([problem])
    const refused = createStore({ db: service.db, resources }).book.create(body as never)
    await expect(refused).rejects.toMatchObject({ errors })
  })

  test('of a query', async () => {
    const path = '/api/book?filter[id][in]=1&filter[id][in]=a'
    const { errors } = await service.refuse('GET', path, undefined, { code: 'CRUD_ERR_INVALID' })
    expect(errors).toMatchObject([{ parameter: 'filter[id][in]', keyword: 'id', params: { type: 'integer' } }])
  })

  test('of a path', async () => {
    const { errors } = await service.refuse('GET', '/api/book/01/chapter/x', undefined, { code: 'CRUD_ERR_INVALID' })
    expect(errors).toMatchObject([
      { parameter: 'book_id', keyword: 'id', params: { type: 'integer' } },
      { parameter: 'id', keyword: 'id' },
    ])
  })
})

describe('of records that the caller may not see', () => {
  describeOnBoth('a refusal has no blocker', (database) => {
    const service = useApp(database, shop, {
      plugin: { authorize: (_request, { action, resource }) => action !== 'View' || resource !== 'book' },
    })

    test('and says only that there is one', async () => {
      const { id } = await service.add('/api/publisher', { name: 'Ink' })
      await service.request('POST', '/api/book', { title: 'a', publisherId: id })
      const { body } = await service.delete(`/api/publisher/${id}`)
      expect(body).toMatchObject({ code: 'CRUD_ERR_STILL_NEEDED', detail: 'it is still needed', blockers: [] })
    })
  })
})
