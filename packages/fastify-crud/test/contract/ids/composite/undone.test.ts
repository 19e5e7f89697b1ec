import { type ClientRequest, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { createStore } from '@fastify-crud/core'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { useApp } from '../../../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../../../test/support/json-body.ts'
import { addShop, PRODUCTS, shop } from './models.ts'

const internal = { code: 'CRUD_ERR_INTERNAL' } as const

describeOnBoth('a write of records whose ids have several parts', (database) => {
  let fails = false
  const afterWrite = () => {
    if (fails) throw new Error('the rule has failed')
  }
  const service = useApp(database, shop, {
    plugin: { rules: { line: { afterWrite }, seat: { afterWrite } } as never },
    fastify: { logger: false },
  })
  let order: JsonBody
  let path: string
  let seatPath: string

  beforeAll(async () => {
    await service.fastify.listen({ port: 0, host: '127.0.0.1' })
  })
  beforeEach(async () => {
    fails = false
    ;({ order, path, seatPath } = await addShop(service))
  })

  test('is rolled back if a rule fails behind it', async () => {
    fails = true
    const lines = [{ productId: 'd', quantity: 1 }, ...order.lines.slice(1)]
    await service.refuse('PUT', path, { name: 'n', lines }, internal)
    await service.refuse('PATCH', path, { lines: [{ productId: 'a', quantity: 9 }] }, internal)
    await service.refuse('POST', `${path}/line`, { productId: 'e', quantity: 1 }, internal)
    await service.refuse('POST', '/api/seat', { hallId: 'h', row: 'B', number: 2 }, internal)
    await service.refuse('DELETE', `${path}/line/a`, undefined, internal)
    await service.refuse('DELETE', path, undefined, internal)
    await service.refuse('DELETE', seatPath, undefined, internal)
  })

  test('is rolled back with the transaction of the application that it is part of', async () => {
    const before = await service.snapshot()
    const store = createStore({ db: service.db, resources: shop })
    const failing = service.db.transaction().execute(async (transaction) => {
      const own = store.in(transaction)
      await own.resource('order').patch(order.id, { lines: [{ productId: 'd', quantity: 4 }] })
      await own.resource('seat').create({ hallId: 'h', row: 'C', number: 3 })
      await own.resource('seat').delete('h,A,1')
      throw new Error('the application has failed')
    })
    await expect(failing).rejects.toThrow('the application has failed')
    expect(await service.snapshot()).toEqual(before)
    expect(await service.patch(path, { lines: [{ productId: 'a', quantity: 7 }] })).toMatchObject({ status: 200 })
  })

  function start(method: string, to: string): ClientRequest {
    const { port } = service.fastify.server.address() as AddressInfo
    const sent = request({ host: '127.0.0.1', port, method, path: to, headers: { 'content-type': 'application/json' } })
    sent.on('error', () => {})
    return sent
  }

  test('is whole or not there if the client goes away, at any moment', async () => {
    const lines = PRODUCTS.map((productId, quantity) => ({ productId, quantity }))
    const names = Array.from({ length: 12 }, (_, n) => `w${n}`)
    for (const [n, name] of names.entries()) {
      const sent = start('POST', '/api/order')
      const body = JSON.stringify({ name, lines })
      if (n % 4 === 3) sent.write(body.slice(0, -5))
      else sent.end(body)
      await wait(n)
      sent.destroy()
    }
    // The last write has its turn after those before it.
    await service.add('/api/order', { name: 'last', lines })
    await wait(50)
    const { rows } = await service.read('/api/order?limit=100')
    const stored = rows.filter(({ name }: JsonBody) => names.includes(name))
    for (const row of stored) expect(row.lines).toHaveLength(5)
    for (const [n, name] of names.entries()) {
      if (n % 4 === 3) expect(stored.map((row: JsonBody) => row.name)).not.toContain(name)
    }
    const answers = await Promise.all(PRODUCTS.map((id) => service.patch(`${path}/line/${id}`, { quantity: 1 })))
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 404, 404])
  })
})
