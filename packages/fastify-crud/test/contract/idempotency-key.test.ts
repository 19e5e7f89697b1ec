import { Type } from '@sinclair/typebox'
import { createTables, defineResources, type Model, neededBy, needs, ownedBy, owns } from 'fastify-crud'
import { expect, test } from 'vitest'
import { type Answer, useApp } from '../../../../test/support/app.ts'
import { describeOnBoth, describeOnDatabases } from '../../../../test/support/describe-on-databases.ts'
import { errorLog } from '../../../../test/support/error-log.ts'
import type { JsonBody } from '../../../../test/support/json-body.ts'
import { expectProblem } from '../../../../test/support/problem.ts'
import { missingId, withAssignedIds } from '../../../../test/support/test-ids.ts'

const shop = withAssignedIds(
  defineResources({
    product: {
      fields: { name: Type.String(), price: Type.Optional(Type.Number()), code: Type.Optional(Type.String()) },
      relations: { parts: owns.many('part'), orders: neededBy.many('order') },
      unique: [['code']],
    },
    part: { topLevel: true, fields: { name: Type.String() }, relations: { product: ownedBy('product') } },
    order: { fields: { amount: Type.Integer() }, relations: { product: needs.one('product') } },
  }) as Model,
)

const HOUR = 60 * 60 * 1_000

