import { Type } from '@sinclair/typebox'
import { defineResources, type IdDeclaration, knows, type Model, needs, ownedBy, owns } from 'fastify-crud'
import { beforeEach, expect, test } from 'vitest'
import { useApp } from '../../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../../test/support/json-body.ts'
import { at, chosenKinds } from './kinds.ts'

/** The parts of the ids are foreign keys to ids of one kind. */
function modelOf(id: IdDeclaration) {
  const named = { id, fields: { name: Type.String() } } as const
  return defineResources({
    order: { ...named, relations: { lines: owns.many('line') } },
    line: {
      id: ['order', 'product'],
      fields: { quantity: Type.Integer() },
      relations: {
        order: ownedBy('order'),
        product: needs.one('product'),
        from: knows.one('store'),
        via: needs.one('store', { optional: true }),
      },
    },
    product: named,
    store: named,
    member: {
      id: ['store', 'product'],
      fields: { role: Type.String() },
      relations: { store: needs.one('store'), product: needs.one('product') },
    },
  }) as Model
}

for (const { title, id, next } of chosenKinds()) {
  describeOnBoth(`ids of two foreign keys to ids of the kind: ${title}`, (database) => {
    const service = useApp(database, modelOf(id))
    const exists = { code: 'CRUD_ERR_EXISTS' } as const
    const invalid = { code: 'CRUD_ERR_INVALID' } as const
    const notFound = { code: 'CRUD_ERR_NOT_FOUND' } as const
    const named = (name: string, others: object = {}) => ({ ...(next && { id: next() }), name, ...others })
    const add = (resource: string): Promise<JsonBody> => service.add(`/api/${resource}`, named(resource))
    const shortOf = (...parts: unknown[]) => (parts.length === 1 ? parts[0] : parts.map(escaped).join(','))
    let order: JsonBody
    let path: string
    let products: JsonBody[]
    let store: JsonBody

    beforeEach(async () => {
      products = [await add('product'), await add('product'), await add('product')]
      store = await add('store')
      const lines = [
        { productId: products[0]?.id, quantity: 1, fromId: store.id },
        { productId: products[1]?.id, quantity: 2, viaId: store.id },
      ]
      order = await service.add('/api/order', named('o', { lines }))
      path = at('/api/order', order.id)
    })

    const product = (index: number) => products[index]?.id

    test('the id of an owned record has no part of the owner', async () => {
      expect(order.lines.map((line: JsonBody) => line.id)).toEqual([product(0), product(1)].sort(byId))
      for (const line of order.lines) {
        expect(line.id).toBe(line.productId)
        expect(await service.read(at(`${path}/line`, line.id))).toEqual(line)
      }
    })

    test('what a POST answers, a GET does, and a PUT of it changes nothing', async () => {
      expect(await service.read(path)).toEqual(order)
      const before = await service.snapshot()
      expect(await service.put(path, order)).toMatchObject({ status: 200, body: order })
      const [line] = order.lines
      expect(await service.put(at(`${path}/line`, line.id), line)).toMatchObject({ status: 200, body: line })
      expect(await service.put(`${path}/line`, line)).toMatchObject({ status: 200, body: line })
      expect(await service.snapshot()).toEqual(before)
    })

    test('elements are matched by the id or by the members: a PUT updates, adds and removes', async () => {
      const lines = [
        { productId: product(1), quantity: 20 },
        { productId: product(2), quantity: 3 },
      ]
      const put = await service.put(path, { ...order, lines })
      expect(put.status).toBe(200)
      expect(put.body.lines.map((line: JsonBody) => [line.id, line.quantity])).toEqual(
        [
          [product(1), 20],
          [product(2), 3],
        ].sort(([a], [b]) => byId(a, b)),
      )
      expect(await service.read(path)).toEqual(put.body)
      const byItsId = await service.patch(path, { lines: [{ id: product(2), quantity: 4 }] })
      expect(byItsId.body.lines.find((line: JsonBody) => line.id === product(2))).toMatchObject({ quantity: 4 })
      expect(byItsId.body.lines).toHaveLength(2)
      const created = await service.patch(path, { lines: [{ id: product(0), quantity: 9 }] })
      expect(created.body.lines).toHaveLength(3)
    })

    test('a POST below the owner makes the id, or takes it from the path', async () => {
      const created = await service.post(`${path}/line`, { productId: product(2), quantity: 5 })
      expect(created).toMatchObject({ status: 201, body: { id: product(2), productId: product(2) } })
      expect(created.headers.location).toBe(at(`${path}/line`, product(2)))
      await service.refuse('POST', `${path}/line`, { productId: product(2), quantity: 6 }, exists)
      expect(await service.delete(at(`${path}/line`, product(2)))).toMatchObject({ status: 204 })
      const filled = await service.post(at(`${path}/line`, product(2)), { quantity: 7 })
      expect(filled).toMatchObject({ status: 201, body: { productId: product(2), quantity: 7 } })
      await service.refuse('POST', at(`${path}/line`, product(2)), { quantity: 8 }, exists)
      const other = { productId: product(0), quantity: 7 }
      await service.refuse('POST', at(`${path}/line`, product(2)), other, { ...invalid, pointers: ['/productId'] })
    })

    test('the same parts below another owner are another record', async () => {
      const other = await service.add('/api/order', named('p', { lines: [{ productId: product(0), quantity: 8 }] }))
      const below = at(`${at('/api/order', other.id)}/line`, product(0))
      expect(await service.read(below)).toMatchObject({ quantity: 8 })
      expect(await service.delete(below)).toMatchObject({ status: 204 })
      expect(await service.read(path)).toEqual(order)
      await service.refuse('GET', at(`${at('/api/order', other.id)}/line`, product(1)), undefined, notFound)
    })

    test('a part never changes, and the same id twice is refused', async () => {
      const changed = { productId: product(2) }
      const line = at(`${path}/line`, product(0))
      await service.refuse('PATCH', line, changed, { ...invalid, pointers: ['/productId'] })
      await service.refuse('PUT', line, { ...changed, quantity: 1 }, { ...invalid, pointers: ['/productId'] })
      const inArray = { lines: [{ id: product(0), ...changed }] }
      await service.refuse('PATCH', path, inArray, { ...invalid, pointers: ['/lines/0/productId'] })
      const lines = [
        { productId: product(0), quantity: 1 },
        { id: product(0), quantity: 1 },
      ]
      await service.refuse('PUT', path, { ...order, lines }, { ...invalid, pointers: ['/lines/1/id'] })
      expect(await service.read(path)).toEqual(order)
    })

    test('a PATCH, a DELETE and a PUT of one line leave the others alone', async () => {
      const [line, rest] = order.lines
      const below = at(`${path}/line`, line.id)
      expect(await service.patch(below, { quantity: 70 })).toMatchObject({ status: 200, body: { quantity: 70 } })
      const replaced = await service.put(below, { quantity: 71 })
      expect(replaced).toMatchObject({ status: 200, body: { id: line.id, quantity: 71, fromId: null, viaId: null } })
      expect(await service.delete(below)).toMatchObject({ status: 204 })
      expect((await service.read(path)).lines).toEqual([rest])
    })

    test('a DELETE of the owner takes them; what they need stays until then', async () => {
      await service.refuse('DELETE', at('/api/product', product(0)), undefined, { code: 'CRUD_ERR_STILL_NEEDED' })
      expect(await service.delete(path)).toMatchObject({ status: 204 })
      expect(await service.db.selectFrom('line').selectAll().execute()).toEqual([])
      expect(await service.delete(at('/api/product', product(0)))).toMatchObject({ status: 204 })
    })

    test('a record that knows another loses the link as the other goes', async () => {
      const { id } = await add('store')
      await service.patch(at(`${path}/line`, product(0)), { fromId: id })
      expect(await service.delete(at('/api/store', id))).toMatchObject({ status: 204 })
      expect(await service.read(at(`${path}/line`, product(0)))).toMatchObject({ fromId: null })
    })

    test('the id of a record at the top has all parts', async () => {
      const body = { storeId: store.id, productId: product(0), role: 'r' }
      const created = await service.post('/api/member', body)
      const whole = shortOf(store.id, product(0))
      expect(created).toMatchObject({ status: 201, body: { id: whole, ...body } })
      const its = at('/api/member', whole as string)
      expect(created.headers.location).toBe(its)
      expect(await service.read(its)).toEqual(created.body)
      await service.refuse('POST', '/api/member', body, exists)
      expect(await service.put(its, { role: 's' })).toMatchObject({ status: 200, body: { id: whole, role: 's' } })
      expect(await service.put('/api/member', { ...body, role: 't' })).toMatchObject({ status: 200 })
      expect(await service.put('/api/member', { id: whole, role: 'u' })).toMatchObject({ body: { role: 'u' } })
      expect(await service.patch(its, { role: 'v' })).toMatchObject({ body: { ...body, role: 'v' } })
      const swapped = at('/api/member', shortOf(product(0), store.id) as string)
      if (store.id !== product(0)) await service.refuse('GET', swapped, undefined, notFound)
      expect(
        await service.post(at('/api/member', shortOf(store.id, product(1)) as string), { role: 'w' }),
      ).toMatchObject({
        status: 201,
        body: { storeId: store.id, productId: product(1) },
      })
      await service.refuse('PATCH', its, { storeId: product(2) }, { ...invalid, pointers: ['/storeId'] })
      expect(await service.delete(its)).toMatchObject({ status: 204 })
    })

    test('filters spell the id as answers do, and pages by a cursor have each record once', async () => {
      const others = [await add('store'), await add('store')]
      for (const { id: storeId } of [store, ...others]) {
        for (const { id: productId } of products) {
          await service.add('/api/member', { storeId, productId, role: 'r' })
        }
      }
      const wholeId = encodeURIComponent(shortOf(store.id, product(0)) as string)
      const otherId = encodeURIComponent(shortOf(others[0]?.id, product(2)) as string)
      const rows = async (query: string): Promise<JsonBody[]> => (await service.read(query)).rows
      expect(await rows(`/api/member?filter[id]=${wholeId}`)).toMatchObject([{ storeId: store.id }])
      expect(await rows(`/api/member?filter[id][in]=${wholeId}&filter[id][in]=${otherId}`)).toHaveLength(2)
      expect(await rows(`/api/member?filter[id][ne]=${wholeId}&limit=100`)).toHaveLength(8)
      const short = encodeURIComponent(String(product(0)))
      expect(await rows(`${path}/line?filter[id]=${short}`)).toMatchObject([{ productId: product(0) }])
      expect(await rows(`/api/order?filter[lines.id]=${short}`)).toMatchObject([{ id: order.id }])
      expect(await rows(`/api/order?filter[lines.product.id]=${short}`)).toMatchObject([{ id: order.id }])
      for (const sort of ['', '&sort=id', '&sort=-id', '&sort=role', '&sort=-productId', '&sort=storeId,-id']) {
        const whole = await rows(`/api/member?limit=100${sort}`)
        expect(whole).toHaveLength(9)
        const seen: unknown[] = []
        let after = ''
        do {
          const page = await service.read(`/api/member?limit=2${sort}${after}`)
          seen.push(...page.rows)
          after = page.next === undefined ? '' : `&after=${page.next}`
        } while (after !== '')
        expect(seen).toEqual(whole)
      }
    })

    test('a list below the owner has its lines, in the order of the ids', async () => {
      const { rows } = await service.read(`${path}/line`)
      expect(rows).toEqual(order.lines)
      const first = await service.read(`${path}/line?limit=1`)
      expect((await service.read(`${path}/line?limit=1&after=${first.next}`)).rows).toEqual(order.lines.slice(1))
    })

    test('a part that names no record is refused at its place', async () => {
      const gone = await add('product')
      await service.delete(at('/api/product', gone.id))
      const unknown = { code: 'CRUD_ERR_UNKNOWN_REFERENCE', pointers: ['/productId'] } as const
      await service.refuse('POST', `${path}/line`, { productId: gone.id, quantity: 1 }, unknown)
    })

    test('a new record without its parts is 400, at any depth', async () => {
      await service.refuse('POST', `${path}/line`, { quantity: 1 }, { ...invalid, pointers: ['/productId'] })
      const lines = [{ quantity: 1 }]
      await service.refuse('POST', '/api/order', named('p', { lines }), {
        ...invalid,
        pointers: ['/lines/0/productId'],
      })
      await service.refuse('PATCH', path, { lines }, { ...invalid, pointers: ['/lines/0/productId'] })
    })
  })
}

function byId(first: unknown, second: unknown): number {
  if (typeof first === 'number') return first - (second as number)
  const digits = /^\d+$/
  if (digits.test(String(first))) return BigInt(first as string) < BigInt(second as string) ? -1 : 1
  return (first as string) < (second as string) ? -1 : 1
}

function escaped(part: unknown): string {
  return String(part).replaceAll('~', '~0').replaceAll(',', '~1').replaceAll('/', '~2').replaceAll('\\', '~3')
}
