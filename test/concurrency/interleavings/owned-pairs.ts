import type { TestApp } from '../../support/app.ts'
import type { Request } from '../../support/servers.ts'
import { owned, trees } from '../models.ts'
import type { Pair } from './pair.ts'

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

export const ownedPairs: readonly Pair[] = [
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

export const treePairs: readonly Pair[] = [
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
