import type { FastifyReply, FastifyRequest } from 'fastify'
import type { GuardedStore } from 'fastify-crud'
import { describe, expect, test } from 'vitest'
import { databases } from '../../../../test/support/databases.ts'
import { expectProblem } from '../../../../test/support/problem.ts'
import { FOUR, type resources, useShop } from './shop.ts'

const NONE = '00000000-0000-7000-8000-000000000000'

describe.each(databases)('A request with tenants ($name)', (database) => {
  const shop = useShop(database)
  const { request } = shop

  test('is 403 without a tenant, but for what all tenants share', async () => {
    for (const path of ['/api/project', '/api/project/x', '/api/org', '/api/member/1']) {
      expectProblem(await request(undefined, 'GET', path), { code: 'CRUD_ERR_FORBIDDEN' })
    }
    expectProblem(await request(undefined, 'POST', '/api/member', { email: 'a' }), {
      code: 'CRUD_ERR_FORBIDDEN',
    })
    expect((await request(undefined, 'GET', '/api/country/AT')).body).toEqual({ id: 'AT', name: 'Austria' })
  })

  test('is 404 for what is no id of a tenant', async () => {
    expectProblem(await request('Four', 'GET', '/api/project'), { code: 'CRUD_ERR_NOT_FOUND' })
  })

  test('reads nothing of a tenant that does not exist, and writes nothing', async () => {
    expect((await request(NONE, 'GET', '/api/member')).body).toMatchObject({ count: 0, rows: [] })
    const before = await shop.service.snapshot()
    expectProblem(await request(NONE, 'POST', '/api/member', { email: 'a' }), {
      code: 'CRUD_ERR_FORBIDDEN',
    })
    const project = { id: 'x', name: 'X', tasks: [{ title: 'One' }] }
    expectProblem(await request(NONE, 'POST', '/api/project', project), { code: 'CRUD_ERR_FORBIDDEN' })
    expect(await shop.service.snapshot()).toEqual(before)
  })

  test('does not write what all tenants share', async () => {
    const before = await shop.service.snapshot()
    for (const [method, path, body] of [
      ['POST', '/api/country', { id: 'CH', name: 'Switzerland' }],
      ['PUT', '/api/country/AT', { name: 'Oz' }],
      ['PATCH', '/api/country/AT', { name: 'Oz' }],
      ['DELETE', '/api/country/AT'],
    ] as const) {
      expectProblem(await request(FOUR, method, path, body), { code: 'CRUD_ERR_FORBIDDEN' })
    }
    expect(await shop.service.snapshot()).toEqual(before)
  })

  test('sees and changes its own tenant, and makes none', async () => {
    expect((await request(FOUR, 'GET', '/api/org')).body).toMatchObject({ count: 1, rows: [{ id: FOUR }] })
    expect((await request(FOUR, 'PATCH', `/api/org/${FOUR}`, { name: 'Vier' })).body).toEqual({
      id: FOUR,
      name: 'Vier',
    })
    const post = await request(FOUR, 'POST', '/api/org', { name: 'Five' })
    expect(post.status).toBe(405)
    expect(post.headers.allow).not.toContain('POST')
    expect((await request(FOUR, 'POST', `/api/org/${NONE}`, { name: 'Five' })).status).toBe(405)
  })

  test('chooses no id where the database counts those of all tenants', async () => {
    expect((await request(FOUR, 'POST', '/api/member/77', { email: 'a' })).status).toBe(405)
    expect((await request(FOUR, 'POST', '/api/label/77', { name: 'a' })).status).toBe(201)
  })

  test('does not remove a tenant that has records', async () => {
    await shop.add(FOUR, '/api/label', { id: 'a', name: 'A' })
    expectProblem(await request(FOUR, 'DELETE', `/api/org/${FOUR}`), { code: 'CRUD_ERR_STILL_NEEDED' })
    await request(FOUR, 'DELETE', '/api/label/a')
    expect((await request(FOUR, 'DELETE', `/api/org/${FOUR}`)).status).toBe(204)
  })
})

describe.each(databases)('A sign-up ($name)', (database) => {
  const handlers = {
    org: {
      create: {
        access: { action: 'Add' },
        async handler(request: FastifyRequest, reply: FastifyReply) {
          const { name, email } = request.body as { name: string; email: string }
          const store = request.server.crud as unknown as GuardedStore<typeof resources>
          const org = await shop.service.db.transaction().execute(async (trx) => {
            const made = await store.in(trx).asSystem().org.create({ name })
            await store.in(trx).asSystem({ tenant: made.id }).member.create({ email })
            return made
          })
          return reply.code(201).send(org)
        },
      },
    },
  } as const
  const shop = useShop(database, { plugin: { handlers: handlers as never } })

  test('makes a tenant and fills it, in one transaction, for a caller that has none yet', async () => {
    const made = await shop.request(undefined, 'POST', '/api/org', { name: 'Five', email: 'a@five.example' })
    expect(made.status).toBe(201)
    expect((await shop.request(made.body.id, 'GET', '/api/member')).body).toMatchObject({
      rows: [{ email: 'a@five.example' }],
    })
    expect((await shop.request(FOUR, 'GET', '/api/member')).body).toMatchObject({ count: 0 })
  })
})