describeOnDatabases('Idempotency-Key', (database) => {
  const service = useApp(database, shop)
  const send = (method: string, path: string, body: unknown, key: string, headers: Record<string, string> = {}) =>
    service.request(method, path, body, { 'idempotency-key': key, ...headers })
  const post = (body: unknown, key: string, headers?: Record<string, string>) =>
    send('POST', '/api/product', body, key, headers)
  const count = async (path = '/api/product') => (await service.read(path)).count
  const kept = () => service.db.selectFrom('crud_idempotency').selectAll().execute()
  const age = async (hours: number) => {
    const at = Date.now() - hours * HOUR
    await service.db.updateTable('crud_idempotency').set({ at }).execute()
  }

  test('a POST that is sent again creates nothing, and gets the first status, Location and the record', async () => {
    const first = await post({ name: 'Ink' }, 'a')
    const second = await post({ name: 'Ink' }, 'a')
    expect(first.status).toBe(201)
    expect(second).toMatchObject({ status: 201, body: first.body })
    expect(second.headers.location).toBe(first.headers.location)
    expect(second.headers.location).toBe(`/api/product/${first.body.id}`)
    expect(second.headers.etag).toBe(first.headers.etag)
    expect(await count()).toBe(1)
  })

  test('a PATCH that is sent again changes nothing, and gets the record as it is now', async () => {
    const { id } = await service.add('/api/product', { name: 'Ink', parts: [{ name: 'a' }] })
    const path = `/api/product/${id}`
    const body = { parts: [{ name: 'b' }] }
    expect((await send('PATCH', path, body, 'a')).body.parts).toHaveLength(2)
    await service.patch(path, { name: 'Paper' })
    const again = await send('PATCH', path, body, 'a')
    expect(again).toMatchObject({ status: 200, body: { name: 'Paper' } })
    expect(again.body.parts).toHaveLength(2)
    expect(again.headers.location).toBeUndefined()
    expect(again.headers.etag).toBe((await service.get(path)).headers.etag)
  })

  test('a PATCH of plain fields, and one that changes nothing, are kept, too', async () => {
    const { id } = await service.add('/api/product', { name: 'Ink', price: 1 })
    const path = `/api/product/${id}`
    for (const [key, price] of [
      ['plain', 2],
      ['same', 2],
    ] as const) {
      expect(await send('PATCH', path, { price }, key)).toMatchObject({ status: 200, body: { price } })
    }
    await service.patch(path, { price: 7 })
    for (const key of ['plain', 'same']) {
      expect(await send('PATCH', path, { price: 2 }, key)).toMatchObject({ status: 200, body: { price: 7 } })
    }
    expect(await kept()).toHaveLength(2)
  })

  test('the same key with another body is 422, before 404 and 412', async () => {
    const { body } = await post({ name: 'Ink' }, 'a')
    expectProblem(await post({ name: 'Paper' }, 'a'), { code: 'CRUD_ERR_REPEAT' })
    const path = `/api/product/${body.id}`
    expect((await send('PATCH', path, { price: 1 }, 'a')).status).toBe(200)
    const stale = { 'if-match': '"another"' }
    expectProblem(await send('PATCH', path, { price: 2 }, 'a', stale), { code: 'CRUD_ERR_REPEAT' })
    expect((await service.delete(path)).status).toBe(204)
    expectProblem(await send('PATCH', path, { price: 2 }, 'a'), { code: 'CRUD_ERR_REPEAT' })
    // What is wrong by itself comes first.
    expectProblem(await send('PATCH', path, { prize: 2 }, 'a'), { code: 'CRUD_ERR_INVALID', pointers: ['/prize'] })
    expect(await count()).toBe(0)
  })

  test('a repeat is answered before 404 and 412', async () => {
    const { body } = await post({ name: 'Ink' }, 'a')
    const path = `/api/product/${body.id}`
    const tag = { 'if-match': String((await service.get(path)).headers.etag) }
    expect((await send('PATCH', path, { price: 1 }, 'a', tag)).status).toBe(200)
    expect(await send('PATCH', path, { price: 1 }, 'a', tag)).toMatchObject({ status: 200, body: { price: 1 } })
  })

  test('bodies are the same if they are equal as JSON, whatever the order of their properties', async () => {
    const first = await post({ name: 'Ink', price: 1, parts: [{ name: 'a' }] }, 'a')
    expect(await post({ parts: [{ name: 'a' }], price: 1, name: 'Ink' }, 'a')).toMatchObject({ body: first.body })
    const other = await post({ name: 'Ink', price: 1, parts: [{ name: 'b' }] }, 'a')
    expect(other.status).toBe(422)
  })

  test('a record that is gone is answered with the first status and Location, without a body', async () => {
    const first = await post({ name: 'Ink' }, 'a')
    const path = String(first.headers.location)
    expect((await send('PATCH', path, { price: 1 }, 'a')).status).toBe(200)
    await service.delete(path)
    const again = await post({ name: 'Ink' }, 'a')
    expect(again).toMatchObject({ status: 201, body: undefined })
    expect(again.headers).toMatchObject({ location: path, 'preference-applied': 'return=minimal' })
    expect(await send('PATCH', path, { price: 1 }, 'a')).toMatchObject({ status: 200, body: undefined })
    expect(await count()).toBe(0)
  })

  test('keys are those of a method, a path and a query', async () => {
    const first = await post({ name: 'Ink' }, 'a')
    const path = String(first.headers.location)
    expect((await send('PATCH', path, { name: 'Ink' }, 'a')).status).toBe(200)
    for (const name of ['x', 'y']) await service.add('/api/product', { name })
    expect((await send('POST', `${path}/part`, { name: 'Ink' }, 'a')).status).toBe(201)
    expect((await send('POST', '/api/part', { name: 'Ink', productId: first.body.id }, 'a')).status).toBe(201)
    expect(await kept()).toHaveLength(4)
  })

  test('nested paths and paths at the top repeat, also where the record or its owner is gone', async () => {
    const product = await service.add('/api/product', { name: 'Ink' })
    const owner = `/api/product/${product.id}`
    const nested = await send('POST', `${owner}/part`, { name: 'p' }, 'a')
    expect(await send('POST', `${owner}/part`, { name: 'p' }, 'a')).toMatchObject({ status: 201, body: nested.body })
    const body = { name: 'q', productId: product.id }
    const top = await send('POST', '/api/part', body, 'a')
    expect(await send('POST', '/api/part', body, 'a')).toMatchObject({ status: 201, body: top.body })
    const path = `/api/part/${top.body.id}`
    expect((await send('PATCH', path, { name: 'r' }, 'a')).status).toBe(200)
    expect(await count('/api/part')).toBe(2)
    await service.delete(owner)
    expect(await send('POST', `${owner}/part`, { name: 'p' }, 'a')).toMatchObject({ status: 201, body: undefined })
    expect(await send('POST', '/api/part', body, 'a')).toMatchObject({ status: 201, body: undefined })
    expect(await send('PATCH', path, { name: 'r' }, 'a')).toMatchObject({ status: 200, body: undefined })
    expect((await send('PATCH', path, { name: 's' }, 'a')).status).toBe(422)
  })

  test('refusals are not kept: the same key may be used again', async () => {
    await service.add('/api/product', { name: 'Ink', code: 'c' })
    expect((await post({ name: 'Ink', code: 'c' }, 'a')).status).toBe(409)
    expect((await post({ nam: 'Ink' }, 'a')).status).toBe(400)
    const missing = await send('POST', '/api/order', { amount: 1, productId: missingId('product') }, 'a')
    expect(missing.body.code).toBe('CRUD_ERR_UNKNOWN_REFERENCE')
    expect(await kept()).toEqual([])
    expect((await post({ name: 'Ink', code: 'd' }, 'a')).status).toBe(201)
  })

  test('`tx=rollback` keeps nothing, and repeats nothing', async () => {
    const prefer = { prefer: 'tx=rollback' }
    expect((await post({ name: 'Ink' }, 'a', prefer)).status).toBe(201)
    expect(await kept()).toEqual([])
    expect((await post({ name: 'Paper' }, 'a')).status).toBe(201)
    expect(await post({ name: 'Ink' }, 'a', prefer)).toMatchObject({ status: 201, body: { name: 'Ink' } })
    expect(await count()).toBe(1)
  })

  test('`return=minimal` is the first status, too', async () => {
    const minimal = { prefer: 'return=minimal' }
    const first = await post({ name: 'Ink' }, 'a', minimal)
    expect(first).toMatchObject({ status: 201, body: undefined })
    expect(await post({ name: 'Ink' }, 'a')).toMatchObject({ status: 201, body: { name: 'Ink' } })
    const path = String(first.headers.location)
    expect((await send('PATCH', path, { price: 1 }, 'a', minimal)).status).toBe(204)
    expect(await send('PATCH', path, { price: 1 }, 'a')).toMatchObject({ status: 204, body: undefined })
    expect((await send('PATCH', path, { price: 2 }, 'b')).status).toBe(200)
    expect(await send('PATCH', path, { price: 2 }, 'b', minimal)).toMatchObject({ status: 200, body: undefined })
  })

  test('a key is known for 24 hours', async () => {
    const first = await post({ name: 'Ink' }, 'a')
    await age(23)
    expect((await post({ name: 'Ink' }, 'a')).body).toEqual(first.body)
    await age(25)
    const later = await post({ name: 'Paper' }, 'a')
    expect(later).toMatchObject({ status: 201, body: { name: 'Paper' } })
    expect((await post({ name: 'Paper' }, 'a')).body).toEqual(later.body)
    expect(await count()).toBe(2)
  })

  test('old rows go as requests with keys come', async () => {
    for (const key of ['a', 'b', 'c']) await post({ name: key }, key)
    await age(25)
    for (let n = 0; n < 100; n++) await post({ name: `${n}` }, 'new')
    expect(await kept()).toHaveLength(1)
  })

  test('a header that is empty or too long is 400', async () => {
    for (const key of ['', 'x'.repeat(256), 'ä']) {
      const answer = await post({ name: 'Ink' }, key)
      expect(answer.status).toBe(400)
      expect(answer.body.errors).toMatchObject([{ parameter: 'Idempotency-Key' }])
    }
    expect((await post({ name: 'Ink' }, `"${'x'.repeat(253)}"`)).status).toBe(201)
  })

  test('other methods take no notice of it', async () => {
    const { id } = await service.add('/api/product', { name: 'Ink' })
    const path = `/api/product/${id}`
    expect((await send('PUT', path, { name: 'a' }, 'k')).status).toBe(200)
    expect(await send('PUT', path, { name: 'b' }, 'k')).toMatchObject({ status: 200, body: { name: 'b' } })
    expect((await send('GET', path, undefined, 'k')).status).toBe(200)
    expect((await send('DELETE', path, undefined, 'k')).status).toBe(204)
    expect(await kept()).toEqual([])
  })

  test('requests without a key know nothing of it', async () => {
    const statements = await service.statements(async () => {
      const { id } = await service.add('/api/product', { name: 'Ink' })
      await service.patch(`/api/product/${id}`, { price: 1 })
    })
    expect(statements.filter((one) => one.includes('crud_idempotency'))).toEqual([])
  })
})

