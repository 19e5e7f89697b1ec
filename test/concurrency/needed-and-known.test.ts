import { expect, test } from 'vitest'
import type { TestApp } from '../support/app.ts'
import { describeServersOnDatabases } from '../support/describe-on-databases.ts'
import { doneStatus } from '../support/done-status.ts'
import { resultOf } from '../support/result-of.ts'
import { type Request, useServers } from '../support/servers.ts'
import { related } from './models.ts'

const ROUNDS = 6

interface Case {
  readonly title: string
  /** What removes the record, and what newly needs or knows it at the same time. */
  prepare(service: TestApp): Promise<readonly [remove: Request, refer: Request]>
}

async function addGuest(service: TestApp) {
  const { id: placeId } = await service.add('/api/place', { name: 'p' })
  const { id: seatId } = await service.add('/api/seat', { name: 's' })
  const { id: key } = await service.add('/api/key', { name: 'k' })
  const box = await service.add('/api/box', { name: 'b', things: [{ name: 't' }, { name: 'u' }] })
  const [thing, other] = box.things
  const keys = [{ id: key }]
  return {
    box: `/api/box/${box.id}`,
    thing,
    other,
    body: { name: 'g', placeId, seatId, keys, things: [{ id: thing.id }] },
  }
}

const needing: readonly Case[] = [
  {
    title: 'DELETE of a record and POST of one that needs it',
    async prepare(service) {
      const { body } = await addGuest(service)
      return [
        ['DELETE', `/api/place/${body.placeId}`],
        ['POST', '/api/guest', body],
      ]
    },
  },
  {
    title: 'DELETE of a record and POST of the one that it serves',
    async prepare(service) {
      const { body } = await addGuest(service)
      return [
        ['DELETE', `/api/seat/${body.seatId}`],
        ['POST', '/api/guest', body],
      ]
    },
  },
  {
    title: 'DELETE of a record and POST of one that needs it among others',
    async prepare(service) {
      const { body } = await addGuest(service)
      return [
        ['DELETE', `/api/key/${body.keys[0]?.id}`],
        ['POST', '/api/guest', body],
      ]
    },
  },
  {
    title: 'DELETE of an owner and POST of a record that needs something in it',
    async prepare(service) {
      const { box, thing } = await addGuest(service)
      return [
        ['DELETE', box],
        ['POST', '/api/needer', { name: 'n', thingId: thing.id }],
      ]
    },
  },
  {
    title: 'PUT of an owner without a child and POST of a record that needs the child among others',
    async prepare(service) {
      const { box, body, other } = await addGuest(service)
      return [
        ['PUT', box, { name: 'b', things: [{ id: other.id, name: 'u' }] }],
        ['POST', '/api/guest', body],
      ]
    },
  },
  {
    title: 'DELETE of a child and PATCH that moves a record to it',
    async prepare(service) {
      const { box, thing, other } = await addGuest(service)
      const { id } = await service.add('/api/needer', { name: 'n', thingId: other.id })
      return [
        ['DELETE', `${box}/thing/${thing.id}`],
        ['PATCH', `/api/needer/${id}`, { thingId: thing.id }],
      ]
    },
  },
  {
    title: 'DELETE of a child and PATCH that adds it to those a record needs',
    async prepare(service) {
      const { box, body, other } = await addGuest(service)
      const { id } = await service.add('/api/guest', body)
      return [
        ['DELETE', `${box}/thing/${other.id}`],
        ['PATCH', `/api/guest/${id}`, { things: [{ id: other.id }] }],
      ]
    },
  },
]

