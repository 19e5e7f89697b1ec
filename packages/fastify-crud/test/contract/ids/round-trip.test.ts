import { beforeEach, expect, test } from 'vitest'
import { useApp } from '../../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../../test/support/json-body.ts'
import { allKinds, at, modelOf } from './kinds.ts'

for (const { title, id, next, free } of allKinds()) {
  describeOnBoth(`ids: ${title}`, (database) => {
    const service = useApp(database, modelOf(id))
    /** A new record's body. */
    const named = (name: string, others: object = {}) => ({ ...(next && { id: next() }), name, ...others })
    let order: JsonBody
    let path: string

    beforeEach(async () => {
      const customer = await service.add('/api/customer', named('c'))
      const tags = [await service.add('/api/tag', named('s')), await service.add('/api/tag', named('t'))]
      order = await service.add('/api/order', {
        ...named('o', { customerId: customer.id, tags: tags.map((tag) => ({ id: tag.id })), cover: named('x') }),
        lines: [named('1', { notes: [named('a'), named('b')] }), named('2')],
      })
      path = at('/api/order', order.id)
    })

    test('what a POST answers, a GET does, and a PUT of it changes nothing', async () => {
      expect(await service.read(path)).toEqual(order)
      expect(order.lines.map((line: JsonBody) => line.name).sort()).toEqual(['1', '2'])
      expect(order.tags).toHaveLength(2)
      const before = await service.snapshot()
      expect(await service.put(path, order)).toMatchObject({ status: 200, body: order })
      expect(await service.put('/api/order', order)).toMatchObject({ status: 200, body: order })
      expect(await service.snapshot()).toEqual(before)
    })

    test('a PUT changes, adds and removes owned records and links', async () => {
      const [kept, gone] = order.lines
      const lines = [{ ...kept, name: '3' }, named('4', { notes: [named('n')] })]
      const { status, body } = await service.put(path, { ...order, lines, tags: order.tags.slice(1), cover: null })
      expect(status).toBe(200)
      expect(body.lines.map((line: JsonBody) => line.name).sort()).toEqual(['3', '4'])
      expect(body.lines.map((line: JsonBody) => line.id)).toContain(kept.id)
      expect([body.tags.length, body.cover]).toEqual([1, null])
      expect(await service.get(at(`${path}/line`, gone.id))).toMatchObject({ status: 404 })
      expect(await service.read(path)).toEqual(body)
    })

    test('a PATCH changes what it names, at any depth and by any path', async () => {
      const [line] = order.lines
      expect(await service.patch(path, { name: 'p' })).toMatchObject({ status: 200, body: { name: 'p' } })
      expect(await service.patch(path, { lines: [{ id: line.id, name: 'q' }] })).toMatchObject({ status: 200 })
      const below = at(`${path}/line`, line.id)
      expect(await service.patch(below, { name: 'r' })).toMatchObject({ status: 200, body: { id: line.id, name: 'r' } })
      expect(await service.post(`${below}/note`, named('z'))).toMatchObject({ status: 201 })
      expect(await service.patch(path, { cover: { name: 'y' } })).toMatchObject({ body: { cover: { name: 'y' } } })
    })

    test('a DELETE removes the record and what it owns, and nothing that is still needed', async () => {
      const customer = at('/api/customer', order.customerId)
      await service.refuse('DELETE', customer, undefined, { code: 'CRUD_ERR_STILL_NEEDED' })
      expect(await service.delete(path)).toMatchObject({ status: 204 })
      expect(await service.get(path)).toMatchObject({ status: 404 })
      expect(await service.db.selectFrom('note').selectAll().execute()).toEqual([])
      expect(await service.delete(customer)).toMatchObject({ status: 204 })
    })

    test('filters find records by their ids and foreign keys', async () => {
      const other = await service.add('/api/order', named('other'))
      const count = async (query: string) => (await service.read(`/api/order?${query}`)).count
      const [mine, its] = [order.id, order.customerId].map(encodeURIComponent)
      expect(await count(`filter[id]=${mine}`)).toBe(1)
      expect(
        await count(`filter[id][in]=${encodeURIComponent(order.id)}&filter[id][in]=${encodeURIComponent(other.id)}`),
      ).toBe(2)
      expect(await count(`filter[customerId]=${its}`)).toBe(1)
      expect(await count(`filter[customer.id]=${its}`)).toBe(1)
      expect(await count(`filter=${encodeURIComponent(JSON.stringify({ id: { ne: order.id } }))}`)).toBe(1)
    })

    test('pages by a cursor have each record once, in the order of the ids or of other keys', async () => {
      for (let n = 0; n < 5; n++) await service.add('/api/order', named(`n${n}`))
      for (const sort of ['', '&sort=id', '&sort=-id', '&sort=customerId', '&sort=name']) {
        const whole = await service.read(`/api/order?limit=100${sort}`)
        const seen: unknown[] = []
        let after = ''
        do {
          const { rows, next: cursor } = await service.read(`/api/order?limit=2${sort}${after}`)
          seen.push(...rows)
          after = cursor === undefined ? '' : `&after=${cursor}`
        } while (after !== '')
        expect(seen).toEqual(whole.rows)
        expect(seen).toHaveLength(6)
      }
    })

    test('a tree of records has them inside of each other', async () => {
      const tree = named('a', { nodes: [named('b', { nodes: [named('c')] }), named('d')] })
      const node = await service.add('/api/node', tree)
      expect(await service.read(at('/api/node', node.id))).toEqual(node)
      const inner = node.nodes.find((one: JsonBody) => one.name === 'b')
      expect(inner.nodes).toMatchObject([{ name: 'c' }])
      const below = at(`${at('/api/node', node.id)}/node`, inner.id)
      expect(await service.read(below)).toEqual(inner)
    })

    test('a unique value that another record has is refused', async () => {
      const other = await service.add('/api/order', named('other'))
      await service.refuse('POST', '/api/order', named('o'), { code: 'CRUD_ERR_NOT_UNIQUE', pointers: ['/name'] })
      await service.refuse('PATCH', at('/api/order', other.id), { name: 'o' }, { code: 'CRUD_ERR_NOT_UNIQUE' })
    })

    test('a path can choose an id, once, and those of later records differ', async () => {
      const chosen = at('/api/order', free)
      const created = await service.post(chosen, { name: 'chosen', lines: [named('1'), named('2')] })
      expect(created).toMatchObject({ status: 201, body: { id: free } })
      expect(created.headers.location).toBe(chosen)
      await service.refuse('POST', chosen, { name: 'again' }, { code: 'CRUD_ERR_EXISTS' })
      const later = await service.add('/api/order', named('later', { lines: [named('1'), named('2')] }))
      expect(later.id).not.toBe(free)
    })

    test('what names no record is 404 in a path, and 400 in a foreign key or a link', async () => {
      await service.refuse('GET', at('/api/order', free), undefined, { code: 'CRUD_ERR_NOT_FOUND' })
      const unknown = { code: 'CRUD_ERR_UNKNOWN_REFERENCE' } as const
      await service.refuse('PATCH', path, { customerId: free }, { ...unknown, pointers: ['/customerId'] })
      await service.refuse('PATCH', path, { tags: [{ id: free }] }, { ...unknown, pointers: ['/tags/0/id'] })
    })
  })
}
