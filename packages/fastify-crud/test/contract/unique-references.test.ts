import { Type } from '@sinclair/typebox'
import { defineResources, neededBy, needs, ownedBy, owns } from 'fastify-crud'
import { beforeEach, expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../test/support/json-body.ts'
import { anyId } from '../../../../test/support/test-ids.ts'

const party = defineResources({
  party: { fields: { name: Type.String() }, relations: { guests: owns.many('guest') } },
  guest: {
    fields: { name: Type.String() },
    relations: { party: ownedBy('party'), seat: needs.one('seat', { unique: true }), meals: needs.many('meal') },
  },
  seat: { fields: { label: Type.String() }, relations: { guest: neededBy.one('guest') } },
  meal: { fields: { label: Type.String() }, relations: { guest: neededBy.one('guest') } },
})

const taken = 'CRUD_ERR_NOT_UNIQUE'

describeOnBoth('owned records that need records of their own', (database) => {
  const service = useApp(database, party)
  let seats: JsonBody[]
  let meals: JsonBody[]
  let record: JsonBody
  let path: string
  let g0: JsonBody
  let g1: JsonBody
  const guest = (name: string, seat: number, ...mealsOf: number[]) => ({
    name,
    seatId: seats[seat].id,
    meals: mealsOf.map((index) => ({ id: meals[index].id })),
  })

  beforeEach(async () => {
    seats = []
    meals = []
    for (const label of ['0', '1', '2']) {
      seats.push(await service.add('/api/seat', { label }))
      meals.push(await service.add('/api/meal', { label }))
    }
    record = await service.add('/api/party', { name: 'p', guests: [guest('g0', 0, 0), guest('g1', 1, 1)] })
    path = `/api/party/${record.id}`
    ;[g0, g1] = record.guests
  })

  test('PUT swaps the links of needs.many: 200, ids kept', async () => {
    const guests = [
      { id: g0.id, ...guest('g0', 0, 1) },
      { id: g1.id, ...guest('g1', 1, 0) },
    ]
    const { status, body } = await service.put(path, { name: 'p', guests })
    expect(status).toBe(200)
    expect(body.guests).toEqual([
      { ...g0, meals: [meals[1]] },
      { ...g1, meals: [meals[0]] },
    ])
    expect(await service.read(path)).toEqual(body)
  })

  test('PATCH swaps the foreign keys of needs.one: 200, ids kept', async () => {
    const guests = [
      { id: g1.id, seatId: seats[0].id },
      { id: g0.id, seatId: seats[1].id },
    ]
    const { status, body } = await service.patch(path, { name: 'new', guests })
    expect(status).toBe(200)
    expect(body.guests).toEqual([
      { ...g0, seatId: seats[1].id, seat: seats[1] },
      { ...g1, seatId: seats[0].id, seat: seats[0] },
    ])
    expect(await service.read(path)).toEqual(body)
  })

  test('a foreign key moves along a chain: 200', async () => {
    const guests = [
      { id: g0.id, seatId: seats[1].id },
      { id: g1.id, seatId: seats[2].id },
    ]
    for (const order of [guests, [...guests].reverse()]) {
      const { status, body } = await service.patch(path, { guests: order })
      expect(status).toBe(200)
      expect(body.guests.map((row: JsonBody) => row.seatId)).toEqual([seats[1].id, seats[2].id])
      expect((await service.put(path, record)).body).toEqual(record)
    }
  })

  test('a new record takes those of one that is removed: 200', async () => {
    const { status, body } = await service.put(path, { name: 'p', guests: [guest('new', 0, 0), g1] })
    expect(status).toBe(200)
    expect(body.guests[1]).toEqual({ ...g0, id: anyId, name: 'new' })
  })

  test('another record takes those of one that is removed: 200', async () => {
    const { status, body } = await service.put(path, { name: 'p', guests: [{ id: g1.id, ...guest('g1', 0, 0) }] })
    expect(status).toBe(200)
    expect(body.guests).toEqual([{ ...g1, seatId: seats[0].id, seat: seats[0], meals: [meals[0]] }])
  })

  test('two elements of one body with the same: 409, both pointers', async () => {
    const sameSeat = [guest('a', 2, 0), guest('b', 2, 1)]
    await service.refuse(
      'PUT',
      path,
      { name: 'q', guests: sameSeat },
      { code: taken, pointers: ['/guests/0/seatId', '/guests/1/seatId'] },
    )
    const sameMeal = [guest('a', 0, 2), guest('b', 1, 2)]
    await service.refuse(
      'PUT',
      path,
      { name: 'q', guests: sameMeal },
      { code: taken, pointers: ['/guests/0/meals/0/id', '/guests/1/meals/0/id'] },
    )
  })

  test("another owner's: 409, nothing stored", async () => {
    await service.refuse(
      'POST',
      '/api/party',
      { name: 'q', guests: [guest('a', 2, 2), guest('b', 0, 1)] },
      { code: taken, pointers: ['/guests/1/seatId', '/guests/1/meals/0/id'] },
    )
    await service.refuse(
      'POST',
      '/api/party',
      { name: 'q', guests: [guest('a', 2, 0)] },
      {
        code: taken,
        pointers: ['/guests/0/meals/0/id'],
      },
    )
  })

  test('needs.many may not be empty at that depth either', async () => {
    const refused = { code: 'CRUD_ERR_INVALID', pointers: ['/guests/0/meals'] } as const
    await service.refuse('POST', '/api/party', { name: 'q', guests: [guest('a', 2)] }, refused)
    await service.refuse('PUT', path, { name: 'q', guests: [{ id: g0.id, ...guest('a', 0) }] }, refused)
    await service.refuse('PUT', path, { name: 'q', guests: [{ id: g0.id, name: 'a', seatId: seats[0].id }] }, refused)
    await service.refuse('PATCH', path, { guests: [{ name: 'a', seatId: seats[2].id }] }, refused)
  })
})
