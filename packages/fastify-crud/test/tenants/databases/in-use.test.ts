import { Readable } from 'node:stream'
import { setTimeout as wait } from 'node:timers/promises'
import Fastify from 'fastify'
import { createTables, crudPlugin } from 'fastify-crud'
import { openPostgres } from 'fastify-crud/postgres'
import { openSqlite } from 'fastify-crud/sqlite'
import { expect, test } from 'vitest'
import { describeOnBoth } from '../../../../../test/support/describe-on-databases.ts'
import type { TestKysely } from '../../../../../test/support/tables.ts'
import { resources, useSeveralDatabases } from './several.ts'

/** Opens for what waits at it. */
function gate(): { readonly isOpen: Promise<void>; open(): void } {
  let open = () => {}
  const isOpen = new Promise<void>((resolve) => {
    open = resolve
  })
  return { isOpen, open: () => open() }
}

describeOnBoth('Of more databases than `limits.maxDatabases`', (kind) => {
  const several = useSeveralDatabases(kind)
  const { request, signUp, start } = several
  const list = async (tenant: string) => {
    expect((await request(tenant, 'GET', '/api/list')).status).toBe(200)
  }
  /** Drops have a turn of their own. */
  const dropped = async () => {
    await wait(20)
    return several.dropped
  }

  test('one that a route of the application uses is kept until that is answered', async () => {
    const held = gate()
    const used = gate()
    await start({
      limits: { maxDatabases: 1 },
      behind: (app) =>
        app.get('/own', async (request) => {
          const store = await (request as never as { crud(): Promise<{ list: { list(): Promise<object> } }> }).crud()
          used.open()
          await held.isOpen
          return store.list.list()
        }),
    })
    await signUp('a', 'b')
    const own = request('a', 'GET', '/own')
    await used.isOpen
    await list('b')
    expect(await dropped()).toEqual(['b'])
    held.open()
    expect((await own).body).toMatchObject({ count: 0 })
    await list('b')
    expect(await dropped()).toEqual(['b', 'a'])
  })

  test('the one that was used longest ago is dropped', async () => {
    await start({ limits: { maxDatabases: 2 } })
    await signUp('a', 'b', 'c')
    for (const tenant of ['a', 'b', 'a', 'b', 'b', 'a']) await list(tenant)
    expect(await dropped()).toEqual([])
    await list('c')
    expect(await dropped()).toEqual(['b'])
    await list('a')
    await list('b')
    expect(await dropped()).toEqual(['b', 'c'])
  })

  test('none is dropped that a request uses', async () => {
    const answering = gate()
    const running = gate()
    await start({
      limits: { maxDatabases: 1 },
      handlers: {
        list: {
          create: {
            access: { action: 'Add' },
            async handler(_request, _reply, next) {
              running.open()
              await answering.isOpen
              await next()
            },
          },
        },
      },
    })
    await signUp('a', 'b', 'c')
    const creating = request('a', 'POST', '/api/list', { name: 'one', items: [] })
    await running.isOpen
    for (const tenant of ['b', 'c', 'b']) await list(tenant)
    expect(await dropped()).not.toContain('a')
    answering.open()
    expect((await creating).status).toBe(201)
    await list('c')
    expect(await dropped()).toContain('a')
  })

  test('none is dropped whose rules still run after a commit', async () => {
    const ends = gate()
    const runs = gate()
    await start({
      limits: { maxDatabases: 1 },
      rules: {
        list: {
          afterCommit: async () => {
            runs.open()
            await ends.isOpen
          },
        },
      },
    })
    await signUp('a', 'b')
    expect((await request('a', 'POST', '/api/list', { name: 'one', items: [] })).status).toBe(201)
    await runs.isOpen
    await list('b')
    expect(await dropped()).not.toContain('a')
    ends.open()
    await list('b')
    expect(await dropped()).toContain('a')
  })

  test('none is dropped whose answer is still sent', async () => {
    const stream = new Readable({ read() {} })
    stream.push('the beginning, ')
    await start({
      limits: { maxDatabases: 1 },
      handlers: {
        list: {
          findOne: {
            access: { action: 'View', id: 'id' },
            async handler(_request, reply) {
              reply.hijack()
              stream.pipe(reply.raw)
            },
          },
        },
      },
    })
    await signUp('a', 'b')
    const address = await several.app.listen({ port: 0, host: '127.0.0.1' })
    const answer = await fetch(`${address}/api/list/1`, { headers: { 'x-tenant': 'a' } }).then(async (response) => {
      await list('b')
      return response
    })
    expect(answer.status).toBe(200)
    expect(await dropped()).not.toContain('a')
    stream.push('the end')
    stream.push(null)
    expect(await answer.text()).toBe('the beginning, the end')
    await list('b')
    expect(await dropped()).toContain('a')
  })

  test('those are dropped, too, whose requests were refused', async () => {
    await start({ limits: { maxDatabases: 1 }, authorize: (_request, { caller }) => caller.tenant !== 'a' })
    await signUp('a', 'b')
    await several.open('without tables')
    expect((await request('a', 'GET', '/api/list')).status).toBe(403)
    expect((await request('without tables', 'GET', '/api/list')).status).toBe(500)
    await list('b')
    expect(await dropped()).toEqual(['a', 'without tables'])
  })

  test('a service that closes waits for what rules do after commits', async () => {
    let isDone = false
    await start({
      rules: {
        list: {
          afterCommit: async () => {
            await wait(50)
            isDone = true
          },
        },
      },
    })
    await signUp('a')
    await request('a', 'POST', '/api/list', { name: 'one', items: [] })
    expect(isDone).toBe(false)
    await several.app.close()
    expect(isDone).toBe(true)
  })

  test('an error of the application as it closes one is in the log', async () => {
    const { db } = await several.open('the model')
    await createTables(db, resources)
    await signUp('a', 'b')
    const lines: string[] = []
    const app = Fastify({ logger: { level: 'error', stream: { write: (line) => void lines.push(line) } } })
    await app.register(crudPlugin, {
      db: {
        model: db,
        of: async (_caller, { headers }) => (await several.open(String(headers['x-tenant']))).db,
        dropped: () => {
          throw new Error('it is open elsewhere')
        },
      },
      resources,
      limits: { maxDatabases: 1 },
    })
    for (const tenant of ['a', 'b']) await app.inject({ url: '/api/list', headers: { 'x-tenant': tenant } })
    await wait(20)
    expect(lines.join()).toMatch(/db\.dropped failed/)
    await app.close()
  })
})

