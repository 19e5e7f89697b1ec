import { Type } from '@sinclair/typebox'
import { defineResources, field, ownedBy, owns } from 'fastify-crud'
import { sql } from 'kysely'
import { beforeEach, expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnBoth, describeOnDrivers } from '../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../test/support/json-body.ts'
import { withIntegerIds } from '../../../../test/support/test-ids.ts'

const products = defineResources({
  product: {
    fields: {
      name: Type.String(),
      stock: Type.Integer({ minimum: 0, maximum: 1_000 }),
      weight: Type.Number({ default: 0.1 }),
      price: Type.String({ format: 'decimal', default: '12.50' }),
      rating: Type.Optional(Type.Integer()),
      size: Type.Integer({ multipleOf: 5, default: 10 }),
      secret: field(Type.Integer({ default: 1 }), { writeOnly: true }),
      extra: Type.Optional(Type.Any()),
    },
    relations: { parts: owns.many('part') },
  },
  part: {
    fields: { name: Type.String(), count: Type.Integer({ minimum: 0 }) },
    relations: { product: ownedBy('product') },
  },
})

describeOnDrivers('`$add` in a PATCH', (database) => {
  const service = useApp(database, products)
  let product: JsonBody
  let path: string

  beforeEach(async () => {
    const parts = [
      { name: 'a', count: 1 },
      { name: 'b', count: 2 },
    ]
    product = await service.add('/api/product', { name: 'p', stock: 10, parts })
    path = `/api/product/${product.id}`
  })

  const invalid = (...pointers: string[]) => ({ code: 'CRUD_ERR_INVALID', pointers }) as const
  const add = (by: unknown) => ({ $add: by })

  test('adds to integers, numbers and decimals', async () => {
    const { status, body } = await service.patch(path, { stock: add(-3), weight: add(0.2), price: add('-2.505') })
    expect(status).toBe(200)
    expect(body).toEqual({ ...product, stock: 7, weight: 0.1 + 0.2, price: '9.995' })
    expect(await service.read(path)).toEqual(body)
    const again = await service.patch(path, { price: add('0.005'), name: 'q' })
    expect(again.body).toEqual({ ...body, price: '10.000', name: 'q' })
  })

  test('to add nothing changes nothing', async () => {
    expect((await service.patch(path, { stock: add(0), weight: add(0), price: add('0') })).body).toEqual(product)
  })

  test('adds in what a record owns', async () => {
    const [a, b] = product.parts
    const { body } = await service.patch(path, { parts: [{ id: b.id, count: add(5) }] })
    expect(body.parts).toEqual([a, { ...b, count: 7 }])
  })

  test('adds to many records, by id and by filter', async () => {
    const other = await service.add('/api/product', { name: 'r', stock: 1 })
    const body = [
      { id: product.id, stock: add(1) },
      { id: other.id, stock: add(-1) },
    ]
    expect((await service.patch('/api/product', body)).status).toBe(200)
    expect((await service.read('/api/product?sort=name')).rows.map((row: JsonBody) => row.stock)).toEqual([11, 0])
    const filtered = await service.request(
      'PATCH',
      '/api/product?filter[stock][gte]=0',
      { stock: add(2) },
      { prefer: 'max-affected=5' },
    )
    expect(filtered.status).toBe(200)
    expect((await service.read('/api/product?sort=name')).rows.map((row: JsonBody) => row.stock)).toEqual([13, 2])
  })

  test('what the schema says holds for the result, with its keyword', async () => {
    const refused = async (body: unknown, pointer: string, keyword: string) => {
      const { errors } = await service.refuse('PATCH', path, body, invalid(pointer))
      expect(errors[0].keyword).toBe(keyword)
    }
    await refused({ stock: add(-11) }, '/stock', 'minimum')
    await refused({ stock: add(991) }, '/stock', 'maximum')
    await refused({ size: add(1) }, '/size', 'multipleOf')
    await refused({ parts: [{ id: product.parts[0].id, count: add(-2) }] }, '/parts/0/count', 'minimum')
    await refused({ rating: add(1) }, '/rating', 'notNull')
    await refused({ weight: add(Number.MAX_VALUE), name: 'x', stock: add(-11) }, '/stock', 'minimum')
  })

  test('all problems are said at once', async () => {
    const body = { stock: add(-11), rating: add(1), parts: [{ id: product.parts[0].id, count: add(-9) }] }
    await service.refuse('PATCH', path, body, invalid('/stock', '/rating', '/parts/0/count'))
  })

  test('what is added is spelled as the values of the field are', async () => {
    for (const by of ['1', 1.5, null, true, [1]]) {
      await service.refuse('PATCH', path, { stock: add(by) }, invalid('/stock/$add'))
    }
    for (const by of [1, 'x', '1e3', null]) {
      await service.refuse('PATCH', path, { price: add(by) }, invalid('/price/$add'))
    }
    await service.refuse('PATCH', path, { stock: { $add: 1, by: 2 } }, invalid('/stock/by'))
  })

  test('only numbers can be added to', async () => {
    await service.refuse('PATCH', path, { name: add('x') }, invalid('/name'))
    expect((await service.patch(path, { extra: add(1) })).body.extra).toEqual({ $add: 1 })
  })

  test('a field that no answer shows cannot be added to', async () => {
    await service.refuse('PATCH', path, { secret: add(1) }, invalid('/secret'))
  })

  test('in POST and PUT there is nothing to add to', async () => {
    await service.refuse('POST', '/api/product', { name: 'n', stock: add(1) }, invalid('/stock'))
    await service.refuse('PUT', path, { ...product, stock: add(1) }, invalid('/stock'))
    await service.refuse('PATCH', path, { parts: [{ name: 'new', count: add(1) }] }, invalid('/parts/0/count'))
  })

  test('`If-Match` holds, and a dry run says the result', async () => {
    const { headers } = await service.get(path)
    const stale = await service.request('PATCH', path, { stock: add(1) }, { 'if-match': '"x"' })
    expect(stale.status).toBe(412)
    const etag = { 'if-match': String(headers.etag) }
    const dry = await service.request('PATCH', path, { stock: add(1) }, { ...etag, prefer: 'tx=rollback' })
    expect(dry.body.stock).toBe(11)
    expect((await service.read(path)).stock).toBe(10)
    expect((await service.request('PATCH', path, { stock: add(1) }, etag)).body.stock).toBe(11)
  })
})

