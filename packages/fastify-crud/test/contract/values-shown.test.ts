import { Type } from '@sinclair/typebox'
import { createTables, defineResources, ownedBy, owns } from 'fastify-crud'
import { beforeEach, expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../test/support/json-body.ts'

const text = Type.String()
const relations = {
  order: { lines: owns.many('line'), address: owns.one('address') },
  line: { order: ownedBy('order') },
  address: { order: ownedBy('order') },
}

/** As the schemas were. */
const then = defineResources({
  order: {
    fields: { title: text, status: text, amount: Type.Number(), data: Type.Any(), secret: text },
    relations: relations.order,
  },
  line: { fields: { text, unit: text }, relations: relations.line, topLevel: true },
  address: { fields: { city: text }, relations: relations.address },
})

/** As they are now. */
const now = defineResources({
  order: {
    fields: {
      title: text,
      status: Type.Union([Type.Literal('open'), Type.Literal('paid')]),
      amount: Type.Number({ minimum: 0 }),
      data: Type.Object({ a: Type.Integer() }, { additionalProperties: false }),
      secret: Type.String({ minLength: 8, writeOnly: true }),
    },
    relations: relations.order,
  },
  line: { fields: { text, unit: Type.String({ maxLength: 2 }) }, relations: relations.line, topLevel: true },
  address: { fields: { city: Type.String({ pattern: '^[A-Z]' }) }, relations: relations.address },
})

describeOnBoth('a value that its schema no longer allows', (database) => {
  // With handlers, answers are not compared with the document, which knows the schemas of now.
  const service = useApp(database, now, { tables: ({ db }) => createTables(db, then), plugin: { handlers: {} } })
  let order: JsonBody
  let path: string

  beforeEach(async () => {
    const data = JSON.stringify({ a: 'x', b: [1] })
    const row = { title: 't', status: 'dun', amount: -1, data, secret: 'short' }
    const { id } = await service.db.insertInto('order').values(row).returning('id').executeTakeFirstOrThrow()
    path = `/api/order/${id}`
    await service.db.insertInto('line').values({ text: 'l', unit: 'dozen', orderId: id }).execute()
    await service.db.insertInto('address').values({ city: 'vienna', orderId: id }).execute()
    order = await service.read(path)
  })

  const invalid = (pointers: readonly string[]) => ({ code: 'CRUD_ERR_INVALID', pointers }) as const

  test('is accepted as it was shown, at any depth and by every way', async () => {
    const secret = 'long enough'
    expect((await service.put(path, { ...order, secret, title: 'u' })).body).toEqual({ ...order, title: 'u' })
    expect((await service.patch(path, { ...order, title: 'v' })).body).toEqual({ ...order, title: 'v' })
    expect((await service.patch(path, { status: 'dun' })).body).toMatchObject({ status: 'dun' })
    const [line] = order.lines
    expect((await service.put(`${path}/line/${line.id}`, { ...line, text: 'm' })).body).toMatchObject({ text: 'm' })
    expect((await service.patch(`/api/line/${line.id}`, { unit: 'dozen', text: 'n' })).body).toMatchObject({
      text: 'n',
    })
    const many = await service.put('/api/order', [{ ...order, secret, title: 'w' }])
    expect(many.body.rows).toMatchObject([{ title: 'w', status: 'dun' }])
    expect((await service.patch('/api/line', [{ id: line.id, unit: 'dozen', text: 'o' }])).status).toBe(200)
  })

  test('is refused where it is changed, together with all others', async () => {
    const [line] = order.lines
    const changed = {
      ...order,
      status: 'lost',
      amount: -2,
      data: { a: 'y', b: [1] },
      secret: 'long enough',
      lines: [{ ...line, unit: 'gross' }],
      address: { ...order.address, city: 'graz' },
    }
    const pointers = ['/status', '/amount', '/data/a', '/data/b', '/lines/0/unit', '/address/city']
    const problem = await service.refuse('PUT', path, changed, { code: 'CRUD_ERR_INVALID' })
    expect(problem.errors.map(({ pointer }: JsonBody) => pointer).sort()).toEqual([...pointers].sort())
    await service.refuse('PATCH', path, { amount: -1, status: 'lost' }, invalid(['/status']))
    await service.refuse('PATCH', '/api/order', [{ id: order.id, status: 'lost' }], invalid(['/0/status']))
    await service.refuse('PATCH', `/api/line/${line.id}`, { unit: 'gross' }, invalid(['/unit']))
  })

  test('is refused of a new record, and where no record shows it', async () => {
    const secret = 'long enough'
    const [line] = order.lines
    const fitting = { title: 't', status: 'open', amount: 1, data: { a: 1 }, secret }
    await service.refuse('POST', '/api/order', { ...fitting, status: 'dun' }, invalid(['/status']))
    await service.refuse('PATCH', path, { lines: [{ text: 'x', unit: 'dozen' }] }, invalid(['/lines/0/unit']))
    await service.refuse('PATCH', path, { secret: 'short' }, invalid(['/secret']))
    await service.refuse('PATCH', '/api/order/999999', { status: 'dun' }, invalid(['/status']))
    await service.refuse('PATCH', '/api/line/999999', { unit: 'dozen' }, invalid(['/unit']))
    await service.refuse('PATCH', path, { status: 'dun', titel: 'x' }, invalid(['/status', '/titel']))
    const filter = `/api/order?filter=${encodeURIComponent('{"id":{"null":false}}')}`
    const answer = await service.request('PATCH', filter, { status: 'dun' }, { prefer: 'max-affected=9' })
    expect(answer.body).toMatchObject({ code: 'CRUD_ERR_INVALID' })
    expect(line.unit).toBe('dozen')
  })
})

describeOnBoth('a value that is none of a unique key', (database) => {
  const day = Type.String({ format: 'date' })
  const days = defineResources({ day: { fields: { day }, unique: [['day']] } })
  const service = useApp(database, days)

  test('is refused as one that does not fit, before the database is asked about it', async () => {
    const { id } = await service.add('/api/day', { day: '2026-01-31' })
    for (const method of ['PUT', 'PATCH']) {
      for (const wrong of ['2023-02-29', '2026-01-31T00:00:00Z']) {
        const refused = { code: 'CRUD_ERR_INVALID', pointers: ['/day'] } as const
        await service.refuse(method, `/api/day/${id}`, { day: wrong }, refused)
      }
    }
  })
})
