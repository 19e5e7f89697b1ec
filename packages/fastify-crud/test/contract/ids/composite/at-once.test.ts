import { beforeEach, expect, test } from 'vitest'
import { useApp } from '../../../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../../../test/support/json-body.ts'
import { addShop, PRODUCTS, shop } from './models.ts'

describeOnBoth('several writes at once of children whose ids have several parts', (database) => {
  const service = useApp(database, shop)
  let order: JsonBody
  let path: string

  beforeEach(async () => {
    ;({ order, path } = await addShop(service))
  })

  const line = (productId: string, quantity: number) => ({ productId, quantity })

  test('two PUTs leave what one of them says', async () => {
    const bodies = [
      { name: 'x', lines: [line('a', 1), line('d', 1), line('e', 1)] },
      { name: 'y', lines: [line('b', 2), line('d', 2)] },
    ]
    for (let round = 0; round < 5; round++) {
      const answers = await Promise.all(bodies.map((body) => service.put(path, body)))
      expect(answers.map(({ status }) => status)).toEqual([200, 200])
      for (const [index, { body }] of answers.entries()) expect(body).toMatchObject(bodies[index] as object)
      const left = await service.read(path)
      expect(answers.map(({ body }) => body)).toContainEqual(left)
    }
  })

  test('a PUT and a DELETE of the owner, a POST of a child and the DELETE: no orphan, no error of the server', async () => {
    for (let round = 0; round < 4; round++) {
      const { id } = await service.add('/api/order', { name: 'n', lines: [line('a', 1)] })
      const its = `/api/order/${id}`
      const [put, post, removed, below] = await Promise.all([
        service.put(its, { name: 'm', lines: [line('a', 2), line('b', 1)] }),
        service.post(`${its}/line`, line('c', 1)),
        service.delete(its),
        service.delete(`${its}/line/a`),
      ])
      expect([200, 404]).toContain(put?.status)
      expect([201, 404]).toContain(post?.status)
      expect(removed?.status).toBe(204)
      expect([204, 404]).toContain(below?.status)
    }
    expect((await service.snapshot(['line'])).line).toHaveLength(3)
    expect(await service.read(path)).toEqual(order)
  })

  test('of twenty equal POSTs, one is done: below the owner, through it and at the top', async () => {
    const times = <Made>(make: (index: number) => Promise<Made>) =>
      Promise.all(Array.from({ length: 20 }, (_, index) => make(index)))
    const below = await times((quantity) => service.post(`${path}/line`, line('d', quantity)))
    const top = await times(() => service.post('/api/seat', { hallId: 'h', row: 'Z', number: 9 }))
    const chosen = await times(() => service.post('/api/seat/h,Z,8', {}))
    const unique = await times((number) => service.post('/api/seat', { hallId: 'h', row: 'Y', number, guest: 'g' }))
    for (const answers of [below, top, chosen, unique]) {
      expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(19).fill(409)])
    }
    // Each of them may find that the line is there.
    const through = await times((quantity) => service.patch(path, { lines: [line('e', quantity)] }))
    expect(new Set(through.map(({ status }) => status))).toEqual(new Set([200]))
    expect((await service.read(path)).lines).toHaveLength(5)
  })

  test('PATCHes of the same children in opposite orders are all done', async () => {
    const lines = PRODUCTS.map((productId, index) => line(productId, index))
    await service.put(path, { name: 'o', lines })
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, index) => {
        const changed = lines.map((one) => ({ ...one, quantity: index }))
        return service.patch(path, { lines: index % 2 === 0 ? changed : changed.reverse() })
      }),
    )
    for (const [quantity, { status, body }] of answers.entries()) {
      expect(status).toBe(200)
      expect(new Set(body.lines.map((one: JsonBody) => one.quantity))).toEqual(new Set([quantity]))
    }
  })

  test('swaps of unique values, each the other way round, are all done', async () => {
    const swapped = (from: number) =>
      ['c0', 'c1', 'c2'].map((_, index) => ({ id: order.lines[index].id, code: `c${(index + from) % 3}` }))
    const answers = await Promise.all(
      Array.from({ length: 9 }, (_, index) => service.patch(path, { lines: swapped(index) })),
    )
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
    expect((await service.read(path)).lines.map(({ code }: JsonBody) => code).sort()).toEqual(['c0', 'c1', 'c2'])
  })
})
