import { Type } from '@sinclair/typebox'
import { type AccessQuestion, defineResources, knows, needs, ownedBy, owns } from 'fastify-crud'
import { beforeEach, expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../test/support/json-body.ts'
import { anyId, clientGivesIds, codeOfForeignId, missingId } from '../../../../test/support/test-ids.ts'

const shop = defineResources({
  order: {
    fields: { name: Type.String() },
    relations: {
      lines: owns.many('line'),
      invoice: owns.one('invoice'),
      customer: needs.one('customer'),
      tags: knows.many('tag'),
    },
  },
  line: { fields: { text: Type.String() }, relations: { order: ownedBy('order'), product: knows.one('product') } },
  invoice: { fields: { total: Type.Integer() }, relations: { order: ownedBy('order') } },
  customer: { fields: { name: Type.String() } },
  product: { fields: { name: Type.String() } },
  tag: { fields: { name: Type.String() } },
})

describeOnBoth('a record of a resource that a request may not see', (database) => {
  let hidden: readonly string[] = []
  let answer: (question: AccessQuestion) => unknown
  const service = useApp(database, shop, { plugin: { authorize: (_request, question) => answer(question) as boolean } })
  let order: JsonBody
  let other: { customer: number; product: number; tag: number }
  let path: string

  beforeEach(async () => {
    hidden = []
    answer = ({ action, resource }) => action !== 'View' || !hidden.includes(resource)
    const add = async (resource: string) => (await service.add(`/api/${resource}`, { name: 'x' })).id
    other = { customer: await add('customer'), product: await add('product'), tag: await add('tag') }
    order = await service.add('/api/order', {
      name: 'o',
      customerId: await add('customer'),
      tags: [{ id: await add('tag') }],
      lines: [{ text: 'a', productId: await add('product') }, { text: 'b' }],
      invoice: { total: 7 },
    })
    path = `/api/order/${order.id}`
  })

  /** The order as it is stored. */
  async function stored(): Promise<JsonBody> {
    const were = hidden
    hidden = []
    const record = await service.read(path)
    hidden = were
    return record
  }

  test('is left out of every answer, and a foreign key stays', async () => {
    hidden = ['product', 'customer', 'tag', 'invoice']
    const { customer: _c, tags: _t, invoice: _i, lines, ...shown } = order
    const expected = { ...shown, lines: lines.map(({ product: _p, ...line }: JsonBody) => line) }
    expect(await service.read(path)).toEqual(expected)
    expect(await service.read('/api/order')).toEqual({ rows: [expected], count: 1 })
    expect((await service.patch(path, { name: 'o' })).body).toEqual(expected)
    expect((await service.patch(path, { name: 'p' })).body).toEqual({ ...expected, name: 'p' })
    expect((await service.put(path, { ...expected, lines: [{ text: 'c' }] })).body.lines).toMatchObject([{ text: 'c' }])
    hidden = ['line']
    expect(Object.keys(await service.read(path))).toEqual(['id', 'name', 'invoice', 'customerId', 'customer', 'tags'])
  })

  test('is left as it is by a PUT of what GET returned', async () => {
    for (const some of [
      ['line'],
      ['invoice'],
      ['tag'],
      ['customer'],
      ['product'],
      ['line', 'invoice', 'tag', 'product'],
    ]) {
      hidden = some
      const shown = await service.read(path)
      expect((await service.put(path, { ...shown, name: some.join() })).status).toBe(200)
      expect(await stored()).toEqual({ ...order, name: some.join() })
    }
  })

  test('is not removed by a body that lists others, or none', async () => {
    hidden = ['line', 'invoice', 'tag']
    const { id: _id, ...shown } = await service.read(path)
    const put = await service.put(path, { ...shown, lines: [{ text: 'c' }], invoice: null, tags: [] })
    expect(put.status).toBe(200)
    const { lines, ...rest } = await stored()
    const { lines: before, ...restBefore } = order
    expect(rest).toEqual(restBefore)
    expect(lines).toEqual([...before, { id: anyId, text: 'c', productId: null, product: null }])
  })

  test('cannot be named: its id is an unknown reference, with the words for one that is not there', async () => {
    hidden = ['line', 'tag', 'product', 'customer', 'invoice']
    const refused = async (
      body: object,
      pointer: string,
      message: string,
      code: typeof codeOfForeignId = 'CRUD_ERR_UNKNOWN_REFERENCE',
    ) => {
      const problem = { code, pointers: [pointer] }
      const { errors } = await service.refuse('PATCH', path, body, problem)
      expect(errors).toMatchObject([{ pointer, message }])
    }
    await refused({ customerId: other.customer }, '/customerId', `there is no customer ${other.customer}`)
    await refused({ customerId: missingId('customer') }, '/customerId', `there is no customer ${missingId('customer')}`)
    await refused({ tags: [{ id: other.tag }] }, '/tags/0/id', `there is no tag ${other.tag}`)
    await refused({ tags: [{ id: order.tags[0].id }] }, '/tags/0/id', `there is no tag ${order.tags[0].id}`)
    const line = order.lines[0].id
    const saysOfLine = clientGivesIds ? `there is a line ${line} already` : `there is no line ${line}`
    await refused({ lines: [{ id: line, text: 'z' }] }, '/lines/0/id', saysOfLine, codeOfForeignId)
    await refused(
      { lines: [{ text: 'z', productId: other.product }] },
      '/lines/0/productId',
      `there is no product ${other.product}`,
    )
    const invoice = { id: order.invoice.id, total: 1 }
    if (clientGivesIds) await refused({ invoice }, '/invoice', 'the order has its invoice already', codeOfForeignId)
    else await refused({ invoice }, '/invoice/id', `there is no invoice ${invoice.id}`)
    const body = { name: 'p', customerId: other.customer }
    const unknown = { code: 'CRUD_ERR_UNKNOWN_REFERENCE', pointers: ['/customerId'] } as const
    await service.refuse('POST', '/api/order', body, unknown)
  })

  test('may be added, but not to a place that is taken', async () => {
    hidden = ['line', 'invoice']
    expect((await service.patch(path, { lines: [{ text: 'c' }] })).status).toBe(200)
    expect((await stored()).lines).toHaveLength(3)
    const taken = { code: 'CRUD_ERR_EXISTS', pointers: ['/invoice'] } as const
    await service.refuse('PATCH', path, { invoice: { total: 1 } }, taken)
    const { id: _id, ...shown } = await service.read(path)
    await service.refuse('PUT', path, { ...shown, invoice: { total: 1 } }, taken)
  })

  test('goes with its owner', async () => {
    hidden = ['line', 'invoice', 'tag', 'product', 'customer']
    expect((await service.delete(path)).status).toBe(204)
    expect(await service.snapshot(['line', 'invoice', 'order_tags'])).toEqual({ line: [], invoice: [], order_tags: [] })
  })

  test('that the request writes itself is answered without a body', async () => {
    hidden = ['order']
    const created = await service.post('/api/order', { name: 'n', customerId: other.customer })
    expect(created).toMatchObject({ status: 201, body: undefined, headers: { 'preference-applied': 'return=minimal' } })
    expect(created.headers.location).toMatch(/^\/api\/order\/[^/]+$/)
    const patched = await service.patch(path, { name: 'n' })
    expect(patched).toMatchObject({ status: 200, body: undefined, headers: { 'preference-applied': 'return=minimal' } })
    await service.refuse('GET', path, undefined, { code: 'CRUD_ERR_FORBIDDEN' })
  })

  test('is asked about once, and an answer may be late', async () => {
    const asked: string[] = []
    answer = async ({ action, resource }) => {
      asked.push(`${action} ${resource}`)
      return resource !== 'product'
    }
    const { lines, ...rest } = order
    expect(await service.read(path)).toEqual({
      ...rest,
      lines: lines.map(({ product: _p, ...line }: JsonBody) => line),
    })
    expect(asked.sort()).toEqual(['customer', 'invoice', 'line', 'order', 'product', 'tag'].map((one) => `View ${one}`))
  })
})
