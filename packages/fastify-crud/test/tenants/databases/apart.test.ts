import { createTables } from 'fastify-crud'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { databases, type TestDatabase } from '../../../../../test/support/databases.ts'
import { describeOnBoth } from '../../../../../test/support/describe-on-databases.ts'
import { expectProblem } from '../../../../../test/support/problem.ts'
import { resources, useSeveralDatabases } from './several.ts'

describeOnBoth('A database for each tenant', (kind) => {
  const several = useSeveralDatabases(kind)
  const { request, signUp, open, start } = several

  test('has the records of its tenant only', async () => {
    await start()
    await signUp('ink', 'nib')
    const ink = await request('ink', 'POST', '/api/list', { name: 'Intern', items: [{ text: 'of Ink' }] })
    expect(ink.status).toBe(201)
    const nib = await request('nib', 'POST', '/api/list', { name: 'Intern', items: [] })
    expect(nib.status).toBe(201)
    expect((await request('ink', 'POST', '/api/list', { name: 'Intern', items: [] })).status).toBe(409)
    const path = `/api/list/${ink.body.id}`
    expect((await request('ink', 'GET', path)).body.items).toMatchObject([{ text: 'of Ink' }])
    expect((await request('ink', 'GET', '/api/list?filter[items.text]=of Ink')).body.count).toBe(1)
    expect((await request('nib', 'GET', '/api/list?filter[items.text]=of Ink')).body.count).toBe(0)
    expect((await request('nib', 'DELETE', `/api/list/${nib.body.id}`)).status).toBe(204)
    expect((await request('ink', 'GET', path)).status).toBe(200)
    const { rows } = await sql`select * from list`.execute((await open('the model')).db)
    expect(rows).toEqual([])
  })

  test('is told by nothing that a shared cache could keep', async () => {
    await start()
    await signUp('ink')
    expect((await request('ink', 'GET', '/api/list')).headers['cache-control']).toBe('private, no-cache')
  })

  test('is the one that the application returns, or the request is 403', async () => {
    await start()
    for (const path of ['/api/list', '/api/list/1', '/api/list/1/item']) {
      expectProblem(await request('nobody', 'GET', path), { code: 'CRUD_ERR_FORBIDDEN' })
    }
    expectProblem(await request('nobody', 'POST', '/api/list', { name: 'a', items: [] }), {
      code: 'CRUD_ERR_FORBIDDEN',
    })
  })

  test('is asked for behind the caller, once for each request', async () => {
    const asked: unknown[] = []
    await start({
      of: async (caller, { method, url }) => {
        asked.push([caller, method, url])
        return (await open('ink')).db
      },
    })
    await signUp('ink')
    await request('ink', 'GET', '/api/list?include=items')
    expect(asked).toEqual([[{ tenant: 'ink' }, 'GET', '/api/list?include=items']])
  })

  test("may be refused by the application's own errors", async () => {
    await start({
      of: () => {
        throw Object.assign(new Error('the invoice is not paid'), { statusCode: 402 })
      },
    })
    const { status, body } = await request('ink', 'GET', '/api/list')
    expect(status).toBe(402)
    expect(body).toMatchObject({ detail: 'the invoice is not paid' })
  })

  test('is there for a tenant that signs up while the service runs', async () => {
    await start()
    expect((await request('new', 'GET', '/api/list')).status).toBe(403)
    const { db } = await open('new')
    await createTables(db, resources)
    await several.crud.on(db).list.create({ name: 'First', items: [] })
    expect((await request('new', 'GET', '/api/list')).body.rows).toMatchObject([{ name: 'First' }])
  })

  test('is named in all that the application asks of the store', async () => {
    await start()
    const crud = several.crud as never as Record<string, CallableFunction & Record<string, CallableFunction>>
    const message = 'the service has a database for each tenant: name it with on(db)'
    expect(() => crud.list?.list?.()).toThrow(message)
    expect(() => crud.asSystem?.()).toThrow(message)
    expect(() => crud.resource?.('list')).toThrow(message)
  })

  test('is an instance of Kysely, and no transaction', async () => {
    const { db } = await open('ink')
    let returned: unknown = 'ink.sqlite'
    await start({ of: () => returned as never })
    await signUp('ink')
    expect((await request('ink', 'GET', '/api/list')).status).toBe(500)
    await db.transaction().execute(async (trx) => {
      returned = trx
      expect((await request('ink', 'GET', '/api/list')).status).toBe(500)
    })
    expect(several.log.map(({ err }) => err?.message)).toEqual([
      'db.of: must return a Kysely instance, or undefined where there is none',
      'db.of: must return a database, and has returned a transaction',
    ])
  })

  test('is known to the handlers of replaced endpoints', async () => {
    await start({
      handlers: {
        list: {
          create: {
            access: { action: 'Add' },
            async handler(_request, reply, _next, { caller, db }) {
              reply.code(201).send(await several.crud.on(db).list.create({ name: caller.tenant, items: [] }))
            },
          },
        },
      },
    })
    await signUp('ink', 'nib')
    for (const tenant of ['ink', 'nib']) {
      expect((await request(tenant, 'POST', '/api/list', {})).status).toBe(201)
      expect((await request(tenant, 'GET', '/api/list')).body.rows).toMatchObject([{ name: tenant }])
    }
  })

  test('is closed by the application, and then served no more', async () => {
    await start()
    await signUp('ink', 'nib')
    expect((await request('ink', 'GET', '/api/list')).status).toBe(200)
    const { db } = await open('ink')
    await db.destroy()
    expect((await request('ink', 'GET', '/api/list')).status).toBeGreaterThanOrEqual(500)
    expect((await request('nib', 'GET', '/api/list')).status).toBe(200)
  })
})

describe('Schemas of one PostgreSQL database', () => {
  const several = useSeveralDatabases(databases[1] as TestDatabase)

  test('may be made an instance of for each request', async () => {
    const { db } = await several.open('all')
    for (const schema of ['ink', 'nib']) {
      await sql`create schema ${sql.id(schema)}`.execute(db)
      await createTables(db.withSchema(schema), resources)
    }
    await several.start({ of: ({ tenant }) => db.withSchema(tenant), limits: { maxDatabases: 2 } })
    for (const tenant of ['ink', 'nib', 'ink', 'nib', 'ink']) {
      expect((await several.request(tenant, 'POST', '/api/list', { name: tenant, items: [] })).status).toBeLessThan(500)
      const { body } = await several.request(tenant, 'GET', '/api/list')
      expect(body.rows).toMatchObject([{ name: tenant }])
    }
    expect(several.dropped).toEqual([])
    expect((await several.request('nobody', 'GET', '/api/list')).status).toBe(500)
    expect(several.log.at(-1)?.err?.message).toMatch(/the table nobody\.list is missing|the table list is missing/)
  })
})
