import { Type } from '@sinclair/typebox'
import { defineResources, knows, ownedBy, owns } from 'fastify-crud'
import { beforeEach, expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../test/support/json-body.ts'
import { expectProblem } from '../../../../test/support/problem.ts'

const resources = defineResources({
  order: {
    fields: { name: Type.String() },
    relations: { lines: owns.many('line'), customer: knows.one('customer') },
  },
  line: { fields: { text: Type.String() }, relations: { order: ownedBy('order'), parts: owns.many('part') } },
  part: { fields: { text: Type.String() }, relations: { line: ownedBy('line') } },
  customer: { fields: { name: Type.String() } },
})

const failed = { code: 'CRUD_ERR_PRECONDITION', status: 412 } as const

describeOnBoth('where `authorize` hides resources, an ETag', (database) => {
  const service = useApp(database, resources, {
    plugin: {
      authorize: ({ headers }, { action, resource }) =>
        action !== 'View' || !String(headers['x-hidden'] ?? '').includes(resource),
    },
  })
  let order: JsonBody
  let path: string
  const send = (hidden: string, method: string, body?: unknown, headers: Record<string, string> = {}) =>
    service.request(method, path, body, { 'x-hidden': hidden, ...headers })
  const tagOf = async (hidden: string) => String((await send(hidden, 'GET')).headers.etag)

  beforeEach(async () => {
    const customer = await service.add('/api/customer', { name: 'c' })
    order = await service.add('/api/order', {
      name: 'o',
      customerId: customer.id,
      lines: [{ text: 'l', parts: [{ text: 'p' }] }],
    })
    path = `/api/order/${order.id}`
  })

  test('is made of what is left, in the answers to reads and writes', async () => {
    const tags = [await tagOf(''), await tagOf('line'), await tagOf('customer'), await tagOf('line customer')]
    expect(new Set(tags).size).toBe(4)
    for (const [index, hidden] of ['', 'line', 'customer', 'line customer'].entries()) {
      expect((await send(hidden, 'PATCH', {})).headers.etag).toBe(tags[index])
    }
  })

  test('matches in `If-Match` for the same caller only, in a DELETE, too', async () => {
    const whole = await tagOf('')
    for (const [method, body] of [
      ['PUT', { name: 'x', lines: order.lines }],
      ['PATCH', { name: 'x' }],
      ['DELETE'],
    ] as const) {
      expectProblem(await send('customer', method, body, { 'if-match': whole }), failed)
    }
    const tag = await tagOf('customer')
    const patched = await send('customer', 'PATCH', { name: 'x' }, { 'if-match': tag })
    expect(patched.status).toBe(200)
    const deleted = await send('customer', 'DELETE', undefined, { 'if-match': String(patched.headers.etag) })
    expect(deleted.status).toBe(204)
  })

  test('of a record that the caller may change, but not see, is not given: only `*` matches', async () => {
    const answer = await send('order', 'PATCH', { name: 'x' })
    expect(answer).toMatchObject({ status: 200, body: undefined })
    expect(answer.headers).not.toHaveProperty('etag')
    expectProblem(await send('order', 'PATCH', { name: 'y' }, { 'if-match': await tagOf('') }), failed)
    expect((await send('order', 'PATCH', { name: 'y' }, { 'if-match': '*' })).status).toBe(200)
  })

  test('`max-affected` does not count what is left out, nor what is below it', async () => {
    const prefer = (most: number) => ({ prefer: `max-affected=${most}` })
    expectProblem(await send('', 'DELETE', undefined, prefer(2)), { code: 'CRUD_ERR_TOO_LARGE' })
    expectProblem(await send('line', 'DELETE', undefined, prefer(0)), { code: 'CRUD_ERR_TOO_LARGE' })
    expectProblem(await send('order', 'DELETE', undefined, prefer(0)), { code: 'CRUD_ERR_TOO_LARGE' })
    expect((await send('line', 'DELETE', undefined, prefer(1))).status).toBe(204)
  })
})