describeOnBoth('Under load, databases that the application opens and closes', (kind) => {
  const several = useSeveralDatabases(kind)

  test('answer with the records of their tenants', async () => {
    const tenants = Array.from({ length: kind.name === 'sqlite' ? 12 : 6 }, (_, index) => `t${index}`)
    const opened = new Map<string, TestKysely>()
    let closed = 0
    const closing: Promise<void>[] = []
    const openOf = async (tenant: string) => {
      const { location } = await several.open(tenant)
      const known = opened.get(tenant)
      if (known !== undefined) return known
      const db: TestKysely =
        kind.name === 'sqlite' ? openSqlite(location) : openPostgres(location, { max: 2, warn: () => {} })
      opened.set(tenant, db)
      return db
    }
    await several.signUp(...tenants)
    await several.open('the model').then(({ db }) => createTables(db, resources))
    const app = Fastify()
    await app.register(crudPlugin, {
      db: {
        model: (await several.open('the model')).db,
        of: ({ tenant }) => openOf(tenant),
        dropped: (db) => {
          for (const [tenant, one] of opened) if (one === db) opened.delete(tenant)
          closed += 1
          closing.push(db.destroy())
        },
      },
      resources,
      limits: { maxDatabases: 3 },
      caller: ({ headers }) => ({ tenant: String(headers['x-tenant']) }),
    })
    const ask = async (tenant: string, method: 'GET' | 'POST', body?: object) =>
      await app.inject({
        method,
        url: '/api/list',
        headers: { 'x-tenant': tenant },
        ...(body && { payload: body }),
      })
    const rounds = 8
    await Promise.all(
      tenants.map(async (tenant, index) => {
        for (let round = 0; round < rounds; round++) {
          await wait((index * 7 + round * 3) % 11)
          const made = await ask(tenant, 'POST', { name: `${tenant} ${round}`, items: [{ text: tenant }] })
          expect(made.statusCode, made.payload).toBe(201)
          const found = await ask(tenant, 'GET')
          expect(found.json().rows.map(({ name }: { name: string }) => name)).toEqual(
            Array.from({ length: round + 1 }, (_, number) => `${tenant} ${number}`),
          )
        }
      }),
    )
    await wait(20)
    expect(closed).toBeGreaterThan(tenants.length)
    expect(opened.size).toBeLessThanOrEqual(3)
    await app.close()
    for (const db of opened.values()) closing.push(db.destroy())
    await Promise.all(closing)
  }, 60_000)
})
