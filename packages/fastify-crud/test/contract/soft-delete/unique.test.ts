import { Type } from '@sinclair/typebox'
import { defineResources, needs, ownedBy, owns } from 'fastify-crud'
import { beforeEach, expect, test } from 'vitest'
import { useApp } from '../../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../../test/support/json-body.ts'
import { office } from './support/office.ts'

describeOnBoth('unique values of deleted records', (database) => {
  const service = useApp(database, office)
  let customer: JsonBody
  let invoice: JsonBody
  const path = () => `/api/invoice/${invoice.id}`

  beforeEach(async () => {
    customer = await service.add('/api/customer', { name: 'c' })
    const lines = [{ text: 'a', amount: 1 }]
    invoice = await service.add('/api/invoice', { number: '1', customerId: customer.id, lines, address: { city: 'W' } })
  })

  test('are free for others', async () => {
    const taken = { code: 'CRUD_ERR_NOT_UNIQUE' } as const
    const body = { number: '1', customerId: customer.id }
    await service.refuse('POST', '/api/invoice', body, taken)
    await service.delete(path())
    const { id } = await service.add('/api/invoice', body)
    await service.refuse('POST', '/api/invoice', body, taken)
    await service.delete(`/api/invoice/${id}`)
    await service.add('/api/invoice', body)
  })

  test('of a child are free for its siblings, in the request that removes it, too', async () => {
    const lines = [{ text: 'a', amount: 5 }]
    const { status, body } = await service.put(path(), { number: '1', customerId: customer.id, lines })
    expect(status).toBe(200)
    expect(body.lines).toMatchObject([{ text: 'a', amount: 5 }])
    expect(body.lines[0].id).not.toBe(invoice.lines[0].id)
    expect(body.address).toBeNull()
  })

  test('a place for one is free again', async () => {
    const child = `${path()}/address`
    await service.refuse('POST', child, { city: 'X' }, { code: 'CRUD_ERR_EXISTS' })
    await service.delete(`${child}/${invoice.address.id}`)
    const { id } = await service.add(child, { city: 'X' })
    await service.patch(path(), { address: null })
    expect((await service.add(child, { city: 'Y' })).id).not.toBe(id)
  })

  test('what one record at most needs can be needed by another', async () => {
    const card = await service.add('/api/card', { code: 'k' })
    await service.patch(`/api/customer/${customer.id}`, { cardId: card.id })
    await service.refuse('POST', '/api/customer', { name: 'd', cardId: card.id }, { code: 'CRUD_ERR_NOT_UNIQUE' })
    await service.delete(path())
    await service.delete(`/api/customer/${customer.id}`)
    await service.add('/api/customer', { name: 'd', cardId: card.id })
  })
})

const plan = defineResources({
  table: { softDelete: 'deletedAt', fields: { name: Type.String() }, relations: { seats: owns.many('seat') } },
  seat: {
    softDelete: 'deletedAt',
    fields: { isWindow: Type.Boolean(), row: Type.Integer() },
    relations: { table: ownedBy('table'), guest: needs.one('guest', { unique: true }) },
    unique: [
      ['table', 'isWindow'],
      ['table', 'row'],
    ],
  },
  guest: { fields: { name: Type.String() } },
})

describeOnBoth('records with softDelete', (database) => {
  const service = useApp(database, plan)

  test('swap unique values of all kinds, required references and booleans, too', async () => {
    const [a, b] = [await service.add('/api/guest', { name: 'a' }), await service.add('/api/guest', { name: 'b' })]
    const seats = [
      { isWindow: true, row: 1, guestId: a.id },
      { isWindow: false, row: 2, guestId: b.id },
    ]
    const {
      id,
      seats: [one, other],
    } = await service.add('/api/table', { name: 't', seats })
    await service.delete(`/api/table/${(await service.add('/api/table', { name: 'u' })).id}`)
    const swapped = [
      { id: one.id, isWindow: false, row: 2, guestId: b.id },
      { id: other.id, isWindow: true, row: 1, guestId: a.id },
    ]
    const { status, body } = await service.put(`/api/table/${id}`, { name: 't', seats: swapped })
    expect([status, body.seats]).toMatchObject([200, swapped])
    const rows = await service.db.selectFrom('seat').select('deletedAt').execute()
    expect(rows).toEqual([{ deletedAt: null }, { deletedAt: null }])
  })
})
