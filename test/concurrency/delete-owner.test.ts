import { expect, test } from 'vitest'
import type { TestApp } from '../support/app.ts'
import { describeServersOnDatabases } from '../support/describe-on-databases.ts'
import { doneStatus } from '../support/done-status.ts'
import { resultOf } from '../support/result-of.ts'
import { type Request, useServers } from '../support/servers.ts'
import { owned, trees } from './models.ts'

const ROUNDS = 6

interface Case {
  readonly title: string
  /** Makes an owner; returns the request that deletes it and those that others send at the same time. */
  prepare(service: TestApp): Promise<{ readonly owner: string; readonly others: readonly Request[] }>
  /** The tables that are empty once the owner is gone. */
  readonly tables: readonly string[]
}

const tables = ['owner', 'item', 'part', 'dot', 'tip', 'card', 'address']
const children = [{ name: 'i', rank: 1, parts: [{ name: 'p' }], tip: { name: 't' } }]

const cases: readonly Case[] = [
  {
    title: 'PUT and PATCH of the owner',
    tables,
    async prepare(service) {
      const { id } = await service.add('/api/owner', { name: 'o', items: children })
      const owner = `/api/owner/${id}`
      return {
        owner,
        others: [
          ['PUT', owner, { name: 'p', items: [{ name: 'new', parts: [{ name: 'p' }] }], card: { name: 'c' } }],
          ['PATCH', owner, { items: [{ name: 'another', rank: 3 }], homes: [{ name: 'h' }] }],
        ],
      }
    },
  },
  {
    title: 'POST of a child, of a grandchild, of the one child, and of one through another relation',
    tables,
    async prepare(service) {
      const { id, items } = await service.add('/api/owner', { name: 'o', items: children })
      const owner = `/api/owner/${id}`
      return {
        owner,
        others: [
          ['POST', `${owner}/item`, { name: 'new', parts: [{ name: 'p', dots: [{ name: 'd' }] }] }],
          ['POST', `${owner}/item/${items[0].id}/part`, { name: 'new', dots: [{ name: 'd' }] }],
          ['POST', `${owner}/item/${items[0].id}/part/${items[0].parts[0].id}/dot`, { name: 'new' }],
          ['POST', `${owner}/card`, { name: 'new' }],
          ['POST', `${owner}/works`, { name: 'new' }],
        ],
      }
    },
  },
  {
    title: 'PUT, PATCH and DELETE of a child and of a grandchild through the nested routes',
    tables,
    async prepare(service) {
      const { id, items } = await service.add('/api/owner', { name: 'o', items: children })
      const owner = `/api/owner/${id}`
      const item = `${owner}/item/${items[0].id}`
      return {
        owner,
        others: [
          ['PATCH', item, { name: 'patched' }],
          ['PUT', item, { name: 'put', tip: { name: 'new' } }],
          ['PATCH', `${item}/part/${items[0].parts[0].id}`, { dots: [{ name: 'd' }] }],
          ['DELETE', `${item}/tip/${items[0].tip.id}`],
        ],
      }
    },
  },
]

const treeCases: readonly Case[] = [
  {
    title: 'writes to nodes of the tree, by their own routes and below others',
    tables: ['node'],
    async prepare(service) {
      const { id, nodes } = await service.add('/api/node', {
        name: 'root',
        nodes: [{ name: 'a', nodes: [{ name: 'b', nodes: [{ name: 'c' }] }] }],
      })
      const [a] = nodes
      const [b] = a.nodes
      return {
        owner: `/api/node/${id}`,
        others: [
          ['POST', `/api/node/${b.id}/node`, { name: 'new', nodes: [{ name: 'newer' }] }],
          ['PUT', `/api/node/${a.id}`, { name: 'put', nodes: [{ name: 'new' }, { name: 'new' }] }],
          ['PATCH', `/api/node/${a.id}/node/${b.id}`, { nodes: [{ name: 'new' }] }],
          ['DELETE', `/api/node/${b.id}`],
        ],
      }
    },
  },
]

describeServersOnDatabases('DELETE of an owner at the same time as', (database) => {
  const servers = useServers(database, owned)
  const treeServers = useServers(database, trees)

  const check = ({ title, tables, prepare }: Case, of: typeof servers) =>
    test(`${title}: each is before it, or finds nothing; no orphan, no 500`, async () => {
      for (let round = 0; round < ROUNDS; round++) {
        const { owner, others } = await prepare(of.one)
        // In each round the DELETE comes at another place of the queue.
        const at = round % (others.length + 1)
        const requests = others.toSpliced(at, 0, ['DELETE', owner])
        const answers = await of.atOnce(...requests)
        for (const [index, [method, path]] of requests.entries()) {
          const results = index === at ? ['204'] : [`${doneStatus[method]}`, '404 CRUD_ERR_NOT_FOUND']
          expect(results, `${method} ${path}`).toContain(resultOf(answers[index]))
        }
        const left = await of.one.snapshot(tables)
        expect(Object.values(left).flat()).toEqual([])
      }
    })

  for (const one of cases) check(one, servers)
  for (const one of treeCases) check(one, treeServers)

  test('another DELETE: one is 204, the others are 404', async () => {
    const { id } = await servers.one.add('/api/owner', { name: 'o', items: children })
    const answers = await servers.atOnce(...Array.from({ length: 6 }, () => ['DELETE', `/api/owner/${id}`] as const))
    expect(answers.map(resultOf).sort()).toEqual(['204', ...Array(5).fill('404 CRUD_ERR_NOT_FOUND')])
  })
})
