import { Type } from '@sinclair/typebox'
import { defineResources, knows, neededBy, needs, ownedBy, owns } from 'fastify-crud'
import { expect, test } from 'vitest'
import { describeServersOnDatabases } from '../support/describe-on-databases.ts'
import type { JsonBody } from '../support/json-body.ts'
import { useServers } from '../support/servers.ts'

const text = Type.String()

const model = defineResources({
  hall: { fields: { name: text }, relations: { seats: owns.many('seat') } },
  seat: {
    fields: { number: Type.Integer() },
    relations: { hall: ownedBy('hall') },
    unique: [['hall', 'number']],
  },
  guest: { fields: { name: text }, relations: { bookings: neededBy.many('booking') }, unique: [['name']] },
  booking: {
    fields: { seat: Type.Integer() },
    relations: { guest: needs.one('guest'), friends: knows.many('guest') },
    unique: [['seat']],
  },
  // Records whose ids the clients give.
  key: { id: 'text', fields: { code: text, by: text }, relations: { teeth: owns.many('tooth') }, unique: [['code']] },
  tooth: { id: { kind: 'uuid', assign: 'client' }, fields: { by: text }, relations: { key: ownedBy('key') } },
  door: { id: { kind: 'uuid', assign: 'client' }, fields: { code: text, by: text }, unique: [['code']] },
  lock: { id: ['code'], fields: { code: text, by: text, maker: text }, unique: [['maker']] },
  bolt: { id: ['code', 'size'], fields: { code: text, size: Type.Integer(), by: text }, unique: [['size']] },
})

const ROUNDS = 4

describeServersOnDatabases('writes of many records at the same time', (database) => {
  const servers = useServers(database, model)
  const guests = async (count: number): Promise<JsonBody[]> =>
    (
      await servers.one.add(
        '/api/guest',
        Array.from({ length: count }, (_, index) => ({ name: `g${index}` })),
      )
    ).rows

  test('in opposite orders wait for each other, and none is lost', async () => {
    const rows = await guests(8)
    for (let round = 0; round < ROUNDS; round++) {
      const bodies = (writer: string) => rows.map(({ id }, index) => ({ id, name: `${writer}${round} ${index}` }))
      const answers = await servers.atOnce(
        ['PATCH', '/api/guest', bodies('a')],
        ['PATCH', '/api/guest', bodies('b').toReversed()],
        ['PATCH', '/api/guest', bodies('c')],
        ['PATCH', '/api/guest', bodies('d').toReversed()],
        ['PATCH', `/api/guest/${rows[0]?.id}`, { name: `single ${round}` }],
      )
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200])
      const names = (await servers.one.read('/api/guest')).rows.map(({ name }: JsonBody) => String(name).split(' ')[0])
      expect(new Set(names.slice(1)).size).toBe(1)
    }
  })

  test('take the last seat only once', async () => {
    const [guest] = await guests(1)
    for (let round = 0; round < ROUNDS; round++) {
      const bodies = (first: number) => [1, 2, 3].map((n) => ({ seat: round * 10 + first + n, guestId: guest?.id }))
      const answers = await servers.atOnce(
        ['POST', '/api/booking', bodies(0)],
        ['POST', '/api/booking', bodies(2).toReversed()],
        ['POST', '/api/booking', bodies(0).toReversed()],
        ['POST', '/api/booking', bodies(2)],
      )
      const done = answers.filter(({ status }) => status === 201)
      expect(answers.every(({ status }) => status === 201 || status === 409)).toBe(true)
      expect(done.length).toBe(1)
      expect((await servers.one.read('/api/booking')).count).toBe((round + 1) * 3)
    }
  })

  test('by one unique value create one record, whoever comes first', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const put = (name: string) => ['PUT', '/api/guest?by=name', [{ name: `x${round}` }, { name }]] as const
      const answers = await servers.atOnce(put('a'), put('b'), put('c'), put('a'))
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200])
    }
    const names = (await servers.one.read('/api/guest?sort=name')).rows.map(({ name }: JsonBody) => name)
    expect(names).toEqual(['a', 'b', 'c', 'x0', 'x1', 'x2', 'x3'])
  })

  const uuid = (round: number) => `00000000-0000-4000-8000-${String(round).padStart(12, '0')}`
  test.each<[string, string, (round: number) => object]>([
    ['a text', '/api/key?by=code', (n) => ({ id: `k${n}`, code: `c${n}`, teeth: [{ id: uuid(n), by: 'x' }] })],
    ['a UUID', '/api/door?by=code', (n) => ({ id: uuid(n), code: `c${n}` })],
    ['a field', '/api/lock?by=maker', (n) => ({ code: `c${n}`, maker: `m${n}` })],
    ['several fields', '/api/bolt?by=size', (n) => ({ code: `c${n}`, size: n })],
  ])('by one unique value create one record whose id is %s that all of them give', async (_, path, bodyOf) => {
    for (let round = 0; round < 2 * ROUNDS; round++) {
      const one = (by: string) => ['PUT', path, { ...bodyOf(2 * round), by }] as const
      const several = (by: string) => {
        const bodies = [2 * round, 2 * round + 1].map((n) => ({ ...bodyOf(n), by }))
        return ['PUT', path, by === 'c' ? bodies.toReversed() : bodies] as const
      }
      const answers = await servers.atOnce(one('a'), several('b'), several('c'), one('d'), several('e'))
      for (const { status } of answers) expect([200, 201]).toContain(status)
    }
    expect((await servers.one.read(path.replace(/\?.*/, ''))).count).toBe(4 * ROUNDS)
  })

  test('by a filter change what matches when it is their turn', async () => {
    const [guest] = await guests(1)
    await servers.one.add(
      '/api/booking',
      [1, 2, 3, 4].map((seat) => ({ seat, guestId: guest?.id })),
    )
    const answers = await Promise.all(
      ['a', 'b', 'c', 'd'].map((_, index) =>
        (index % 2 === 0 ? servers.one : servers.other).request(
          'DELETE',
          '/api/booking?filter[seat][lte]=3',
          undefined,
          { prefer: 'max-affected=3' },
        ),
      ),
    )
    const counts = answers.filter(({ status }) => status === 200).map(({ body }) => body.count)
    expect(counts.length).toBeGreaterThan(0)
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(3)
    expect((await servers.one.read('/api/booking')).count).toBe(1)
  })

  test('of owners and of their children leave what one after the other leaves', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const { rows } = await servers.one.add(
        '/api/hall',
        ['p', 'q'].map((name) => ({ name, seats: [{ number: 1 }] })),
      )
      const [p, q] = rows
      const answers = await servers.atOnce(
        [
          'PUT',
          '/api/hall',
          [
            { ...q, seats: [{ number: 1 }, { number: 2 }] },
            { ...p, seats: [{ number: 3 }] },
          ],
        ],
        ['PATCH', '/api/hall', rows.map(({ id }: JsonBody) => ({ id, seats: [{ number: 9 }] }))],
        ['PUT', `/api/hall/${p.id}/seat?by=hall,number`, [{ number: 1 }, { number: 9 }]],
        ['POST', `/api/hall/${q.id}/seat`, [{ number: 5 }, { number: 6 }]],
      )
      for (const { status } of answers) expect([200, 201, 409]).toContain(status)
      for (const { id } of rows) {
        const numbers = (await servers.one.read(`/api/hall/${id}`)).seats.map(({ number }: JsonBody) => number)
        expect(new Set(numbers).size).toBe(numbers.length)
      }
    }
  })
})