describeOnBoth('Idempotency-Key of callers', (database) => {
  const caller = ({ headers }: JsonBody) => (headers['x-user'] ? JSON.parse(headers['x-user']) : {})
  const policies = {
    product: ({ eb, my }: JsonBody) => eb.or([eb('code', 'is', null), eb('code', '=', my('code'))]),
    order: true,
  }
  const service = useApp(database, shop, { plugin: { caller, policies: policies as never } })
  const post = (user: unknown, body: unknown, method = 'POST', path = '/api/product'): Promise<Answer> =>
    service.request(method, path, body, {
      'idempotency-key': 'a',
      ...(user !== undefined && { 'x-user': JSON.stringify(user) }),
    })

  test('each caller has keys of its own, told apart by `id`', async () => {
    const ids = new Set()
    for (const id of [7, '7', 8]) ids.add((await post({ id }, { name: 'Ink' })).body.id)
    expect(ids.size).toBe(3)
    for (const id of [7, '7', 8]) ids.add((await post({ id }, { name: 'Ink' })).body.id)
    expect(ids.size).toBe(3)
  })

  test('a caller without `id` that sends a key is 400', async () => {
    for (const user of [undefined, {}, { id: null }, { id: {} }]) {
      const answer = await post(user, { name: 'Ink' })
      expect(answer.status).toBe(400)
      expect(answer.body.errors).toMatchObject([{ parameter: 'Idempotency-Key', keyword: 'caller' }])
    }
    expect((await service.request('POST', '/api/product', { name: 'Ink' })).status).toBe(201)
  })

  test('a record that the caller may no longer see is answered without a body', async () => {
    const ada = { id: 1, code: 'c' }
    const { body } = await post(ada, { name: 'Ink', code: 'c' })
    expect(body).toMatchObject({ code: 'c' })
    const again = await post({ ...ada, code: 'other' }, { name: 'Ink', code: 'c' })
    expect(again).toMatchObject({ status: 201, body: undefined })
    expect(again.headers).toMatchObject({
      location: `/api/product/${body.id}`,
      'preference-applied': 'return=minimal',
    })
  })
})

