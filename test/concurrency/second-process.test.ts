import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { Type } from '@sinclair/typebox'
import { defineResources, type Model, needs, ownedBy, owns } from 'fastify-crud'
import { describe, expect, test } from 'vitest'
import type { TestApp } from '../support/app.ts'
import { databases, type TestDatabase } from '../support/databases.ts'
import { resultOf } from '../support/result-of.ts'
import { type Request, useServers } from '../support/servers.ts'
import { owned } from './models.ts'

const sqlite = databases.find(({ name }) => name === 'sqlite') as TestDatabase
const TIMES = 25

async function holdWrites(file: string, holdMs: number, pauseMs: number): Promise<ChildProcess> {
  const script = fileURLToPath(new URL('./hold-writes.ts', import.meta.url))
  const child = fork(script, [file, String(TIMES), String(holdMs), String(pauseMs)], { execArgv: [] })
  await once(child, 'message')
  return child
}

describe.each([
  { title: 'where the driver waits for it', sqliteTimeout: 5_000, holdMs: 40, pauseMs: 2 },
  { title: 'where only the service waits for it', sqliteTimeout: 0, holdMs: 20, pauseMs: 120 },
])('a second process that writes to the SQLite file, $title', ({ sqliteTimeout, holdMs, pauseMs }) => {
  const servers = useServers(sqlite, owned, {}, { sqliteTimeout })

  async function write(service: TestApp, name: string): Promise<Request[]> {
    const { id, items } = await service.add('/api/owner', { name, items: [{ name: 'a' }, { name: 'b' }] })
    return [
      ['PUT', `/api/owner/${id}`, { name, items: [{ id: items[0].id, name: 'kept' }, { name: 'new' }] }],
      ['POST', `/api/owner/${id}/item`, { name: 'posted', parts: [{ name: 'p' }] }],
      ['PATCH', `/api/owner/${id}`, { note: 'patched', card: { name: 'c' } }],
      ['GET', `/api/owner/${id}`],
      ['DELETE', `/api/owner/${id}/item/${items[1].id}`],
    ]
  }

  test('no BUSY reaches the client, and nobody’s write is lost', async () => {
    const { id } = await servers.one.add('/api/owner', { name: 'counted', note: '0' })
    const child = await holdWrites(servers.one.database.location, holdMs, pauseMs)
    const exit = once(child, 'exit')
    for (let n = 0; child.exitCode === null && n < 100; n++) {
      const requests = await write(servers.one, `${n}`)
      const answers = await servers.atOnce(...requests, ['PATCH', `/api/owner/${id}`, { items: [{ name: `${n}` }] }])
      expect(answers.slice(0, 4).map(({ status }) => status)).toEqual([200, 201, 200, 200])
      // The PUT does not list the child: if it comes first, there is nothing left to delete.
      expect(['204', '404 CRUD_ERR_NOT_FOUND']).toContain(resultOf(answers[4]))
      expect(answers[5]?.status).toBe(200)
      expect((await servers.one.read(`/api/owner/${id}`)).items).toHaveLength(n + 1)
    }
    expect((await exit)[0]).toBe(0)
    expect((await servers.one.read(`/api/owner/${id}`)).note).toBe(String(TIMES))
  })
})

/** The owner is a part of the ids of its lines. */
const ordered = defineResources({
  owner: {
    id: 'integer',
    fields: { name: Type.String(), note: Type.Optional(Type.String()) },
    relations: { lines: owns.many('line') },
  },
  line: {
    id: ['owner', 'product'],
    fields: { quantity: Type.Integer() },
    relations: { owner: ownedBy('owner'), product: needs.one('product') },
  },
  product: { id: 'text', fields: { name: Type.String() } },
}) as Model

describe('a second process that writes to the SQLite file, while records are written whose ids have several parts', () => {
  const servers = useServers(sqlite, ordered, {}, { sqliteTimeout: 0 })

  test('no BUSY reaches the client, and nobody’s write is lost', async () => {
    const { one } = servers
    for (const id of ['a', 'b', 'c']) await one.add('/api/product', { id, name: id })
    await one.add('/api/owner', { name: 'counted', note: '0' })
    const child = await holdWrites(one.database.location, 20, 120)
    const exit = once(child, 'exit')
    for (let n = 0; child.exitCode === null && n < 100; n++) {
      const lines = ['a', 'b'].map((productId) => ({ productId, quantity: n }))
      const { id } = await one.add('/api/owner', { name: `${n}`, lines })
      const answers = await servers.atOnce(
        ['PATCH', `/api/owner/${id}/line/a`, { quantity: n + 1 }],
        ['POST', `/api/owner/${id}/line`, { productId: 'c', quantity: 1 }],
        ['DELETE', `/api/owner/${id}/line/b`],
      )
      expect(answers.map(({ status }) => status)).toEqual([200, 201, 204])
      expect((await one.read(`/api/owner/${id}`)).lines).toMatchObject([
        { id: 'a', quantity: n + 1 },
        { id: 'c', quantity: 1 },
      ])
    }
    expect((await exit)[0]).toBe(0)
    expect((await one.read('/api/owner?filter[name]=counted')).rows[0].note).toBe(String(TIMES))
  })
})
