import { Type } from '@sinclair/typebox'
import { defineResources, type Model, needs, ownedBy, owns } from 'fastify-crud'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Answer, buildApp, type TestApp, useApp } from '../support/app.ts'
import { databases, type TestDatabase } from '../support/databases.ts'
import { describeOnBoth, describeServersOnDatabases } from '../support/describe-on-databases.ts'
import { otherWriter } from '../support/other-writer.ts'
import { type PostgresProxy, postgresProxy } from '../support/postgres-proxy.ts'
import { expectProblem } from '../support/problem.ts'
import { sameDatabase } from '../support/same-database.ts'
import { useServers } from '../support/servers.ts'
import { withAssignedIds } from '../support/test-ids.ts'

const shop = withAssignedIds(
  defineResources({
    product: {
      fields: { name: Type.String(), price: Type.Optional(Type.Integer()), code: Type.Optional(Type.String()) },
      relations: { parts: owns.many('part') },
      unique: [['code']],
    },
    part: { fields: { name: Type.String() }, relations: { product: ownedBy('product') } },
    order: { fields: { amount: Type.Integer() }, relations: { product: needs.one('product') } },
  }) as Model,
)

const postgres = databases.find(({ name }) => name === 'postgres') as TestDatabase

function keyed(service: TestApp, method: string, path: string, body: unknown, key = 'k'): Promise<Answer> {
  return service.request(method, path, body, { 'idempotency-key': key })
}

describeServersOnDatabases('the same key at several servers at once', (database) => {
  const servers = useServers(database, shop)
  const atOnce = (times: number, send: (service: TestApp, n: number) => Promise<Answer>) =>
    Promise.all(Array.from({ length: times }, (_, n) => send(n % 2 === 0 ? servers.one : servers.other, n)))

  test('one POST is done, and all get its answer', async () => {
    for (let round = 0; round < 8; round++) {
      const body = { name: `${round}`, code: `${round}`, parts: [{ name: 'p' }] }
      const answers = await atOnce(8, (service) => keyed(service, 'POST', '/api/product', body, `${round}`))
      for (const { status, body, headers } of answers) {
        expect(status, JSON.stringify(body)).toBe(201)
        expect([body, headers.location]).toEqual([answers[0]?.body, answers[0]?.headers.location])
      }
      expect((await servers.one.read('/api/product')).count).toBe(round + 1)
    }
  })

  test('one PATCH is done, and all get the record', async () => {
    const { id } = await servers.one.add('/api/product', { name: 'Ink' })
    const path = `/api/product/${id}`
    for (let round = 0; round < 8; round++) {
      const body = { price: round, parts: [{ name: `${round}` }] }
      const answers = await atOnce(6, (service) => keyed(service, 'PATCH', path, body, `${round}`))
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
      expect((await servers.one.read(path)).parts).toHaveLength(round + 1)
    }
  })

  test('of several bodies one is done, and the others are 422', async () => {
    for (let round = 0; round < 6; round++) {
      const answers = await atOnce(6, (service, n) =>
        keyed(service, 'POST', '/api/product', { name: `${n}` }, `${round}`),
      )
      expect(answers.map(({ status }) => status).sort()).toEqual([201, 422, 422, 422, 422, 422])
    }
    expect((await servers.one.read('/api/product')).count).toBe(6)
  })
})

describeOnBoth('a repeat of a request that is under way', (database) => {
  let begun: PromiseWithResolvers<void>
  let goOn: PromiseWithResolvers<void>
  let isGated = true
  const rules = {
    product: {
      async validate() {
        if (!isGated) return
        begun.resolve()
        await goOn.promise
      },
    },
  }
  const service = useApp(database, shop, { plugin: { rules: rules as never } })
  const post = () => keyed(service, 'POST', '/api/product', { name: 'Ink' })
  beforeEach(() => {
    begun = Promise.withResolvers()
    goOn = Promise.withResolvers()
    isGated = true
  })

  test('waits for it, and gets its answer', async () => {
    const first = post()
    await begun.promise
    const repeat = post()
    goOn.resolve()
    expect(await repeat).toMatchObject({ status: 201, body: (await first).body })
    expect((await service.read('/api/product')).count).toBe(1)
  })

  test('is 503 with Retry-After if that takes more than 5 s', async () => {
    const first = post()
    await begun.promise
    const repeat = await post()
    expectProblem(repeat, { code: 'CRUD_ERR_BUSY' })
    expect(repeat.headers['retry-after']).toBe('1')
    goOn.resolve()
    expect((await first).status).toBe(201)
    isGated = false
    expect((await post()).body).toEqual((await first).body)
  })

  test('is done itself if that is refused', async () => {
    const first = post()
    await begun.promise
    const repeat = post()
    isGated = false
    goOn.reject(new Error('the rule fails'))
    expect((await first).status).toBe(500)
    expect((await repeat).status).toBe(201)
  })
})