describeOnBoth('Idempotency-Key with `authorize`', (database) => {
  let mayAdd = true
  let maySee = true
  const authorize = (_: unknown, { action }: JsonBody) => (action === 'Add' ? mayAdd : maySee)
  const service = useApp(database, shop, { plugin: { authorize: authorize as never } })
  const post = () => service.request('POST', '/api/product', { name: 'Ink' }, { 'idempotency-key': 'a' })

  test('a repeat is asked about again', async () => {
    const first = await post()
    expect(first.body).toMatchObject({ name: 'Ink' })
    maySee = false
    expect(await post()).toMatchObject({ status: 201, body: undefined })
    mayAdd = false
    expectProblem(await post(), { code: 'CRUD_ERR_FORBIDDEN' })
    mayAdd = true
    maySee = true
    expect((await post()).body).toEqual(first.body)
  })
})

describeOnBoth('Idempotency-Key without its table', (database) => {
  const { fastify, lines } = errorLog()
  const service = useApp(database, shop, { fastify })

  test('is 500, and the log says what to do', async () => {
    await service.db.schema.dropTable('crud_idempotency').execute()
    const answer = await service.request('POST', '/api/product', { name: 'Ink' }, { 'idempotency-key': 'a' })
    expectProblem(answer, { code: 'CRUD_ERR_INTERNAL' })
    expect(lines.join('\n')).toContain('the table crud_idempotency is missing: createTables creates it')
    expect((await service.request('POST', '/api/product', { name: 'Ink' })).status).toBe(201)
  })
})

describeOnBoth('Idempotency-Key in a replaced endpoint', (database) => {
  let calls = 0
  const results: unknown[] = []
  const handler = async (request: JsonBody, _: unknown, next: () => Promise<JsonBody>) => {
    calls += 1
    request.body.price = calls
    results.push(await next())
  }
  const access = { action: 'Add' } as const
  const handlers = { product: { create: { access, handler } } }
  const service = useApp(database, shop, { plugin: { handlers: handlers as never } })

  test('acts inside `next()`, for the body that the client has sent', async () => {
    calls = 0
    results.length = 0
    const post = (name: string) => service.request('POST', '/api/product', { name }, { 'idempotency-key': 'a' })
    const first = await post('Ink')
    expect(first).toMatchObject({ status: 201, body: { price: 1 } })
    expect(await post('Ink')).toMatchObject({ status: 201, body: first.body })
    expect(calls).toBe(2)
    expect(results).toMatchObject([{ price: 1 }, { price: 1 }])
    expect((await post('Paper')).status).toBe(422)
    await service.delete(String(first.headers.location))
    expect(await post('Ink')).toMatchObject({ status: 201, body: undefined })
    expect(results.at(-1)).toBeUndefined()
  })
})

describeOnBoth('Idempotency-Key where the library or the client gives ids', (database) => {
  const resources = defineResources({
    note: { id: 'uuid', fields: { text: Type.String() } },
    tag: { id: 'text', fields: { name: Type.String() } },
    box: { id: 'bigint', fields: { name: Type.String() } },
    shelf: { id: 'integer', fields: { name: Type.String() }, relations: { slots: owns.many('slot') } },
    slot: { id: ['shelf', 'place'], fields: { place: Type.Integer() }, relations: { shelf: ownedBy('shelf') } },
  }) as Model
  const service = useApp(database, resources, { tables: ({ db }) => createTables(db, resources) })

  test('every kind of id is found again', async () => {
    const shelf = await service.add('/api/shelf', { name: 's' })
    for (const [path, body] of [
      ['/api/note', { text: 't' }],
      ['/api/tag', { id: 'a b', name: 'n' }],
      ['/api/tag/chosen', { name: 'n' }],
      ['/api/box', { name: 'n' }],
      [`/api/shelf/${shelf.id}/slot`, { place: 3 }],
    ] as const) {
      const post = () => service.request('POST', path, body, { 'idempotency-key': 'k' })
      const first = await post()
      expect(first.status, JSON.stringify(first.body)).toBe(201)
      const again = await post()
      expect(again, path).toMatchObject({ status: 201, body: first.body })
      expect(again.headers.location).toBe(first.headers.location)
    }
  })
})
