import { type ClientRequest, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { defineResources, neededBy, needs } from '@fastify-crud/core'
import { Type } from '@sinclair/typebox'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { buildApp, type TestApp } from '../support/app.ts'
import { databases, type TestDatabase } from '../support/databases.ts'
import { errorLog } from '../support/error-log.ts'
import { type OtherWriter, otherWriter } from '../support/other-writer.ts'
import { sameDatabase } from '../support/same-database.ts'

const postgres = databases.find(({ name }) => name === 'postgres') as TestDatabase

const resources = defineResources({
  shelf: { fields: { name: Type.String() }, relations: { books: neededBy.many('book') }, defaultInclude: [] },
  book: { fields: { title: Type.String() }, relations: { shelf: needs.one('shelf') } },
})

const MAX = 5
/** The connections that lists may have. */
const TURNS = 3

/** Who asks is told to the database: then a read is a transaction. */
const withSettings = {
  caller: () => ({ id: '7' }),
  session: ({ id }: { readonly id?: unknown }) => ({ 'app.user': String(id) }),
}

describe.each([
  ['', {}],
  [', each in a transaction', withSettings],
])('slow reads on PostgreSQL%s', (_, plugin) => {
  let admin: TestApp
  let service: TestApp
  let writer: OtherWriter
  const { fastify, lines } = errorLog('info')

  beforeAll(async () => {
    admin = await buildApp(postgres, resources)
    service = await buildApp(sameDatabase(admin.database, { max: MAX, kept: true }), resources, {
      tables: async () => {},
      fastify,
      plugin: plugin as object,
    })
    await service.fastify.listen({ port: 0, host: '127.0.0.1' })
  })
  beforeEach(async () => {
    await admin.database.empty()
    await sql`insert into shelf (id, name) values (1, 'a')`.execute(admin.db)
    await sql`insert into book (id, title, "shelfId") values (1, 'a', 1)`.execute(admin.db)
    // Nobody reads a book before the lock is gone.
    writer = await otherWriter(admin.database)
    await writer.run('lock table book in access exclusive mode')
  })
  afterAll(async () => {
    await service.close()
    await admin.close()
  })

  /** A request that counts its answer. */
  interface Sent {
    readonly client: ClientRequest
    readonly status: Promise<number | undefined>
  }

  function send(path: string): Sent {
    const { port } = service.fastify.server.address() as AddressInfo
    const client = request({ host: '127.0.0.1', port, path, agent: false })
    const status = new Promise<number | undefined>((resolve) => {
      client.on('response', (answer) => {
        answer.resume()
        resolve(answer.statusCode)
      })
      client.on('error', () => resolve(undefined))
    })
    client.end()
    return { client, status }
  }

  const sendSix = (path: string): Sent[] => Array.from({ length: 6 }, () => send(path))

  /** The processes of the server in which a statement waits for the lock. */
  async function waiting(): Promise<number[]> {
    const { rows } = await sql<{ pid: number }>`select pid from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock' order by pid`.execute(admin.db)
    return rows.map(({ pid }) => pid)
  }

  async function untilNobodyWaits(): Promise<void> {
    for (let tries = 0; tries < 500 && (await waiting()).length > 0; tries++) await wait(5)
    expect(await waiting()).toEqual([])
  }

  test('leave connections to reads by ids and to writes', async () => {
    let answered = 0
    const lists = sendSix('/api/book')
    for (const { status } of lists) void status.then(() => (answered += 1))
    await writer.untilAwaited(TURNS)
    for (let n = 0; n < 3; n++) {
      const quick = await Promise.all([
        service.get('/api/shelf/1'),
        service.patch('/api/shelf/1', { name: `${n}` }),
        service.get('/api/shelf/1?fields=name'),
      ])
      expect(quick.map(({ status }) => status)).toEqual([200, 200, 200])
    }
    expect(answered).toBe(0)
    expect(await waiting()).toHaveLength(TURNS)
    await writer.end('rollback')
    expect(await Promise.all(lists.map(({ status }) => status))).toEqual(Array(6).fill(200))
  })

  test('and writes that wait leave a connection to reads by ids, which come first', async () => {
    let answered = 0
    const writes = Array.from({ length: 8 }, (_, n) => service.post('/api/book', { title: `${n}`, shelfId: 1 }))
    for (const write of writes) void write.then(() => (answered += 1))
    await writer.untilAwaited(MAX - 1)
    const lists = sendSix('/api/book')
    for (let n = 0; n < 3; n++) expect((await service.get('/api/shelf/1')).status).toBe(200)
    expect(answered).toBe(0)
    expect(await waiting()).toHaveLength(MAX - 1)
    await writer.end('rollback')
    expect((await Promise.all(writes)).map(({ status }) => status)).toEqual(Array(8).fill(201))
    expect(await Promise.all(lists.map(({ status }) => status))).toEqual(Array(6).fill(200))
  })

  test('are also those of a record whose nested arrays are sorted or searched', async () => {
    const filter = JSON.stringify({ or: [{ title: { icontains: 'a' } }, { title: { icontains: 'b' } }] })
    const records = sendSix(`/api/shelf/1?include=books&nested[books][filter]=${encodeURIComponent(filter)}`)
    await writer.untilAwaited(TURNS)
    expect((await service.get('/api/shelf/1?fields=name')).status).toBe(200)
    expect(await waiting()).toHaveLength(TURNS)
    await writer.end('rollback')
    expect(await Promise.all(records.map(({ status }) => status))).toEqual(Array(6).fill(200))
  })

  test('end with their clients, and their connections are free for others', async () => {
    const logged = lines.length
    const lists = sendSix('/api/book')
    await writer.untilAwaited(TURNS)
    const cancelled = await waiting()
    for (const { client } of lists) client.destroy()
    await untilNobodyWaits()
    // Theirs are closed: a request to cancel that comes late hits nobody else.
    const next = sendSix('/api/book')
    await writer.untilAwaited(TURNS)
    expect((await waiting()).filter((pid) => cancelled.includes(pid))).toEqual([])
    await writer.end('rollback')
    expect(await Promise.all(next.map(({ status }) => status))).toEqual(Array(6).fill(200))
    expect(lines.slice(logged).filter((line) => JSON.parse(line).level > 30)).toEqual([])
  })

  test('do not begin where the client goes away before it is their turn', async () => {
    const first = sendSix('/api/book').slice(0, TURNS)
    await writer.untilAwaited(TURNS)
    const statements = await service.statements(async () => {
      const later = sendSix('/api/book?sort=title')
      await wait(20)
      for (const { client } of later) client.destroy()
      const last = send('/api/book')
      await wait(20)
      await writer.end('rollback')
      expect(await last.status).toBe(200)
    })
    expect(await Promise.all(first.map(({ status }) => status))).toEqual(Array(TURNS).fill(200))
    expect(statements.filter((statement) => /order by "t0"."title"/.test(statement))).toEqual([])
  })

  test('of one record end with their clients, too', async () => {
    const reads = Array.from({ length: MAX }, () => send('/api/shelf/1?include=books'))
    await writer.untilAwaited(MAX)
    for (const { client } of reads) client.destroy()
    await untilNobodyWaits()
    expect((await service.get('/api/shelf/1')).status).toBe(200)
    await writer.end('rollback')
  })

  test('may be of 100,000 texts: a read by id is answered before they are', async () => {
    await writer.end('rollback')
    await sql`insert into book (id, title, "shelfId")
      select n, repeat(md5(n::text), 20), 1 from generate_series(2, 100000) as n`.execute(admin.db)
    const or = Array.from({ length: 20 }, (_, n) => ({ title: { icontains: `Word ${n}` } }))
    const path = `/api/book?${new URLSearchParams({ filter: JSON.stringify({ or }) })}`
    let answered = 0
    const lists = sendSix(path)
    for (const { status } of lists) void status.then(() => (answered += 1))
    const running = sql<{ count: number }>`select count(*)::int as count from pg_stat_activity
      where datname = current_database() and state = 'active' and query ~ 'crud_lower' and pid <> pg_backend_pid()`
    const count = async () => (await running.execute(admin.db)).rows[0]?.count ?? 0
    for (let tries = 0; tries < 500 && (await count()) < TURNS; tries++) await wait(1)
    expect((await service.get('/api/shelf/1')).status).toBe(200)
    expect(answered).toBe(0)
    for (const { client } of lists) client.destroy()
    for (let tries = 0; tries < 2000 && (await count()) > 0; tries++) await wait(5)
    expect(await count()).toBe(0)
    expect((await service.get('/api/book')).status).toBe(200)
  })
})