describe('a repeat at another server (postgres)', () => {
  const timeouts: unknown[] = []
  const rules = {
    product: {
      async validate({ db }: { db: Parameters<ReturnType<typeof sql>['execute']>[0] }) {
        timeouts.push((await sql<{ lock_timeout: string }>`show lock_timeout`.execute(db)).rows[0]?.lock_timeout)
      },
    },
  }
  const servers = useServers(postgres, shop, { plugin: { rules: rules as never } }, { session: { lock_timeout: '7s' } })

  test('waits for a transaction that has claimed the key for 5 s at most, and then is 503', async () => {
    const first = await keyed(servers.one, 'POST', '/api/product', { name: 'Ink' })
    expect(first.status).toBe(201)
    const { rows } = await sql<{ key: string }>`select key from crud_idempotency`.execute(servers.one.db)
    const writer = await otherWriter(servers.one.database)
    // Another server is about to store the same key.
    await sql`delete from crud_idempotency`.execute(servers.one.db)
    await writer.run(
      `insert into crud_idempotency (tenant, key, body, status, resource, at) values ('', '${rows[0]?.key}', 'b', 201, 'product', 0)`,
    )
    const repeat = await keyed(servers.other, 'POST', '/api/product', { name: 'Ink' })
    expectProblem(repeat, { code: 'CRUD_ERR_BUSY' })
    expect(repeat.headers['retry-after']).toBe('1')
    await writer.end('rollback')
    expect((await keyed(servers.other, 'POST', '/api/product', { name: 'Ink' })).status).toBe(201)
    expect((await servers.one.read('/api/product')).count).toBe(2)
  })

  test('has the lock_timeout of the session for everything else', async () => {
    timeouts.length = 0
    expect((await keyed(servers.other, 'POST', '/api/product', { name: 'Ink' })).status).toBe(201)
    expect(timeouts).toEqual(['7s'])
  })
})

describe.each([{ kept: false }, { kept: true }])(
  'a request whose answer is lost behind COMMIT (postgres, keepStatements: $kept)',
  ({ kept }) => {
    let proxy: PostgresProxy
    let admin: TestApp
    let service: TestApp
    beforeAll(async () => {
      admin = await buildApp(postgres, shop)
      proxy = await postgresProxy(admin.database.location)
      const connections = { kept, port: proxy.port, patience: 1_000, max: 3 }
      service = await buildApp(sameDatabase(admin.database, connections), shop, { tables: async () => {} })
    })
    beforeEach(async () => {
      await proxy.cut()
      return admin.database.empty()
    })
    afterAll(async () => {
      await service.close()
      await proxy.close()
      await admin.close()
    })

    test('is not done again if it is sent again with its key', async () => {
      await service.read('/api/product')
      proxy.lose('COMMIT', 'closed')
      const lost = await keyed(service, 'POST', '/api/product', { name: 'Ink', parts: [{ name: 'p' }] })
      expectProblem(lost, { code: 'CRUD_ERR_OUTCOME_UNKNOWN' })
      const again = await keyed(service, 'POST', '/api/product', { name: 'Ink', parts: [{ name: 'p' }] })
      expect(again).toMatchObject({ status: 201, body: { name: 'Ink', parts: [{ name: 'p' }] } })
      expect(again.headers.location).toBe(`/api/product/${again.body.id}`)
      expect((await admin.read('/api/product')).count).toBe(1)
    })
  },
)
