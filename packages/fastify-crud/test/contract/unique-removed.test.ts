import { Type } from '@sinclair/typebox'
import { defineResources, knows, needs, ownedBy, owns } from 'fastify-crud'
import { beforeEach, describe, expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../test/support/json-body.ts'

const party = defineResources({
  party: { fields: { name: Type.String() }, relations: { seats: owns.many('seat'), guests: owns.many('guest') } },
  seat: { fields: { label: Type.String() }, relations: { party: ownedBy('party') } },
  guest: {
    fields: { name: Type.String() },
    relations: { party: ownedBy('party'), seat: needs.one('seat', { unique: true }), spare: knows.one('seat') },
    unique: [['spare']],
  },
})

describeOnBoth('a unique foreign key that names a record of the same owner', (database) => {
  const service = useApp(database, party)
  let record: JsonBody
  let path: string

  beforeEach(async () => {
    const { id, seats } = await service.add('/api/party', {
      name: 'p',
      seats: [{ label: '0' }, { label: '1' }, { label: '2' }],
    })
    path = `/api/party/${id}`
    const guests = [
      { name: 'g0', seatId: seats[0].id, spareId: seats[1].id },
      { name: 'g1', seatId: seats[1].id, spareId: seats[0].id },
    ]
    record = (await service.patch(path, { guests })).body
  })

  test('the record goes, and who named it moves to a free one: 200', async () => {
    const [s0, s1, s2] = record.seats
    const [g0, g1] = record.guests
    const guests = [{ id: g0.id, name: 'g0', seatId: s2.id, spareId: s1.id }, g1]
    const { status, body } = await service.put(path, { name: 'p', seats: [s1, s2], guests })
    expect(status).toBe(200)
    expect(body.guests).toMatchObject([
      { id: g0.id, seatId: s2.id, spareId: s1.id },
      { id: g1.id, seatId: s1.id, spareId: null },
    ])
    expect(await service.read(path)).toEqual(body)
    expect(body.seats.map((seat: JsonBody) => seat.id)).not.toContain(s0.id)
  })

  test('the record goes, and all move up: who leaves a place goes before who takes it: 200', async () => {
    const [, s1, s2] = record.seats
    const [g0, g1] = record.guests
    const guests = [
      { id: g0.id, name: 'g0', seatId: s1.id },
      { id: g1.id, name: 'g1', seatId: s2.id },
    ]
    const { status, body } = await service.put(path, { name: 'p', seats: [s1, s2], guests })
    expect(status).toBe(200)
    expect(body.guests).toMatchObject([
      { id: g0.id, seatId: s1.id, spareId: null },
      { id: g1.id, seatId: s2.id, spareId: null },
    ])
  })

  test('two who know swap: 200', async () => {
    const [s0, s1] = record.seats
    const [g0, g1] = record.guests
    const { status, body } = await service.patch(path, {
      guests: [
        { id: g0.id, spareId: s0.id },
        { id: g1.id, spareId: s1.id },
      ],
    })
    expect(status).toBe(200)
    expect(body.guests).toMatchObject([{ spareId: s0.id }, { spareId: s1.id }])
  })
})

const hotel = defineResources({
  hotel: { relations: { beds: owns.many('bed'), halls: owns.many('hall'), guests: owns.many('guest') } },
  bed: { relations: { hotel: ownedBy('hotel') } },
  hall: { relations: { hotel: ownedBy('hotel'), lamps: owns.many('lamp') } },
  lamp: { relations: { hall: ownedBy('hall') } },
  guest: {
    relations: { hotel: ownedBy('hotel'), bed: needs.one('bed'), lamp: knows.one('lamp') },
    unique: [['bed', 'lamp']],
  },
})

describeOnBoth('a unique key of a foreign key that is needed and one that is known', (database) => {
  const service = useApp(database, hotel)

  test('both records go, and who named them takes the places of another one that goes: 200', async () => {
    const { id, beds, halls } = await service.add('/api/hotel', { beds: [{}, {}], halls: [{ lamps: [{}, {}] }] })
    const path = `/api/hotel/${id}`
    const [hall] = halls
    const [l1, l2] = hall.lamps
    const guests = [
      { bedId: beds[0].id, lampId: l1.id },
      { bedId: beds[1].id, lampId: l2.id },
    ]
    const { body: record } = await service.patch(path, { guests })
    const body = {
      beds: [beds[1]],
      halls: [{ ...hall, lamps: [l2] }],
      guests: [{ id: record.guests[0].id, bedId: beds[1].id, lampId: l2.id }],
    }
    const answer = await service.put(path, body)
    expect(answer.status, JSON.stringify(answer.body)).toBe(200)
    expect(answer.body.guests).toMatchObject(body.guests)
  })
})

const keysOfItems = [['slot', 'name'] as const, ['group', 'name'] as const]

describe.each([
  ['the key that waits for another one first', keysOfItems],
  ['the key that waits for another one last', keysOfItems.toReversed()],
])('two unique keys with one field in common, %s', (_, unique) => {
  const shelf = defineResources({
    shelf: { relations: { groups: owns.many('group'), items: owns.many('item') } },
    group: { relations: { shelf: ownedBy('shelf') } },
    item: {
      fields: { slot: Type.String(), name: Type.String() },
      relations: { shelf: ownedBy('shelf'), group: needs.one('group') },
      unique,
    },
  })

  describeOnBoth('a PUT', (database) => {
    const service = useApp(database, shelf)

    test('moves a record away from a group that goes, and gives it the name that another one gives up: 200', async () => {
      const { id, groups } = await service.add('/api/shelf', { groups: [{}, {}, {}] })
      const [g1, g2, g3] = groups
      const path = `/api/shelf/${id}`
      const stored = [
        { slot: 's', name: 'x', groupId: g1.id },
        { slot: 's', name: 'y', groupId: g3.id },
      ]
      const { items } = (await service.patch(path, { items: stored })).body
      const body = {
        groups: [g2, g3],
        items: [
          { id: items[0].id, slot: 's', name: 'y', groupId: g2.id },
          { id: items[1].id, slot: 's', name: 'z', groupId: g3.id },
        ],
      }
      const answer = await service.put(path, body)
      expect(answer.status, JSON.stringify(answer.body)).toBe(200)
      expect(answer.body.items).toMatchObject(body.items)
    })
  })
})
