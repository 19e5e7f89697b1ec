import { Type } from '@sinclair/typebox'
import { defineResources, ownedBy, owns } from 'fastify-crud'
import { beforeEach, expect, test } from 'vitest'
import { useApp } from '../../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../../test/support/json-body.ts'
import { modelOf } from './kinds.ts'

describeOnBoth('ids of a function', (database) => {
  let ids: unknown[] = []
  let calls = 0
  const assign = () => {
    calls += 1
    return ids.shift() as string
  }
  const id = { kind: 'text', assign } as const
  const fields = { name: Type.String() }
  const resources = defineResources({
    ticket: { id, fields, relations: { seats: owns.many('seat'), note: owns.one('note') } },
    seat: { id, fields, relations: { ticket: ownedBy('ticket') } },
    note: { id, fields, relations: { ticket: ownedBy('ticket') } },
  })
  const service = useApp(database, resources)

  beforeEach(() => {
    calls = 0
    ids = ['a', 'b', 'c']
  })

  test('are asked for once for each new record, owners before what they own', async () => {
    const ticket = await service.add('/api/ticket', { name: 't', seats: [{ name: '1' }, { name: '2' }] })
    expect(ticket).toMatchObject({
      id: 'a',
      seats: [
        { id: 'b', name: '1' },
        { id: 'c', name: '2' },
      ],
    })
    expect(calls).toBe(3)
    ids = ['d', 'e']
    const patch = { seats: [{ id: 'b', name: 'x' }, { name: '3' }], note: { name: 'n' } }
    expect((await service.patch('/api/ticket/a', patch)).body).toMatchObject({
      seats: [{ id: 'b', name: 'x' }, { id: 'c' }, { id: 'd', name: '3' }],
      note: { id: 'e' },
    })
    expect(calls).toBe(5)
  })

  test('are not asked for where nothing is new, nothing is right, or the path has the id', async () => {
    expect(await service.post('/api/ticket/mine', { name: 't' })).toMatchObject({ status: 201, body: { id: 'mine' } })
    await service.refuse('POST', '/api/ticket', { name: 1 }, { code: 'CRUD_ERR_INVALID' })
    await service.patch('/api/ticket/mine', { name: 'u' })
    expect(calls).toBe(0)
  })

  test('are asked for again if they are taken, at most three times', async () => {
    await service.add('/api/ticket', { name: 't' })
    ids = ['a', 'a', 'a', 'z']
    expect(await service.add('/api/ticket', { name: 'u' })).toMatchObject({ id: 'z', name: 'u' })
    ids = ['a', 'a', 'a', 'a', 'y']
    await service.refuse('POST', '/api/ticket', { name: 'v' }, { code: 'CRUD_ERR_INTERNAL' })
    expect(ids).toEqual(['y'])
  })

  test('that none can be are an error of the application: 500', async () => {
    for (const wrong of ['', 'a/b', 7, undefined]) {
      ids = [wrong]
      await service.refuse('POST', '/api/ticket', { name: 't' }, { code: 'CRUD_ERR_INTERNAL' })
    }
  })

  test('are no matter of the body', async () => {
    await service.refuse('POST', '/api/ticket', { id: 'x', name: 't' }, { code: 'CRUD_ERR_INVALID', pointers: ['/id'] })
    const seats = [{ id: 'x', name: '1' }]
    await service.add('/api/ticket', { name: 't' })
    const unknown = { code: 'CRUD_ERR_UNKNOWN_REFERENCE', pointers: ['/seats/0/id'] } as const
    await service.refuse('PATCH', '/api/ticket/a', { seats }, unknown)
  })
})

describeOnBoth('UUIDs of the library', (database) => {
  const service = useApp(database, modelOf('uuid'))

  test('are of version 7, and keep the order of the body', async () => {
    const lines = Array.from({ length: 50 }, (_, index) => ({ name: String(index) }))
    const order = await service.add('/api/order', { name: 'o', lines })
    expect(order.id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    expect(order.lines.map((line: JsonBody) => line.name)).toEqual(lines.map(({ name }) => name))
  })

  test('are accepted in upper case, and mean the same', async () => {
    const order = await service.add('/api/order', { name: 'o', lines: [{ name: '1' }] })
    const upper = order.id.toUpperCase()
    expect(await service.read(`/api/order/${upper}`)).toEqual(order)
    expect(await service.read(`/api/order?filter[id]=${upper}`)).toMatchObject({ count: 1 })
    const body = { ...order, id: upper, lines: [{ ...order.lines[0], id: order.lines[0].id.toUpperCase() }] }
    expect(await service.put(`/api/order/${order.id}`, body)).toMatchObject({ status: 200, body: order })
  })

  test.each(['x', '0190163d8694739baea5966c26f8ad91', '{0190163d-8694-739b-aea5-966c26f8ad91}', '1', '%20'])(
    'are 400 where they are malformed: %s',
    async (id) => {
      await service.refuse('GET', `/api/order/${id}`, undefined, { code: 'CRUD_ERR_INVALID' })
      await service.refuse('POST', '/api/order', { name: 'p', tags: [{ id }] }, { code: 'CRUD_ERR_INVALID' })
      expect(await service.get(`/api/order?filter[id]=${id}`)).toMatchObject({ status: 400 })
    },
  )
})
