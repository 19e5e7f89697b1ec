import { type ClientRequest, type IncomingMessage, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { buildApp, type TestApp } from '../support/app.ts'
import { describeOnDatabases } from '../support/describe-on-databases.ts'
import { otherWriter } from '../support/other-writer.ts'
import { sameDatabase } from '../support/same-database.ts'
import { owned } from './models.ts'

describeOnDatabases('a client that disconnects', (database) => {
  let admin: TestApp
  let service: TestApp

  beforeAll(async () => {
    admin = await buildApp(database, owned)
    service = await buildApp(sameDatabase(admin.database, { max: 2 }), owned, { tables: async () => {} })
    await service.fastify.listen({ port: 0, host: '127.0.0.1' })
  })
  beforeEach(() => admin.database.empty())
  afterAll(async () => {
    await service.close()
    await admin.close()
  })

  function start(method: string, path: string): ClientRequest {
    const { port } = service.fastify.server.address() as AddressInfo
    const sent = request({ host: '127.0.0.1', port, method, path, headers: { 'content-type': 'application/json' } })
    sent.on('error', () => {})
    return sent
  }

  /** Resolves when the service has received so many bodies. */
  function bodiesArrived(number: number): Promise<void> {
    const { server } = service.fastify
    let arrived = 0
    return new Promise((resolve) => {
      const listen = (message: IncomingMessage): void => {
        message.once('end', () => {
          if (++arrived < number) return
          server.off('request', listen)
          resolve()
        })
      }
      server.on('request', listen)
    })
  }

  async function until(isSo: () => Promise<boolean>): Promise<void> {
    for (let tries = 0; tries < 200 && !(await isSo()); tries++) await wait(10)
  }

  const children = Array.from({ length: 300 }, (_, n) => ({ name: `${n}` }))

  test('while its write waits: stored whole, and the connections are free for the next', async () => {
    const { id } = await admin.add('/api/owner', { name: 'o' })
    const writer = await otherWriter(admin.database)
    if (database.name === 'postgres') await writer.run(`select 1 from owner where id = ${id} for update`)
    const names = ['a', 'b', 'c', 'd']
    const allArrived = bodiesArrived(names.length)
    const gone = names.map((name) => {
      const sent = start('POST', `/api/owner/${id}/item`)
      sent.end(JSON.stringify({ name, parts: children }))
      return sent
    })
    await allArrived
    for (const sent of gone) sent.destroy()
    await wait(20)
    await writer.end('rollback')
    await until(async () => (await admin.read(`/api/owner/${id}`)).items.length === 4)
    const { items } = await admin.read(`/api/owner/${id}`)
    expect(items).toHaveLength(4)
    for (const item of items) expect(item.parts).toHaveLength(300)
    const answers = await Promise.all(Array.from({ length: 6 }, () => service.patch(`/api/owner/${id}`, { note: 'n' })))
    expect(answers.map(({ status }) => status)).toEqual(Array(6).fill(200))
  })

  test('in the middle of its body: nothing is stored', async () => {
    const before = await admin.snapshot()
    const sent = start('POST', '/api/owner')
    sent.write(JSON.stringify({ name: 'o', items: children }).slice(0, -100))
    await wait(30)
    sent.destroy()
    await wait(50)
    expect(await admin.snapshot()).toEqual(before)
    expect((await service.get('/api/owner')).status).toBe(200)
  })

  test('at any moment of a write: each is whole or not there', async () => {
    const names = Array.from({ length: 20 }, (_, n) => `w${n}`)
    for (const [n, name] of names.entries()) {
      const sent = start('POST', '/api/owner')
      sent.end(JSON.stringify({ name, items: children.slice(0, 100), card: { name } }))
      await wait(n)
      sent.destroy()
    }
    // The last write has its turn after those before it.
    await service.add('/api/owner', { name: 'last' })
    await wait(100)
    const { rows } = await admin.read('/api/owner?limit=100')
    for (const row of rows.filter(({ name }: { name: string }) => name !== 'last')) {
      expect(row).toMatchObject({ card: { name: row.name } })
      expect(row.items).toHaveLength(100)
    }
  })
})
