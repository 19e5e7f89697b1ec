import { expect } from 'vitest'
import type { TestApp } from '../../support/app.ts'
import { bothWays, related } from '../models.ts'
import type { Pair } from './pair.ts'

async function addAround(service: TestApp) {
  const { id: placeId } = await service.add('/api/place', { name: 'place' })
  const { id: seatId } = await service.add('/api/seat', { name: 'seat' })
  const { id: key } = await service.add('/api/key', { name: 'key' })
  const { id, things } = await service.add('/api/box', { name: 'box', things: [{ name: 't' }, { name: 'u' }] })
  const guest = { name: 'guest', placeId, seatId, keys: [{ id: key }], things: [{ id: things[0].id }] }
  return { box: `/api/box/${id}`, t: things[0].id as number, u: things[1].id as number, key, placeId, seatId, guest }
}

export const needPairs: readonly Pair[] = [
  {
    title: 'DELETE of a record and POST of one that needs it',
    model: related,
    async prepare(service) {
      const { placeId, guest } = await addAround(service)
      return [
        ['DELETE', `/api/place/${placeId}`],
        ['POST', '/api/guest', guest],
      ]
    },
  },
  {
    title: 'DELETE of an owner and POST of a record that needs a child of it among others',
    model: related,
    async prepare(service) {
      const { box, guest } = await addAround(service)
      return [
        ['DELETE', box],
        ['POST', '/api/guest', guest],
      ]
    },
  },
  {
    title: 'DELETE of a child and PATCH that adds it to those a record needs',
    model: related,
    async prepare(service) {
      const { box, u, guest } = await addAround(service)
      const { id } = await service.add('/api/guest', guest)
      return [
        ['DELETE', `${box}/thing/${u}`],
        ['PATCH', `/api/guest/${id}`, { things: [{ id: u }] }],
      ]
    },
  },
  {
    title: 'PUT of an owner without a child and PATCH that moves a record to the child',
    model: related,
    async prepare(service) {
      const { box, t, u } = await addAround(service)
      const { id } = await service.add('/api/needer', { name: 'needer', thingId: u })
      return [
        ['PUT', box, { name: 'x', things: [{ id: u, name: 'u' }] }],
        ['PATCH', `/api/needer/${id}`, { thingId: t }],
      ]
    },
  },
  {
    title: 'POST and POST that want the same record that serves one',
    model: related,
    async prepare(service) {
      const { guest } = await addAround(service)
      const { id: seatId } = await service.add('/api/seat', { name: 'seat2' })
      const { id: key } = await service.add('/api/key', { name: 'key2' })
      return [
        ['POST', '/api/guest', { ...guest, name: 'x', seatId }],
        ['POST', '/api/guest', { ...guest, name: 'y', keys: [...guest.keys, { id: key }] }],
      ]
    },
  },
  {
    title: 'DELETE of what needs a record and DELETE of the record',
    model: related,
    async prepare(service) {
      const { key, guest } = await addAround(service)
      const { id } = await service.add('/api/guest', guest)
      return [
        ['DELETE', `/api/guest/${id}`],
        ['DELETE', `/api/key/${key}`],
      ]
    },
  },
]

async function addFriends(service: TestApp) {
  const { id: x } = await service.add('/api/fan', { name: 'x' })
  const { id: y } = await service.add('/api/fan', { name: 'y', friendId: x, friends: [{ id: x }] })
  await service.add('/api/fan', { name: 'z', friendId: x, friends: [{ id: x }, { id: y }] })
  expect((await service.patch(`/api/fan/${x}`, { friendId: y, friends: [{ id: y }] })).status).toBe(200)
  return { x: `/api/fan/${x}`, y: `/api/fan/${y}`, yId: y as number }
}

export const knowPairs: readonly Pair[] = [
  {
    title: 'DELETE and DELETE of two that know each other',
    model: related,
    async prepare(service) {
      const { x, y } = await addFriends(service)
      return [
        ['DELETE', x],
        ['DELETE', y],
      ]
    },
  },
  {
    title: 'PUT of one that knows another and DELETE of the other',
    model: related,
    async prepare(service) {
      const { x, y, yId } = await addFriends(service)
      return [
        ['PUT', x, { name: 'new', friendId: yId, friends: [{ id: yId }] }],
        ['DELETE', y],
      ]
    },
  },
  {
    title: 'DELETE of a record and PUT that newly knows it',
    model: related,
    async prepare(service) {
      const { placeId } = await addAround(service)
      const { id } = await service.add('/api/fan', { name: 'fan' })
      return [
        ['DELETE', `/api/place/${placeId}`],
        ['PUT', `/api/fan/${id}`, { name: 'fan', placeId }],
      ]
    },
  },
  {
    title: 'DELETE of an owner and PATCH that adds a child of it to those a record knows',
    model: related,
    async prepare(service) {
      const { box, t, u } = await addAround(service)
      const { id } = await service.add('/api/fan', { name: 'fan', thingId: u, things: [{ id: u }] })
      return [
        ['DELETE', box],
        ['PATCH', `/api/fan/${id}`, { thingId: t, things: [{ id: t }] }],
      ]
    },
  },
  {
    title: 'PATCH and PATCH that add the same link from both sides',
    model: bothWays,
    async prepare(service) {
      const { id: a } = await service.add('/api/a', { name: 'a' })
      const { id: b } = await service.add('/api/b', { name: 'b' })
      return [
        ['PATCH', `/api/a/${a}`, { bs: [{ id: b }] }],
        ['PATCH', `/api/b/${b}`, { as: [{ id: a }] }],
      ]
    },
  },
  {
    title: 'PUT that drops a link from one side and PATCH that adds it from the other',
    model: bothWays,
    async prepare(service) {
      const { id: b } = await service.add('/api/b', { name: 'b' })
      const { id: a } = await service.add('/api/a', { name: 'a', bs: [{ id: b }] })
      return [
        ['PUT', `/api/a/${a}`, { name: 'x' }],
        ['PATCH', `/api/b/${b}`, { as: [{ id: a }] }],
      ]
    },
  },
]
