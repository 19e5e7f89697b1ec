import { Type } from '@sinclair/typebox'
import { createStore, defineResources, knows, ownedBy, owns } from 'fastify-crud'
import { beforeEach, expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../test/support/json-body.ts'
import { ada, asCaller, caller } from './support/as-caller.ts'

const notFound = { code: 'CRUD_ERR_NOT_FOUND' } as const
const forbidden = { code: 'CRUD_ERR_FORBIDDEN' } as const

const addresses = defineResources({
  person: {
    fields: { name: Type.String(), userId: Type.Integer() },
    relations: {
      homes: owns.many('address', { inverse: 'homeOf' }),
      works: owns.many('address', { inverse: 'workOf' }),
    },
  },
  firm: { fields: { name: Type.String(), orgId: Type.Integer() }, relations: { seats: owns.many('address') } },
  address: {
    fields: { street: Type.String() },
    relations: { homeOf: ownedBy('person'), workOf: ownedBy('person'), firm: ownedBy('firm') },
  },
  letter: { fields: { text: Type.String() }, relations: { to: knows.one('address') } },
})

describeOnBoth('a record that several resources may own', (database) => {
  const service = useApp(database, addresses, {
    plugin: {
      caller,
      policies: {
        person: { View: true, Add: true, Edit: ({ eb, my }) => eb('userId', '=', my('id')), Delete: true },
        firm: ({ eb, my }) => eb('orgId', '=', my('org')),
        letter: true,
      },
    },
  })
  const client = asCaller(service, ada)
  let me: JsonBody
  let other: JsonBody
  let hidden: JsonBody
  let ours: JsonBody

  beforeEach(async () => {
    const all = createStore({ db: service.db, resources: addresses })
    me = await all.person.create({ name: 'me', userId: 1, homes: [{ street: 'a' }], works: [{ street: 'b' }] })
    other = await all.person.create({ name: 'other', userId: 2, homes: [{ street: 'c' }] })
    hidden = await all.firm.create({ name: 'zebra', orgId: 2, seats: [{ street: 'zebra' }] })
    ours = await all.firm.create({ name: 'ours', orgId: 1, seats: [{ street: 'd' }] })
  })

  test('is in View if the one that owns it is', async () => {
    const to = async (id: number) => (await client.post('/api/letter', { text: 'l', toId: id })).body.to
    expect(await to(me.homes[0].id)).toEqual({ id: me.homes[0].id, street: 'a' })
    expect(await to(me.works[0].id)).toEqual({ id: me.works[0].id, street: 'b' })
    expect(await to(other.homes[0].id)).toEqual({ id: other.homes[0].id, street: 'c' })
    expect(await to(ours.seats[0].id)).toEqual({ id: ours.seats[0].id, street: 'd' })
    await client.refuseLikeMissing(hidden.seats[0].id, (id) => ['POST', '/api/letter', { text: 'l', toId: id }], {
      code: 'CRUD_ERR_UNKNOWN_REFERENCE',
      pointers: ['/toId'],
    })
    await client.refuse('GET', `/api/firm/${hidden.id}/address`, undefined, notFound)
  })

  test('may be changed if the one that owns it may be', async () => {
    expect((await client.patch(`/api/person/${me.id}/homes/${me.homes[0].id}`, { street: 'x' })).status).toBe(200)
    expect((await client.post(`/api/firm/${ours.id}/address`, { street: 'x' })).status).toBe(201)
    await client.refuse('PATCH', `/api/person/${other.id}/homes/${other.homes[0].id}`, { street: 'x' }, forbidden)
    await client.refuse('POST', `/api/person/${other.id}/works`, { street: 'x' }, forbidden)
    await client.refuse('DELETE', `/api/person/${other.id}/homes/${other.homes[0].id}`, undefined, forbidden)
  })
})
