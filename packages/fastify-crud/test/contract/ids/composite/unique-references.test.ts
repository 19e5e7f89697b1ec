import { Type } from '@sinclair/typebox'
import { defineResources, type Model, neededBy, needs, ownedBy, owns } from 'fastify-crud'
import { beforeEach, expect, test } from 'vitest'
import { useApp } from '../../../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../../../test/support/json-body.ts'

const model = defineResources({
  party: { id: 'integer', fields: { name: Type.String() }, relations: { guests: owns.many('guest') } },
  guest: {
    id: ['party', 'person'],
    fields: {
      label: Type.String(),
      code: Type.Optional(Type.String()),
      isHost: Type.Optional(Type.Boolean()),
      rank: Type.Integer(),
    },
    unique: [['label'], ['party', 'code'], ['party', 'isHost'], ['party', 'rank'], ['person', 'table']],
    relations: {
      party: ownedBy('party'),
      person: needs.one('person'),
      seat: needs.one('seat', { unique: true }),
      table: needs.one('table'),
    },
  },
  person: { id: 'text', fields: { name: Type.String() } },
  seat: { id: 'text', fields: { name: Type.String() }, relations: { guest: neededBy.one('guest') } },
  table: { id: 'integer', fields: { name: Type.String() } },
}) as Model

