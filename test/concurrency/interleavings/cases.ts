import type { Model } from '@fastify-crud/core'
import type { TestApp } from '../../support/app.ts'
import type { Request } from '../../support/servers.ts'
import { bothWays, owned, related, trees } from '../models.ts'

/** Two requests that have to do with the same records. */
export interface Pair {
  readonly title: string
  readonly model: Model
  /** Makes what is there before, and the two requests. */
  prepare(service: TestApp): Promise<readonly [Request, Request]>
}

const children = [
  { name: 'i1', rank: 1, parts: [{ name: 'p1' }] },
  { name: 'i2', rank: 2, parts: [{ name: 'p2' }] },
]

async function addOwner(service: TestApp) {
  const owner = await service.add('/api/owner', { name: 'o', items: children })
  return { owner: `/api/owner/${owner.id}`, items: owner.items }
}

async function addTree(service: TestApp) {
  const tree = { name: 'a', nodes: [{ name: 'b', nodes: [{ name: 'c', nodes: [{ name: 'd' }] }] }] }
  const ids: number[] = []
  for (let node = await service.add('/api/node', tree); node !== undefined; [node] = node.nodes) ids.push(node.id)
  return ids.map((id) => `/api/node/${id}`) as [string, string, string, string]
}

async function addAround(service: TestApp) {
  const { id: placeId } = await service.add('/api/place', { name: 'place' })
  const { id: seatId } = await service.add('/api/seat', { name: 'seat' })
  const { id: key } = await service.add('/api/key', { name: 'key' })
  const { id, things } = await service.add('/api/box', { name: 'box', things: [{ name: 't' }, { name: 'u' }] })
  const guest = { name: 'guest', placeId, seatId, keys: [{ id: key }], things: [{ id: things[0].id }] }
  return { box: `/api/box/${id}`, t: things[0].id as number, u: things[1].id as number, key, placeId, seatId, guest }
}

const ownedPairs: readonly Pair[] = [
  {
    title: 'PUT and PUT of an owner',
    model: owned,
    async prepare(service) {
      const { owner } = await addOwner(service)
      const put = (name: string): Request => ['PUT', owner, { name, items: [{ name, rank: 1 }, { name: `${name}2` }] }]
      return [put('x'), put('y')]
    },
  },
  {
    title: 'PUT and DELETE of an owner',
    model: owned,
    async prepare(service) {
      const { owner } = await addOwner(service)
      return [
        ['PUT', owner, { name: 'x', items: [{ name: 'new', parts: [{ name: 'newer' }] }], card: { name: 'card' } }],
        ['DELETE', owner],
      ]
    },
  },
  {
    title: 'POST of a grandchild and PUT of the owner without its parent',
    model: owned,
    async prepare(service) {
      const { owner, items } = await addOwner(service)
      return [
        ['POST', `${owner}/item/${items[0].id}/part`, { name: 'new', dots: [{ name: 'dot' }] }],
        ['PUT', owner, { name: 'x', items: [{ id: items[1].id, name: 'i2', rank: 1 }] }],
      ]
    },
  },
  {
    title: 'PUT that swaps unique values and POST that wants one of them',
    model: owned,
    async prepare(service) {
      const { owner, items } = await addOwner(service)
      const [a, b] = items
      return [
        [
          'PUT',
          owner,
          {
            name: 'x',
            items: [
              { ...a, rank: 2 },
              { ...b, rank: 3 },
            ],
          },
        ],
        ['POST', `${owner}/item`, { name: 'new', rank: 1 }],
      ]
    },
  },
  {
    title: 'POST and PATCH that both bring the one child',
    model: owned,
    async prepare(service) {
      const { owner } = await addOwner(service)
      return [
        ['POST', `${owner}/card`, { name: 'posted' }],
        ['PATCH', owner, { card: { name: 'patched' } }],
      ]
    },
  },
  {
    title: 'PATCH of a child and DELETE of the child',
    model: owned,
    async prepare(service) {
      const { owner, items } = await addOwner(service)
      const item = `${owner}/item/${items[0].id}`
      return [
        ['PATCH', item, { name: 'x', parts: [{ name: 'new' }] }],
        ['DELETE', item],
      ]
    },
  },
]

const treePairs: readonly Pair[] = [
  {
    title: 'POST deep in a tree and DELETE of its root',
    model: trees,
    async prepare(service) {
      const [a, , , d] = await addTree(service)
      return [
        ['POST', `${d}/node`, { name: 'new', nodes: [{ name: 'newer' }] }],
        ['DELETE', a],
      ]
    },
  },
  {
    title: 'PUT of a node in a tree and DELETE of one below it',
    model: trees,
    async prepare(service) {
      const [, b, c] = await addTree(service)
      return [
        ['PUT', b, { name: 'x', nodes: [{ name: 'new' }] }],
        ['DELETE', c],
      ]
    },
  },
]

const needPairs: readonly Pair[] = [
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

const knowPairs: readonly Pair[] = [
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

export const pairs: readonly Pair[] = [...ownedPairs, ...treePairs, ...needPairs, ...knowPairs]
