import { Type } from '@sinclair/typebox'
import { createTables, defineResources, knows, ownedBy, owns } from 'fastify-crud'
import { expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import type { OpenDatabase } from '../../../../test/support/databases.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../test/support/json-body.ts'

// Batches where records have ids of all kinds, move to other owners, are those of tenants, and are kept by policies.

const name = Type.String()

const resources = defineResources(
  {
    site: {
      id: 'uuid',
      fields: { name, owner: name },
      relations: { rooms: owns.many('room'), cards: owns.many('card') },
    },
    room: {
      id: ['site', 'number'],
      topLevel: true,
      fields: { number: Type.Integer(), name },
      relations: { site: ownedBy('site') },
    },
    card: {
      topLevel: true,
      fields: { name },
      relations: { site: ownedBy('site', { moves: true }), opens: knows.one('lock') },
    },
    lock: { id: ['code'], fields: { code: name } },
    firm: { id: 'text', fields: { name } },
  },
  { tenant: { resource: 'firm' } },
)

const own = ({ eb, my }: JsonBody) => eb('owner', '=', my('name'))

describeOnBoth('a batch in a model of many parts', (database) => {
  const service = useApp(database, resources, {
    plugin: {
      batch: true,
      tenant: (_, { headers }) => String(headers['x-firm'] ?? 'one'),
      caller: ({ headers }) => ({ name: String(headers['x-name'] ?? 'ada') }),
      policies: { site: { View: own, Add: true, Edit: own, Delete: own }, lock: true, firm: false } as never,
    },
    async tables({ db }: OpenDatabase) {
      await createTables(db, resources)
    },
  })
  const send = async (requests: readonly JsonBody[], headers: Record<string, string> = {}) => {
    const rows = ['one', 'two'].map((id) => ({ id, name: id }))
    await service.db
      .insertInto('firm')
      .values(rows)
      .onConflict((conflict) => conflict.doNothing())
      .execute()
    return await service.request('POST', '/api/$batch', { requests }, headers)
  }
  const tables = () => service.snapshot(['site', 'room', 'card'])
  const site = (as: string, owner = 'ada') => ({ method: 'POST', path: '/site', body: { name: as, owner }, as })

  test('names new records with uuids, and with ids of several parts, in bodies and in paths', async () => {
    const { status, body } = await send([
      site('north'),
      { method: 'POST', path: '/site/$new.north/room', body: { number: 7, name: 'hall' }, as: 'hall' },
      { method: 'POST', path: '/lock', body: { code: 'A,1' }, as: 'lock' },
      { method: 'POST', path: '/card', body: { name: 'red', siteId: { $new: 'north' }, opensId: { $new: 'lock' } } },
      { method: 'PATCH', path: '/room/$new.hall', body: { name: 'Hall' } },
      { method: 'PATCH', path: '/site/$new.north/room/$new.hall', body: { name: 'HALL' } },
      { method: 'PATCH', path: '/site', body: [{ id: { $new: 'north' }, name: 'North' }] },
    ])
    expect(status, JSON.stringify(body)).toBe(200)
    const [north, hall, , card, , last] = body.answers.map((answer: JsonBody) => answer.body)
    expect(card).toMatchObject({ siteId: north.id, opensId: 'A,1' })
    expect(body.answers[1].location).toBe(`/api/site/${north.id}/room/${hall.id}`)
    expect(last.name).toBe('HALL')
  })

  test('moves a record to an owner that it creates, and back in the next request', async () => {
    const { body } = await send([
      site('north'),
      { method: 'POST', path: '/site/$new.north/card', body: { name: 'red' } },
    ])
    const [north, card] = body.answers.map((answer: JsonBody) => answer.body)
    const moved = await send([
      site('south'),
      { method: 'PATCH', path: `/card/${card.id}`, body: { siteId: { $new: 'south' } } },
      { method: 'GET', path: `/site/$new.south/card/${card.id}` },
      { method: 'PATCH', path: `/card/${card.id}`, body: { siteId: north.id } },
      { method: 'DELETE', path: '/site/$new.south' },
      { method: 'GET', path: `/site/${north.id}/card/${card.id}` },
    ])
    expect(moved.body.answers.map(({ status }: JsonBody) => status)).toEqual([201, 200, 200, 200, 204, 200])
    const before = await tables()
    const lost = await send([
      site('south'),
      { method: 'PATCH', path: `/card/${card.id}`, body: { siteId: { $new: 'south' } } },
      { method: 'GET', path: `/site/${north.id}/card/${card.id}` },
    ])
    expect([lost.status, lost.body.request]).toEqual([404, 2])
    expect(await tables()).toEqual(before)
  })

  test('is one of its tenant, whose records alone it reaches', async () => {
    const { body } = await send([
      site('north'),
      { method: 'POST', path: '/site/$new.north/card', body: { name: 'red' } },
    ])
    const [north, card] = body.answers.map((answer: JsonBody) => answer.body)
    const before = await tables()
    const about: readonly JsonBody[] = [
      { method: 'PATCH', path: `/card/${card.id}`, body: { name: 'blue' } },
      { method: 'DELETE', path: `/site/${north.id}` },
      { method: 'POST', path: `/site/${north.id}/room`, body: { number: 1, name: 'x' } },
    ]
    for (const one of about) {
      const { status, body: answer } = await send([site('own'), one], { 'x-firm': 'two' })
      expect([status, answer.request]).toEqual([404, 1])
      expect(await tables()).toEqual(before)
    }
    const named = { method: 'POST', path: '/card', body: { name: 'x', siteId: north.id } }
    const refused = await send([site('own'), named], { 'x-firm': 'two' })
    expect([refused.status < 500, refused.status >= 400, refused.body.request]).toEqual([true, true, 1])
    expect(await tables()).toEqual(before)
  })

  test('is refused as a whole where a policy refuses a move to what another caller has', async () => {
    const { body } = await send([site('zoes', 'zoe')], { 'x-name': 'zoe' })
    const [{ body: zoes }] = body.answers
    const before = await tables()
    const moves = [
      site('north'),
      { method: 'POST', path: '/site/$new.north/card', body: { name: 'red' }, as: 'red' },
      { method: 'PATCH', path: '/card/$new.red', body: { siteId: zoes.id } },
    ]
    const { status, body: answer } = await send(moves)
    expect([status >= 400 && status < 500, answer.request]).toEqual([true, 2])
    expect(await tables()).toEqual(before)
  })
})
