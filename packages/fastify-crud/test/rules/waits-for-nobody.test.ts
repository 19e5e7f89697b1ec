import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { setups } from '../../../../test/support/databases.ts'
import { type OtherWriter, otherWriter } from '../../../../test/support/other-writer.ts'
import { expectProblem } from '../../../../test/support/problem.ts'
import type { Judged } from './support/rules.ts'
import { useShop } from './support/use-shop.ts'

const postgres = setups.filter(({ name }) => name === 'postgres')
const OTHER_TAG = { 'if-match': '"another"' }

describe.each(postgres)('while another writer has the record, with rules on its resource ($title)', (database) => {
  const titles: unknown[] = []
  const shop = useShop(database, {
    order: { validate: ({ before }: Judged) => void titles.push(before?.title) },
    line: { validate: () => {} },
  })
  let other: OtherWriter

  beforeEach(async () => {
    titles.length = 0
    other = await otherWriter(shop.service.database)
    await other.run(`update orders set title = 'theirs' where id = ${shop.order.id}`)
  })

  afterEach(() => other.end('commit'))

  test('a request that changes nothing is answered', async () => {
    const { order, path, service } = shop
    expect(await service.put(path, order)).toMatchObject({ status: 200, body: order })
    expect(await service.patch(path, { title: 'first' })).toMatchObject({ status: 200, body: order })
    expect(await service.patch(path, {})).toMatchObject({ status: 200, body: order })
    expect(await service.patch(shop.linePath(0), { text: 'a' })).toMatchObject({ status: 200, body: { text: 'a' } })
    expect(titles).toEqual([])
  })

  test('a request is refused whose If-Match does not hold', async () => {
    const { order, path, service } = shop
    const requests: [string, string, unknown][] = [
      ['PUT', path, { ...order, title: 'mine' }],
      ['PUT', path, order],
      ['PATCH', path, { title: 'mine' }],
      ['DELETE', path, undefined],
      ['DELETE', shop.linePath(0), undefined],
    ]
    for (const [method, at, body] of requests) {
      expectProblem(await service.request(method, at, body, OTHER_TAG), { code: 'CRUD_ERR_PRECONDITION', status: 412 })
    }
  })

  test('a request is refused that names what is not there', async () => {
    const { path, service } = shop
    expectProblem(await service.patch(`${path}/line/999999`, { text: 'x' }), { code: 'CRUD_ERR_NOT_FOUND' })
  })

  test('a request that changes something waits, and then finds what the other one has stored', async () => {
    const { path, service } = shop
    const patched = service.patch(path, { status: 'sent' })
    await other.untilAwaited()
    await other.end('commit')
    expect(await patched).toMatchObject({ status: 200, body: { title: 'theirs', status: 'sent' } })
    expect(titles).toEqual(['theirs'])
    other = await otherWriter(shop.service.database)
  })

  test('a request that only seemed to change something runs no rule', async () => {
    const { path, service } = shop
    const patched = service.patch(path, { title: 'theirs' })
    await other.untilAwaited()
    await other.end('commit')
    expect(await patched).toMatchObject({ status: 200, body: { title: 'theirs' } })
    expect(titles).toEqual([])
    other = await otherWriter(shop.service.database)
  })
})

describe.each(postgres)('while another writer has the record, in a transaction with settings ($title)', (database) => {
  const shop = useShop(database, {}, { caller: () => ({ id: '1' }), session: () => ({ 'app.user': '1' }) })

  test('a request that changes nothing is answered, and one is refused whose If-Match does not hold', async () => {
    const { order, path, service } = shop
    const other = await otherWriter(service.database)
    await other.run(`update orders set title = 'theirs' where id = ${order.id}`)
    expect(await service.put(path, order)).toMatchObject({ status: 200, body: order })
    for (const method of ['PATCH', 'DELETE']) {
      const body = method === 'PATCH' ? { title: 'mine' } : undefined
      expectProblem(await service.request(method, path, body, OTHER_TAG), {
        code: 'CRUD_ERR_PRECONDITION',
        status: 412,
      })
    }
    const patched = service.patch(path, { status: 'sent' })
    await other.untilAwaited()
    await other.end('commit')
    expect(await patched).toMatchObject({ status: 200, body: { title: 'theirs', status: 'sent' } })
  })
})

describe.each(postgres)('while another writer has the record, without rules ($title)', (database) => {
  const shop = useShop(database, {})

  test('a DELETE is refused whose If-Match does not hold', async () => {
    const { order, path, service } = shop
    const other = await otherWriter(service.database)
    await other.run(`update orders set title = 'theirs' where id = ${order.id}`)
    expectProblem(await service.request('DELETE', path, undefined, OTHER_TAG), {
      code: 'CRUD_ERR_PRECONDITION',
      status: 412,
    })
    await other.end('commit')
  })
})