const knowing: readonly Case[] = [
  {
    title: 'DELETE of a record and PUT that newly knows it',
    async prepare(service) {
      const { body } = await addGuest(service)
      const { id } = await service.add('/api/fan', { name: 'f' })
      return [
        ['DELETE', `/api/place/${body.placeId}`],
        ['PUT', `/api/fan/${id}`, { name: 'f', placeId: body.placeId }],
      ]
    },
  },
  {
    title: 'DELETE of an owner and POST of a record that knows something in it',
    async prepare(service) {
      const { box, thing } = await addGuest(service)
      return [
        ['DELETE', box],
        ['POST', '/api/fan', { name: 'f', thingId: thing.id, things: [{ id: thing.id }] }],
      ]
    },
  },
  {
    title: 'PUT of an owner without a child and PATCH that adds the child to those a record knows',
    async prepare(service) {
      const { box, thing } = await addGuest(service)
      const { id } = await service.add('/api/fan', { name: 'f' })
      return [
        ['PUT', box, { name: 'b' }],
        ['PATCH', `/api/fan/${id}`, { things: [{ id: thing.id }] }],
      ]
    },
  },
]

describeServersOnDatabases('at the same time', (database) => {
  const servers = useServers(database, related)

  for (const { title, prepare } of needing) {
    test(`${title}: one of the two is refused`, async () => {
      for (let round = 0; round < ROUNDS; round++) {
        const pair = await prepare(servers.one)
        const [first, second] = await servers.atOnce(...(round % 2 === 0 ? pair : pair.toReversed()))
        const [remove, refer] = round % 2 === 0 ? [first, second] : [second, first]
        const [removing, referring] = pair.map(([method]) => `${doneStatus[method]}`)
        // Who comes first is done, and the other one is refused for that.
        expect([
          [removing, '400 CRUD_ERR_UNKNOWN_REFERENCE'],
          ['409 CRUD_ERR_STILL_NEEDED', referring],
        ]).toContainEqual([resultOf(remove), resultOf(refer)])
      }
    })
  }

  for (const { title, prepare } of knowing) {
    test(`${title}: the first is done, the second before it or refused, and nothing dangles`, async () => {
      for (let round = 0; round < ROUNDS; round++) {
        const pair = await prepare(servers.one)
        const [first, second] = await servers.atOnce(...(round % 2 === 0 ? pair : pair.toReversed()))
        const [remove, refer] = round % 2 === 0 ? [first, second] : [second, first]
        const [[removing], [referring, , known]] = pair
        expect(remove?.status).toBe(doneStatus[removing])
        if (refer?.status === doneStatus[referring]) expect(refer?.body).toMatchObject(known as object)
        else expect(resultOf(refer)).toBe('400 CRUD_ERR_UNKNOWN_REFERENCE')
      }
      const { rows } = await servers.one.read('/api/fan?limit=100')
      for (const fan of rows) expect(fan).toMatchObject({ placeId: null, place: null, thingId: null, things: [] })
    })
  }

  test('DELETE of two records that one needs: both are refused, it keeps them', async () => {
    const { body } = await addGuest(servers.one)
    const { id: key } = await servers.one.add('/api/key', { name: 'l' })
    const { id } = await servers.one.add('/api/guest', { ...body, keys: [...body.keys, { id: key }] })
    const answers = await servers.atOnce(['DELETE', `/api/key/${key}`], ['DELETE', `/api/key/${body.keys[0]?.id}`])
    expect(answers.map(resultOf)).toEqual(Array(2).fill('409 CRUD_ERR_STILL_NEEDED'))
    expect((await servers.one.read(`/api/guest/${id}`)).keys).toHaveLength(2)
  })

  test('DELETE of a needed record and DELETE of what needs it: the second is done, the first too if it comes after', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const { body } = await addGuest(servers.one)
      const { id } = await servers.one.add('/api/guest', body)
      const [place, guest] = await servers.atOnce(
        ['DELETE', `/api/place/${body.placeId}`],
        ['DELETE', `/api/guest/${id}`],
      )
      expect(guest?.status).toBe(204)
      const isGone = place?.status === 204
      if (!isGone) expect(resultOf(place)).toBe('409 CRUD_ERR_STILL_NEEDED')
      expect((await servers.one.get(`/api/place/${body.placeId}`)).status).toBe(isGone ? 404 : 200)
    }
  })
})
