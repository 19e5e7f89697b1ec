import { expect, test } from 'vitest'
import type { TestApp } from '../support/app.ts'
import { describeServersOnDatabases } from '../support/describe-on-databases.ts'
import type { JsonBody } from '../support/json-body.ts'
import { useServers } from '../support/servers.ts'
import { owned, trees } from './models.ts'

const ROUNDS = 4

interface Case {
  readonly title: string
  /** Makes what is there before; returns the path of the PUTs. */
  prepare(service: TestApp): Promise<string>
  body(writer: string): object
}

const item = (name: string) => ({ name, parts: [{ name: `${name} 1` }, { name: `${name} 2`, dots: [{ name }] }] })

const cases: readonly Case[] = [
  {
    title: 'of an owner with new children and grandchildren',
    prepare: async (service) => `/api/owner/${(await service.add('/api/owner', { name: 'o', items: [item('x')] })).id}`,
    body: (writer) => ({ name: writer, items: [item(`${writer} a`), item(`${writer} b`)] }),
  },
  {
    title: 'of an owner with its first one child',
    prepare: async (service) => `/api/owner/${(await service.add('/api/owner', { name: 'o' })).id}`,
    body: (writer) => ({ name: writer, card: { name: writer } }),
  },
  {
    title: 'of an owner that owns a resource through two relations',
    prepare: async (service) => `/api/owner/${(await service.add('/api/owner', { name: 'o' })).id}`,
    body: (writer) => ({ name: writer, homes: [{ name: writer }], works: [{ name: writer }, { name: writer }] }),
  },
  {
    title: 'of a child through its own route with new grandchildren',
    async prepare(service) {
      const { id, items } = await service.add('/api/owner', { name: 'o', items: [item('x')] })
      return `/api/owner/${id}/item/${items[0].id}`
    },
    body: (writer) => ({ name: writer, tip: { name: writer }, parts: [{ name: writer, dots: [{ name: writer }] }] }),
  },
  {
    title: 'of a grandchild through its own route with new children',
    async prepare(service) {
      const { id, items } = await service.add('/api/owner', { name: 'o', items: [item('x')] })
      return `/api/owner/${id}/item/${items[0].id}/part/${items[0].parts[0].id}`
    },
    body: (writer) => ({ name: writer, dots: [{ name: writer }, { name: writer }] }),
  },
]

const treeCases: readonly Case[] = [
  {
    title: 'of the root of a tree with new nodes',
    prepare: async (service) => `/api/node/${(await service.add('/api/node', { name: 'root' })).id}`,
    body: (writer) => ({ name: writer, nodes: [{ name: writer, nodes: [{ name: writer }] }, { name: writer }] }),
  },
  {
    title: 'of a node in the middle of a tree with new nodes',
    async prepare(service) {
      const { nodes } = await service.add('/api/node', { name: 'root', nodes: [{ name: 'x', nodes: [{ name: 'y' }] }] })
      return `/api/node/${nodes[0].id}`
    },
    body: (writer) => ({ name: writer, nodes: [{ name: writer }, { name: writer, nodes: [{ name: writer }] }] }),
  },
]

describeServersOnDatabases('PUT and PUT at the same time', (database) => {
  const servers = useServers(database, owned)
  const treeServers = useServers(database, trees)

  const check = ({ title, prepare, body }: Case, of: typeof servers) =>
    test(`${title}: the result is that of one after the other`, async () => {
      for (let round = 0; round < ROUNDS; round++) {
        const path = await prepare(of.one)
        const writers = ['a', 'b', 'c', 'd'].map((one) => one + round)
        const answers = await of.atOnce(...writers.map((one) => ['PUT', path, body(one)] as const))
        expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200])
        const bodies: JsonBody[] = answers.map((answer) => answer.body)
        expect(bodies).toContainEqual(await of.one.read(path))
        // Nothing of the writers before the last is left anywhere.
        const names = Object.values(await of.one.snapshot())
          .flat()
          .join()
        const last = (await of.one.read(path)).name
        for (const one of writers) if (one !== last) expect(names).not.toMatch(new RegExp(`"name":"${one}\\b`))
      }
    })

  for (const one of cases) check(one, servers)
  for (const one of treeCases) check(one, treeServers)

  test('of an owner and of its child: the child is what the owner was given, or was put after it', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const owner = await servers.one.add('/api/owner', { name: 'o', items: [item('x')] })
      const path = `/api/owner/${owner.id}`
      const [kept] = owner.items
      const [whole, child] = await servers.atOnce(
        ['PUT', path, { name: 'new', items: [{ id: kept.id, name: 'from the owner', parts: [{ name: 'p' }] }] }],
        ['PUT', `${path}/item/${kept.id}`, { name: 'from the child', parts: [{ name: 'q' }, { name: 'r' }] }],
      )
      expect([whole?.status, child?.status]).toEqual([200, 200])
      const { name, items } = await servers.one.read(path)
      expect(name).toBe('new')
      const [now] = items
      expect([{ ...now, parts: now.parts.map((part: JsonBody) => part.name) }]).toEqual([
        now.name === 'from the owner'
          ? { id: kept.id, name: 'from the owner', rank: null, tip: null, parts: ['p'] }
          : { id: kept.id, name: 'from the child', rank: null, tip: null, parts: ['q', 'r'] },
      ])
    }
  })

  test('of an owner without the child and of the child: the child goes, its PUT is 200 or 404', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const owner = await servers.one.add('/api/owner', { name: 'o', items: [item('x')] })
      const path = `/api/owner/${owner.id}`
      const [whole, child] = await servers.atOnce(
        ['PUT', path, { name: 'new' }],
        ['PUT', `${path}/item/${owner.items[0].id}`, { name: 'x', parts: [{ name: 'p', dots: [{ name: 'd' }] }] }],
      )
      expect(whole?.status).toBe(200)
      if (child?.status !== 200) expect([child?.status, child?.body.code]).toEqual([404, 'CRUD_ERR_NOT_FOUND'])
      expect((await servers.one.read(path)).items).toEqual([])
      expect(await servers.one.snapshot(['item', 'part', 'dot'])).toEqual({ item: [], part: [], dot: [] })
    }
  })

  test('that swap the same unique values: one does it, the other finds it done or does it back', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const owner = await servers.one.add('/api/owner', {
        name: 'o',
        items: [1, 2, 3].map((rank) => ({ name: `i${rank}`, rank })),
      })
      const path = `/api/owner/${owner.id}`
      const ranked = (ranks: readonly number[]) => ({
        name: 'o',
        items: ranks.map((rank, index) => ({ id: owner.items[index].id, name: `i${index}`, rank })),
      })
      const answers = await servers.atOnce(
        ['PUT', path, ranked([2, 3, 1])],
        ['PUT', path, ranked([3, 1, 2])],
        ['PATCH', path, { items: ranked([2, 1, 3]).items }],
      )
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
      expect(answers.map(({ body }) => body)).toContainEqual(await servers.one.read(path))
    }
  })
})
