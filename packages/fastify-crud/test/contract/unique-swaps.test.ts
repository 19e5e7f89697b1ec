import { Type } from '@sinclair/typebox'
import { checkTables, createStore, defineResources, neededBy, needs, ownedBy, owns } from 'fastify-crud'
import { beforeEach, describe, expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { setups } from '../../../../test/support/databases.ts'
import { describeOnDatabases } from '../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../test/support/json-body.ts'
import { missingId, withGivenId, withTestIds } from '../../../../test/support/test-ids.ts'

const resources = defineResources({
  hall: {
    fields: { name: Type.String() },
    relations: { tables: owns.many('desk'), guests: owns.many('guest'), roles: owns.many('role') },
  },
  desk: {
    fields: { open: Type.Boolean(), side: Type.Union([Type.Literal('l'), Type.Literal('r')]) },
    relations: { hall: ownedBy('hall'), shifts: owns.many('shift') },
    unique: [
      ['hall', 'open'],
      ['hall', 'side'],
    ],
  },
  shift: {
    fields: { rank: Type.Integer() },
    relations: { desk: ownedBy('desk'), seat: needs.one('seat') },
    unique: [['desk', 'seat']],
  },
  guest: {
    fields: { name: Type.String() },
    relations: { hall: ownedBy('hall'), seat: needs.one('seat', { unique: true }) },
  },
  role: {
    fields: {
      code: Type.String(),
      main: Type.Boolean(),
      note: Type.Optional(Type.String()),
    },
    relations: { hall: ownedBy('hall'), seat: needs.one('seat'), other: needs.one('seat', { optional: true }) },
    unique: [
      ['seat', 'code'],
      ['hall', 'main', 'seat'],
      ['other', 'note'],
    ],
  },
  seat: { fields: { label: Type.String() }, relations: { guest: neededBy.one('guest', { inverse: 'seat' }) } },
})

describeOnDatabases('a swap of unique values for which there is no other value', (database) => {
  const service = useApp(database, resources)
  let seats: number[]
  let hall: JsonBody
  let path: string

  beforeEach(async () => {
    seats = []
    for (const label of ['0', '1', '2', '3']) seats.push((await service.add('/api/seat', { label })).id)
    const [a, b, c] = seats
    hall = await service.add('/api/hall', {
      name: 'h',
      tables: [
        { open: true, side: 'l', shifts: [a, b, c].map((seatId, rank) => ({ rank, seatId })) },
        { open: false, side: 'r', shifts: [b, a].map((seatId, rank) => ({ rank, seatId })) },
      ],
      guests: [a, b, c].map((seatId) => ({ name: 'g', seatId })),
      roles: [
        { code: 'x', main: true, seatId: a, otherId: a, note: 'n' },
        { code: 'x', main: true, seatId: b, otherId: b, note: 'n' },
        { code: 'y', main: false, seatId: a, otherId: a, note: null },
      ],
    })
    path = `/api/hall/${hall.id}`
  })

  /** The hall after both ways of saying so. */
  async function changed(change: (record: JsonBody) => void): Promise<void> {
    const wanted = structuredClone(hall)
    change(wanted)
    const seatOf = (one: JsonBody) => ({ ...one, seat: undefined, other: undefined })
    const body = {
      ...wanted,
      guests: wanted.guests.map(seatOf),
      roles: wanted.roles.map(seatOf),
      tables: wanted.tables.map((table: JsonBody) => ({ ...table, shifts: table.shifts.map(seatOf) })),
    }
    for (const [method, sent, left] of [
      ['PUT', body, wanted],
      ['PUT', hall, hall],
      ['PATCH', body, wanted],
      ['PATCH', { guests: hall.guests, roles: hall.roles, tables: hall.tables }, hall],
    ]) {
      const answer = await service.request(method, path, sent)
      expect([answer.status, withoutNested(answer.body)]).toEqual([200, withoutNested(left)])
      expect(await service.read(path)).toEqual(answer.body)
    }
  }

  /** Without the nested records of needs, which the wanted record has of other records. */
  function withoutNested(record: JsonBody): JsonBody {
    return JSON.parse(
      JSON.stringify(record, (name, value) => (name === 'seat' || name === 'other' ? undefined : value)),
    )
  }

  test('checkTables finds nothing to mend in the tables that createTables has made', async () => {
    expect(await checkTables(service.db, withTestIds(resources))).toEqual([])
  })

  test('200: two records swap their needs.one', () =>
    changed(({ guests: [first, second] }) => {
      ;[first.seatId, second.seatId] = [second.seatId, first.seatId]
    }))

  test('200: three rotate, either way', async () => {
    await changed(({ guests }) => {
      for (const [index, guest] of guests.entries()) guest.seatId = seats[(index + 1) % 3]
    })
    await changed(({ guests }) => {
      for (const [index, guest] of guests.entries()) guest.seatId = seats[(index + 2) % 3]
    })
  })

  test('200: a chain that ends in a free value', () =>
    changed(({ guests }) => {
      for (const [index, guest] of guests.entries()) guest.seatId = seats[index + 1]
    }))

  test('200: below two owners at the same time', () =>
    changed(({ tables: [{ shifts: left }, { shifts: right }] }) => {
      ;[left[0].seatId, left[2].seatId] = [left[2].seatId, left[0].seatId]
      ;[right[0].seatId, right[1].seatId] = [right[1].seatId, right[0].seatId]
    }))

  test('200: booleans and literals, at once or one of them', async () => {
    await changed(({ tables: [left, right] }) => {
      ;[left.open, right.open] = [right.open, left.open]
    })
    await changed(({ tables: [left, right] }) => {
      ;[left.open, right.open, left.side, right.side] = [right.open, left.open, right.side, left.side]
    })
  })

  test('200: members of longer keys, of which some stay', async () => {
    await changed(({ roles: [first, second] }) => {
      ;[first.seatId, second.seatId] = [second.seatId, first.seatId]
    })
    await changed(({ roles: [first, , third] }) => {
      ;[first.code, third.code] = [third.code, first.code]
      ;[first.main, third.main] = [third.main, first.main]
    })
    await changed(({ roles: [first, second] }) => {
      ;[first.otherId, second.otherId] = [second.otherId, first.otherId]
    })
  })

  test('200: on several resources of a tree in one request, while other fields change', () =>
    changed(({ tables: [left, right], guests, roles: [first, second] }) => {
      ;[left.open, right.open] = [right.open, left.open]
      ;[left.shifts[0].seatId, left.shifts[1].seatId] = [left.shifts[1].seatId, left.shifts[0].seatId]
      ;[guests[0].seatId, guests[1].seatId] = [guests[1].seatId, guests[0].seatId]
      ;[first.seatId, second.seatId] = [second.seatId, first.seatId]
      guests[2].name = 'renamed'
      left.shifts[2].rank = 9
    }))

  test('200: a new record takes the value of one that swaps', async () => {
    const [first, second, third] = hall.guests
    const guests = [
      { id: first.id, seatId: seats[1] },
      { id: second.id, seatId: seats[3] },
      { name: 'new', seatId: seats[0] },
      { id: third.id, name: 'renamed' },
    ]
    const { status, body } = await service.patch(path, { guests })
    expect(status).toBe(200)
    expect(body.guests.map((one: JsonBody) => [one.name, one.seatId])).toEqual([
      ['g', seats[1]],
      ['g', seats[3]],
      ['renamed', seats[2]],
      ['new', seats[0]],
    ])
  })

  test('200: often, one after the other', async () => {
    for (let turn = 0; turn < 6; turn++) {
      const { guests } = await service.read(path)
      const [first, second] = guests
      const swapped = [
        { id: first.id, seatId: second.seatId },
        { id: second.id, seatId: first.seatId },
      ]
      expect((await service.patch(path, { guests: swapped })).status).toBe(200)
    }
    // Foreign keys are checked at once again.
    expect(await service.read(path)).toEqual(hall)
  })

  test('the same in a transaction of the application, beside other writes, and in a dry run', async () => {
    const [first, second] = hall.guests
    const guests = [
      { id: first.id, seatId: second.seatId },
      { id: second.id, seatId: first.seatId },
    ]
    const dry = await service.request('PATCH', path, { guests }, { prefer: 'tx=rollback' })
    expect([dry.status, dry.body.guests.slice(0, 2)]).toMatchObject([200, guests])
    expect(await service.read(path)).toEqual(hall)
    await service.db.transaction().execute(async (transaction) => {
      const store = createStore({ db: transaction, resources: withTestIds(resources) })
      await store.seat.create(withGivenId('seat', { label: 'new' }))
      await store.hall.patch(hall.id, { guests })
      await store.hall.patch(hall.id, { name: 'new' })
    })
    expect(await service.read(path)).toMatchObject({ name: 'new', guests: [...guests, { id: hall.guests[2].id }] })
  })

  test('no swap lets a foreign key name a record that is not there', async () => {
    const [first, second] = hall.guests
    const dangling = service.db.transaction().execute(async (transaction) => {
      const swapped = [
        { id: first.id, seatId: second.seatId },
        { id: second.id, seatId: first.seatId },
      ]
      await createStore({ db: transaction, resources: withTestIds(resources) }).hall.patch(hall.id, { guests: swapped })
      await transaction
        .updateTable('guest')
        .set({ seatId: missingId('seat') })
        .where('id', '=', first.id)
        .execute()
    })
    await expect(dangling).rejects.toThrow(/foreign key/i)
    expect(await service.read(path)).toEqual(hall)
  })

  test('409 as ever where the value stays with another record', async () => {
    const other = await service.add('/api/hall', { name: 'o', guests: [{ name: 'g', seatId: seats[3] }] })
    const [first, second] = hall.guests
    const guests = [
      { id: first.id, seatId: seats[3] },
      { id: second.id, seatId: seats[0] },
    ]
    const taken = { code: 'CRUD_ERR_NOT_UNIQUE', pointers: ['/guests/0/seatId'], detail: /not unique: seat/ } as const
    await service.refuse('PATCH', path, { guests }, taken)
    expect(await service.read(`/api/hall/${other.id}`)).toEqual(other)
  })

  test('409 with both pointers where a rotation ends at one value', async () => {
    const [first, second] = hall.guests
    const guests = [
      { id: first.id, seatId: seats[1] },
      { id: second.id, seatId: seats[2] },
      { id: hall.guests[2].id, seatId: seats[1] },
    ]
    const taken = { code: 'CRUD_ERR_NOT_UNIQUE', pointers: ['/guests/0/seatId', '/guests/2/seatId'] } as const
    await service.refuse('PATCH', path, { guests }, taken)
  })

  test('400 for a record that does not exist, in a swap, too', async () => {
    const [first, second] = hall.guests
    const guests = [
      { id: first.id, seatId: seats[1] },
      { id: second.id, seatId: missingId('seat') },
    ]
    const unknown = { code: 'CRUD_ERR_UNKNOWN_REFERENCE', pointers: ['/guests/1/seatId'] } as const
    await service.refuse('PATCH', path, { guests }, unknown)
  })
})

for (const setup of setups.filter(({ name }) => name === 'postgres')) {
  describe(`a swap with the option \`session\` (${setup.title})`, () => {
    const service = useApp(setup, resources, {
      plugin: { caller: () => ({ name: 'ada' }), session: () => ({ 'app.user': 'ada' }) },
    })

    test('200: each statement counts the rows that it writes', async () => {
      const seats = [await service.add('/api/seat', { label: 'a' }), await service.add('/api/seat', { label: 'b' })]
      const guests = seats.map(({ id }) => ({ name: 'g', seatId: id }))
      const hall = await service.add('/api/hall', { name: 'h', guests })
      const [first, second] = hall.guests
      const swapped = [
        { id: first.id, seatId: second.seatId },
        { id: second.id, seatId: first.seatId, name: 'new' },
      ]
      const { status, body } = await service.patch(`/api/hall/${hall.id}`, { guests: swapped })
      expect([status, body.guests]).toMatchObject([200, swapped])
    })
  })
}
