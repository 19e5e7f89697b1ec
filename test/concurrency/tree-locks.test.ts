import { expect, test } from 'vitest'
import { describeServersOnDatabases } from '../support/describe-on-databases.ts'
import { type Request, useServers } from '../support/servers.ts'
import { trees } from './models.ts'

describeServersOnDatabases('writers at different depths of one tree', (database) => {
  const servers = useServers(database, trees)

  /** A chain of nodes; resolves to their ids, the root first. */
  async function addChain(depth: number): Promise<number[]> {
    let body: object = { name: `${depth - 1}` }
    for (let level = depth - 2; level >= 0; level--) body = { name: `${level}`, nodes: [body] }
    const ids: number[] = []
    for (let node = await servers.one.add('/api/node', body); node !== undefined; [node] = node.nodes) ids.push(node.id)
    return ids
  }

  test('come one after the other: each POST is there, below the node that it named', async () => {
    const ids = await addChain(8)
    const answers = await servers.atOnce(
      ...ids.map((id): Request => ['POST', `/api/node/${id}/node`, { name: 'new', nodes: [{ name: 'newer' }] }]),
    )
    expect(answers.map(({ status }) => status)).toEqual(ids.map(() => 201))
    const count = (node: { name: string; nodes: never[] }): number =>
      (node.name === 'new' ? 1 : 0) + node.nodes.map(count).reduce((sum, one) => sum + one, 0)
    expect(count(await servers.one.read(`/api/node/${ids[0]}`))).toBe(8)
  })

  test('when a subtree goes in the middle: what was below it is gone with it, the rest stays', async () => {
    for (let round = 0; round < 4; round++) {
      const ids = await addChain(8)
      const [root, , , middle] = ids
      const below = ids.slice(3).map((id): Request => ['PATCH', `/api/node/${id}`, { nodes: [{ name: 'new' }] }])
      const above = ids.slice(0, 3).map((id): Request => ['PATCH', `/api/node/${id}`, { nodes: [{ name: 'new' }] }])
      const answers = await servers.atOnce(
        ...below.slice(0, 2),
        ['DELETE', `/api/node/${middle}`],
        ...below.slice(2),
        ...above,
      )
      expect(answers[2]?.status).toBe(204)
      // The PATCHes below the middle may come after it is gone; those above it cannot be refused by that.
      expect(answers.slice(-3).map(({ status }) => status)).toEqual([200, 200, 200])
      for (const { status, body } of answers.toSpliced(2, 1)) {
        if (status !== 200) expect([status, body.code]).toEqual([404, 'CRUD_ERR_NOT_FOUND'])
      }
      const tree = JSON.stringify(await servers.one.read(`/api/node/${root}`))
      for (const id of ids.slice(3)) expect(tree).not.toContain(`"id":${id},`)
      expect((await servers.one.get(`/api/node/${ids[7]}`)).status).toBe(404)
    }
  })

  test('when the root is put without children: what others add below a child goes with it or is 404', async () => {
    for (let round = 0; round < 4; round++) {
      const ids = await addChain(4)
      const [put, ...others] = await servers.atOnce(
        ['PUT', `/api/node/${ids[0]}`, { name: 'root' }],
        ...ids.slice(1).map((id): Request => ['POST', `/api/node/${id}/node`, { name: 'new' }]),
      )
      expect(put?.status).toBe(200)
      for (const { status, body } of others) {
        if (status !== 201) expect([status, body.code]).toEqual([404, 'CRUD_ERR_NOT_FOUND'])
      }
      expect((await servers.one.read(`/api/node/${ids[0]}`)).nodes).toEqual([])
      expect((await servers.one.read('/api/node')).count).toBe(round + 1)
      for (const { status, body } of others) {
        if (status === 201) expect((await servers.one.get(`/api/node/${body.id}`)).status).toBe(404)
      }
    }
  })
})