describeOnBoth('unique values of children whose ids have several parts', (database) => {
  const service = useApp(database, model)
  const taken = { code: 'CRUD_ERR_NOT_UNIQUE' } as const
  let tables: JsonBody[]
  let party: JsonBody
  let other: JsonBody
  let path: string

  beforeEach(async () => {
    for (const id of ['p0', 'p1', 'p2', 'p3']) await service.add('/api/person', { id, name: id })
    for (const id of ['s0', 's1', 's2', 's3', 's4']) await service.add('/api/seat', { id, name: id })
    tables = [await service.add('/api/table', { name: 'a' }), await service.add('/api/table', { name: 'b' })]
    const guests = [0, 1, 2].map((n) => ({
      personId: `p${n}`,
      label: `l${n}`,
      code: `c${n}`,
      isHost: [true, false, null][n],
      rank: n,
      seatId: `s${n}`,
      tableId: tables[0]?.id,
    }))
    party = await service.add('/api/party', { name: 'p', guests })
    other = await service.add('/api/party', {
      name: 'q',
      guests: [{ personId: 'p0', label: 'x', rank: 0, seatId: 's4', tableId: tables[1]?.id }],
    })
    path = `/api/party/${party.id}`
  })

  /** A ring: each guest gets the values of the next. */
  const ring = (step: number, names: readonly string[]) =>
    party.guests.map((guest: JsonBody, index: number) => {
      const from = party.guests[(index + step) % 3]
      return { personId: guest.personId, ...Object.fromEntries(names.map((name) => [name, from[name]])) }
    })
  const valuesOf = (record: JsonBody, name: string) => record.guests.map((guest: JsonBody) => [guest.id, guest[name]])

  test.each([
    ['texts', ['label']],
    ['texts of an owner', ['code']],
    ['booleans and null', ['isHost']],
    ['numbers', ['rank']],
    ['required references', ['seatId']],
    ['all of them', ['label', 'code', 'isHost', 'rank', 'seatId']],
  ])('go around among three, and between two: %s', async (_, names) => {
    for (const [method, guests] of [
      ['PATCH', ring(1, names)],
      ['PATCH', ring(2, names)],
      [
        'PUT',
        party.guests.map((guest: JsonBody, index: number) => {
          const { seat: _seat, ...others } = guest
          return { ...others, ...ring(1, names)[index] }
        }),
      ],
      ['PATCH', ring(0, names)],
      // Two of the three swap theirs.
      ['PATCH', [{ ...ring(1, names)[0] }, { ...ring(2, names)[1] }]],
    ] as const) {
      const { status, body } = await service.request(
        method,
        path,
        method === 'PUT' ? { name: 'p', guests } : { guests },
      )
      expect(status, JSON.stringify(body)).toBe(200)
      for (const name of names) {
        const expected = new Map(valuesOf(party, name))
        for (const guest of guests) expected.set(guest.personId, guest[name])
        if (guests.length === 3) expect(valuesOf(body, name)).toEqual([...expected])
      }
      expect(await service.read(path)).toEqual(body)
    }
    expect(await service.read(`/api/party/${other.id}`)).toEqual(other)
  })

  test('are handed from a removed child to one that stays, and to a new one', async () => {
    const [first, second] = party.guests
    const { label, code, rank, seatId } = first
    const guests = [
      { ...second, label, code, rank, seatId, seat: undefined },
      {
        personId: 'p3',
        label: second.label,
        code: second.code,
        rank: second.rank,
        seatId: second.seatId,
        tableId: tables[0]?.id,
      },
    ]
    const { status, body } = await service.put(path, { name: 'p', guests })
    expect(status, JSON.stringify(body)).toBe(200)
    expect(body.guests).toMatchObject([
      { id: 'p1', label, code, rank, seatId },
      { id: 'p3', label: second.label, seatId: second.seatId, seat: { name: 's1' } },
    ])
    expect(await service.read(path)).toEqual(body)
  })

  test('move from one to another, whose own ends', async () => {
    const [first, second, third] = party.guests
    const guests = [
      { id: 'p0', seatId: 's3', code: null },
      { id: 'p1', seatId: first.seatId, code: first.code },
    ]
    const { body } = await service.patch(path, { guests })
    expect(valuesOf(body, 'seatId')).toEqual([
      ['p0', 's3'],
      ['p1', 's0'],
      ['p2', third.seatId],
    ])
    expect(valuesOf(body, 'code')).toEqual([
      ['p0', null],
      ['p1', 'c0'],
      ['p2', 'c2'],
    ])
    expect((await service.patch(path, { guests: [{ id: 'p2', seatId: second.seatId }] })).status).toBe(200)
  })

  test('of two children, or held elsewhere, are 409 with their pointers', async () => {
    const twice = [
      { personId: 'p0', seatId: 's3' },
      { personId: 'p1', seatId: 's3' },
    ]
    await service.refuse(
      'PATCH',
      path,
      { guests: twice },
      { ...taken, pointers: ['/guests/0/seatId', '/guests/1/seatId'] },
    )
    await service.refuse(
      'PATCH',
      path,
      { guests: [{ personId: 'p1', seatId: 's4' }] },
      { ...taken, pointers: ['/guests/0/seatId'] },
    )
    await service.refuse(
      'PATCH',
      path,
      { guests: [{ personId: 'p1', label: 'x' }] },
      { ...taken, pointers: ['/guests/0/label'] },
    )
    const held = { guests: [{ personId: 'p0', code: 'c1' }] }
    await service.refuse('PATCH', path, held, { ...taken, pointers: ['/guests/0/code'] })
    const fresh = { personId: 'p3', label: 'n', rank: 2, seatId: 's3', tableId: tables[0]?.id }
    await service.refuse('PATCH', path, { guests: [fresh] }, { ...taken, pointers: ['/guests/0/rank'] })
    await service.refuse('POST', `${path}/guest`, fresh, { ...taken, pointers: ['/rank'] })
  })

  test('with a part of the id in them are those of one table only', async () => {
    const elsewhere = { guests: [{ personId: 'p0', tableId: tables[1]?.id }] }
    await service.refuse('PATCH', path, elsewhere, { ...taken, pointers: ['/guests/0'] })
    expect((await service.patch(path, { guests: [{ personId: 'p1', tableId: tables[1]?.id }] })).status).toBe(200)
    const both = { guests: [{ personId: 'p0', label: 'y', rank: 9, seatId: 's3', tableId: tables[0]?.id }] }
    await service.refuse('POST', '/api/party', { name: 'r', ...both }, { ...taken, pointers: ['/guests/0'] })
  })

  test('several nulls are no conflict', async () => {
    const guests = party.guests.map(({ personId }: JsonBody) => ({ personId, code: null, isHost: null }))
    const { status, body } = await service.patch(path, { guests })
    expect([status, ...body.guests.map(({ code }: JsonBody) => code)]).toEqual([200, null, null, null])
  })
})
