import { Type } from '@sinclair/typebox'
import { defineResources } from 'fastify-crud'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { databases, type TestDatabase } from '../support/databases.ts'
import { describeOnDatabases } from '../support/describe-on-databases.ts'
import { resultOf } from '../support/result-of.ts'
import { type Request, useServers } from '../support/servers.ts'
import { owned, trees } from './models.ts'

const postgres = databases.find(({ name }) => name === 'postgres') as TestDatabase

const things = defineResources({ thing: { fields: { name: Type.String() } } })

describeOnDatabases('an id that a client chooses', (database) => {
  const servers = useServers(database, things)
  const treeServers = useServers(database, trees)
  const ownedServers = useServers(database, owned)

  test.each([2, 60])(
    'beside plain POSTs that come to the same ids: these are all 201, and no id is given twice (every %d)',
    async (step) => {
      for (let round = 0; round < 5; round++) {
        const { id } = await servers.one.add('/api/thing', { name: 'first' })
        const requests = Array.from({ length: 10 }, (_, n): Request[] => [
          ['POST', '/api/thing', { name: 'plain' }],
          ['POST', `/api/thing/${id + 1 + n * step}`, { name: 'chosen' }],
          ['POST', '/api/thing', { name: 'plain' }],
        ]).flat()
        const answers = await servers.atOnce(...requests)
        const ids = new Set<number>()
        for (const [index, { status, body }] of answers.entries()) {
          if (requests[index]?.[1] === '/api/thing') expect(status).toBe(201)
          if (status !== 201) continue
          expect(ids.has(body.id)).toBe(false)
          ids.add(body.id)
        }
        // A chosen id is refused only where another one of these has got it.
        for (const [index, answer] of answers.entries()) {
          if (answer.status === 201) continue
          expect(resultOf(answer)).toBe('409 CRUD_ERR_EXISTS')
          expect([...ids].map((id) => `/api/thing/${id}`)).toContain(requests[index]?.[1])
        }
      }
    },
  )

  test('by many at the same time: one is 201, the others are 409', async () => {
    const answers = await servers.atOnce(
      ...Array.from({ length: 10 }, (): Request => ['POST', '/api/thing/700000', { name: 'chosen' }]),
    )
    expect(answers.map(resultOf).sort()).toEqual(['201', ...Array(9).fill('409 CRUD_ERR_EXISTS')])
  })

  test('is not given again when its record is gone, wherever it is', async () => {
    for (const step of [1, 50, 200_000]) {
      const { id } = await servers.one.add('/api/thing', { name: 'first' })
      await servers.one.add(`/api/thing/${id + step}`, { name: 'chosen' })
      expect((await servers.one.delete(`/api/thing/${id + step}`)).status).toBe(204)
      expect((await servers.one.add('/api/thing', { name: 'next' })).id).toBeGreaterThan(id + step)
    }
  })

  test('below what was given already is free again for who asks for it, and takes no later id back', async () => {
    const { id } = await servers.one.add('/api/thing', { name: 'first' })
    const { id: last } = await servers.one.add('/api/thing', { name: 'last' })
    await servers.one.delete(`/api/thing/${last}`)
    await servers.one.delete(`/api/thing/${id}`)
    expect((await servers.one.add(`/api/thing/${id}`, { name: 'again' })).id).toBe(id)
    expect((await servers.one.add('/api/thing', { name: 'next' })).id).toBeGreaterThan(last)
  })

  test('for the root of a tree: its new nodes get others', async () => {
    let { id } = await treeServers.one.add('/api/node', { name: 'first' })
    for (const step of [1, 2, 3]) {
      const nodes = [{ name: 'a' }, { name: 'b', nodes: [{ name: 'c' }] }]
      const root = await treeServers.one.add(`/api/node/${id + step}`, { name: 'root', nodes })
      expect(root.id).toBe(id + step)
      id = root.nodes[1].nodes[0].id
    }
  })

  test('for a child: 409 if it is another owner’s', async () => {
    const first = await ownedServers.one.add('/api/owner', { name: 'o', items: [{ name: 'i' }] })
    const second = await ownedServers.one.add('/api/owner', { name: 'p' })
    const [{ id }] = first.items
    await ownedServers.one.refuse(
      'POST',
      `/api/owner/${second.id}/item/${id}`,
      { name: 'i' },
      { code: 'CRUD_ERR_EXISTS' },
    )
    const answers = await ownedServers.atOnce(
      ['POST', `/api/owner/${first.id}/item/${id + 5}`, { name: 'a' }],
      ['POST', `/api/owner/${second.id}/item/${id + 5}`, { name: 'b' }],
    )
    expect(answers.map(resultOf).sort()).toEqual(['201', '409 CRUD_ERR_EXISTS'])
  })
})

describe('an id that a client chooses (postgres)', () => {
  const servers = useServers(postgres, things)

  test('far ahead costs no more than one that is near', async () => {
    const { id } = await servers.one.add('/api/thing', { name: 'first' })
    for (const chosen of [id + 99_990, id + 199_980]) {
      await servers.one.add(`/api/thing/${chosen}`, { name: 'chosen' })
      // PostgreSQL logs 32 values of a sequence ahead whenever it gives the next one, and none when the sequence is set.
      const { rows } = await sql<{ log: string }>`select log_cnt::text as log from thing_id_seq`.execute(servers.one.db)
      expect(rows).toEqual([{ log: '0' }])
    }
  })
})