describeOnBoth('`$add` of many clients at once', (database) => {
  const service = useApp(database, products)

  test('two hundred that each take one of two hundred leave zero, and one more is refused', async () => {
    const { id } = await service.add('/api/product', { name: 'p', stock: 200 })
    const take = async () => {
      for (;;) {
        const answer = await service.patch(`/api/product/${id}`, { stock: { $add: -1 } })
        // Nothing was done: so says the answer of a service that is busy.
        if (answer.status !== 503) return answer
      }
    }
    const answers = await Promise.all(Array.from({ length: 200 }, take))
    expect(answers.filter(({ status }) => status !== 200)).toEqual([])
    expect(new Set(answers.map(({ body }) => body.stock)).size).toBe(200)
    expect((await service.read(`/api/product/${id}`)).stock).toBe(0)
    expect((await take()).status).toBe(400)
    expect((await service.read(`/api/product/${id}`)).stock).toBe(0)
  })
})

const shelves = withIntegerIds(
  defineResources({
    shelf: {
      fields: {
        count: Type.Integer(),
        small: Type.Integer(),
        price: Type.String({ format: 'decimal' }),
        weight: Type.Number(),
      },
    },
  }),
)

/** Columns that keep less than those of `createTables`. */
const NARROW = {
  postgres: `create table shelf (id bigint generated by default as identity primary key, count bigint not null,
    small smallint not null, price numeric(6, 2) not null, weight double precision not null)`,
  sqlite: `create table shelf (id integer primary key autoincrement, count integer not null,
    small integer not null check (small between -32768 and 32767), price text not null, weight real not null)`,
}

describeOnBoth('`$add` at the ends of what a column keeps', (database) => {
  const service = useApp(database, shelves, {
    tables: async ({ db, name }) => void (await sql.raw(NARROW[name]).execute(db)),
  })

  test('is refused as the value itself would be, and stores nothing', async () => {
    const most = { count: Number.MAX_SAFE_INTEGER, small: 32_767, price: '9999.99', weight: 1e308 }
    const shelf = await service.add('/api/shelf', most)
    const path = `/api/shelf/${shelf.id}`
    const cases: (readonly [name: string, by: unknown, value: unknown])[] = [
      ['count', 1, 2 ** 53],
      ['small', 1, 32_768],
      ...(database.name === 'postgres'
        ? ([
            ['price', '0.01', '10000.00'],
            ['price', '-0.001', '9999.989'],
          ] as const)
        : []),
    ]
    for (const [name, by, value] of cases) {
      const added = await service.patch(path, { [name]: { $add: by } })
      const plain = await service.patch(path, { [name]: value })
      expect([name, added.status, added.body]).toEqual([name, plain.status, plain.body])
      expect(added.status).toBeGreaterThanOrEqual(400)
    }
    await service.refuse(
      'PATCH',
      path,
      { weight: { $add: 1e308 } },
      { code: 'CRUD_ERR_INVALID', pointers: ['/weight'] },
    )
    expect(await service.read(path)).toEqual(shelf)
    expect((await service.patch(path, { price: { $add: '-0.01' } })).body.price).toBe('9999.98')
  })
})
