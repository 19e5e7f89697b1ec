import type { AddressInfo } from 'node:net'
import { createClient } from '@fastify-crud/client'
import Fastify, { type FastifyInstance } from 'fastify'
import { createTables, crudPlugin } from 'fastify-crud'
import { openPostgres } from 'fastify-crud/postgres'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type PostgresServer, startPostgres } from '../../../test/support/postgres/start-postgres.ts'
import type { TestKysely } from '../../../test/support/tables.ts'
import { type AnyClient, callEveryMethod, everyAction, everyKind } from './every-kind.ts'

const SETTINGS = { fsync: 'off', wal_level: 'replica', max_wal_senders: '4', wal_keep_size: '64MB', hot_standby: 'on' }

/** Servers that stop end connections. */
const warn = () => {}

describe('A client of a service that reads from a replica', () => {
  const model = everyKind(false)
  const servers: PostgresServer[] = []
  const open: TestKysely[] = []
  let app: FastifyInstance
  let api: AnyClient
  let reads = 0

  beforeAll(async () => {
    const primary = await startPostgres({ name: 'fastify-crud-clients-primary', settings: SETTINGS })
    servers.push(primary)
    const db = openPostgres(primary.url, { warn })
    open.push(db)
    await createTables(db, model)
    const second = await startPostgres({
      name: 'fastify-crud-clients-replica',
      settings: SETTINGS,
      replicaOf: primary.url,
    })
    servers.unshift(second)
    const replica = openPostgres(second.url, { warn, log: () => void reads++ })
    open.push(replica, openPostgres(second.url, { warn, max: 1 }))
    app = Fastify({ forceCloseConnections: true })
    const options = { db, resources: model, actions: everyAction(model), authorize: () => true }
    await app.register(crudPlugin, { ...options, replica: { db: replica, when: () => true, wait: 200 } } as never)
    await app.listen({ port: 0, host: '127.0.0.1' })
    api = createClient({ url: `http://127.0.0.1:${(app.server.address() as AddressInfo).port}/api` } as never)
  }, 120_000)
  afterAll(async () => {
    await app.close()
    await Promise.all(open.map((one) => one.destroy()))
    for (const server of servers) await server.stop()
  })

  test.each(['integers', 'uuids', 'members'] as const)('has every method, with %s as ids', async (kind) => {
    reads = 0
    await callEveryMethod(api, kind)
    expect(reads).toBeGreaterThan(0)
  })

  test('sees what it has written while the replica lags behind', async () => {
    const admin = open.at(-1) as TestKysely
    await sql`select pg_wal_replay_pause()`.execute(admin)
    try {
      const [one, other] = await Promise.all([api.tag.create({ name: 'new' }), api.tag.create({ name: 'other' })])
      expect(await api.tag.find(one.id)).toEqual(one)
      expect((await api.tag.list({ filter: { id: other.id } })).rows).toHaveLength(1)
    } finally {
      await sql`select pg_wal_replay_resume()`.execute(admin)
    }
  })
})
