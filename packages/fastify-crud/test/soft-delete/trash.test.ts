import { Type } from '@sinclair/typebox'
import { createStore, defineResources, type Id, ownedBy, owns } from 'fastify-crud'
import { describe, expect, test } from 'vitest'
import { buildApp, useApp } from '../../../../test/support/app.ts'
import { setups } from '../../../../test/support/databases.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'

const name = Type.String()
const softDelete = { column: 'deletedAt', trash: { purge: true } } as const

const kinds = defineResources({
  book: { id: 'text', softDelete, fields: { name }, relations: { pages: owns.many('page') } },
  page: {
    id: 'uuid',
    softDelete,
    topLevel: true,
    authorizedBy: 'owner',
    fields: { name },
    relations: { book: ownedBy('book') },
  },
  profile: { id: ['name'], softDelete, ifMatch: 'required', fields: { name, text: name } },
  big: { id: 'bigint', softDelete, fields: { name, secret: Type.String({ access: { View: ['boss'] } }) } },
  admin: { table: 'person', where: { type: 'admin' }, softDelete, fields: { name } },
  person: { table: 'person', where: { type: 'other' }, softDelete, fields: { name } },
  node: {
    softDelete,
    fields: { name },
    relations: { parent: ownedBy('node', { optional: true }), nodes: owns.many('node') },
  },
})

describeOnBoth('a trash', (database) => {
  const questions: string[] = []
  const service = useApp(database, kinds, {
    plugin: {
      caller: ({ headers }) => ({ id: 1, roles: [String(headers['x-role'] ?? '')] }),
      authorize: (_request, { action, resource, id }) => questions.push(`${action} ${resource} ${id}`) > 0,
    },
  })
  const ask = (method: string, path: string, headers: Record<string, string> = {}) =>
    service.request(method, path, undefined, headers)

  test('has ids of any kind, and of a table that several resources share', async () => {
    const book = await service.add('/api/book', { id: 'a', name: 'x', pages: [{ name: 'p' }] })
    const big = await service.add('/api/big', { name: 'b', secret: 's' })
    const admin = await service.add('/api/admin', { name: 'ann' })
    for (const [key, { id }] of Object.entries({ book, big, admin })) {
      await service.delete(`/api/${key}/${id}`)
      const { rows, count } = await service.read(`/api/${key}/$deleted`)
      expect([count, rows[0].id], key).toEqual([1, id])
      expect((await ask('GET', `/api/${key}/$deleted/${id}`)).body, key).toEqual(rows[0])
      expect((await ask('POST', `/api/${key}/${id}/$restore`)).status, key).toBe(200)
      await service.delete(`/api/${key}/${id}`)
      if (key === 'admin') expect((await ask('GET', `/api/person/$deleted/${id}`)).status).toBe(404)
      expect((await ask('DELETE', `/api/${key}/$deleted/${id}`)).status, key).toBe(204)
    }
  })

  test('needs If-Match to remove a record for good where writes need it', async () => {
    await service.add('/api/profile', { name: 'p', text: 't' })
    const { headers } = await ask('GET', '/api/profile/p')
    await ask('DELETE', '/api/profile/p', { 'if-match': String(headers.etag) })
    expect((await ask('DELETE', '/api/profile/$deleted/p')).status).toBe(428)
    const deleted = await ask('GET', '/api/profile/$deleted/p')
    const tag = { 'if-match': String(deleted.headers.etag) }
    expect((await ask('POST', '/api/profile/p/$restore')).status).toBe(200)
    await ask('DELETE', '/api/profile/p', { 'if-match': String(headers.etag) })
    expect((await ask('DELETE', '/api/profile/$deleted/p', tag)).status).toBe(412)
    expect((await ask('DELETE', '/api/profile/$deleted/p', { 'if-match': '*' })).status).toBe(204)
  })

  test('asks about the owner where the owner decides, whether the path names it or not', async () => {
    const { pages } = await service.add('/api/book', { id: 'b', name: 'x', pages: [{ name: 'p' }] })
    const [{ id }] = pages
    await service.delete(`/api/page/${id}`)
    const asked = async (method: string, path: string) => {
      questions.length = 0
      const { status } = await ask(method, path)
      return [status, ...new Set(questions)]
    }
    const both = ['View book b', 'Edit book b']
    expect(await asked('GET', `/api/book/b/page/$deleted/${id}`)).toEqual([200, ...both])
    expect(await asked('GET', `/api/page/$deleted/${id}`)).toEqual([200, ...both])
    expect(await asked('POST', `/api/page/${id}/$restore`)).toEqual([200, ...both])
    await service.delete(`/api/page/${id}`)
    expect(await asked('DELETE', `/api/page/$deleted/${id}`)).toEqual([204, ...both])
  })

  test('hides fields from who may not see them', async () => {
    const { id } = await service.add('/api/big', { name: 'b', secret: 's' })
    await service.delete(`/api/big/${id}`)
    expect((await ask('GET', `/api/big/$deleted/${id}`)).body).not.toHaveProperty('secret')
    expect((await ask('GET', `/api/big/$deleted/${id}`, { 'x-role': 'boss' })).body).toMatchObject({ secret: 's' })
    expect((await ask('GET', '/api/big/$deleted?filter[secret]=s')).status).toBe(400)
  })

  test('has trees', async () => {
    const root = await service.add('/api/node', { name: 'r' })
    const below = await service.add(`/api/node/${root.id}/node`, { name: 'b' })
    const deep = await service.add(`/api/node/${below.id}/node`, { name: 'd' })
    await service.delete(`/api/node/${below.id}`)
    expect(await service.read('/api/node/$deleted')).toEqual({ rows: [], count: 0 })
    const { rows } = await service.read(`/api/node/${root.id}/node/$deleted`)
    expect(rows).toMatchObject([{ id: below.id, nodes: [{ id: deep.id, name: 'd', nodes: [] }] }])
    expect((await ask('GET', `/api/node/$deleted/${deep.id}`)).body).toMatchObject({ name: 'd' })
    expect((await ask('POST', `/api/node/${deep.id}/$restore`)).status).toBe(409)
    expect((await ask('POST', `/api/node/${below.id}/$restore`)).body).toMatchObject({ nodes: [{ id: deep.id }] })
    await service.delete(`/api/node/${root.id}`)
    expect((await ask('DELETE', `/api/node/$deleted/${root.id}`)).status).toBe(204)
    expect(await service.snapshot(['node'])).toEqual({ node: [] })
  })
})

const ORG = '44444444-4444-7444-8444-444444444444'
const OTHER = '99999999-9999-7999-8999-999999999999'

const tenants = defineResources(
  {
    org: { id: 'uuid', fields: { name } },
    project: { id: 'text', softDelete, fields: { name }, relations: { tasks: owns.many('task') } },
    task: { softDelete, topLevel: true, fields: { name }, relations: { project: ownedBy('project') } },
  },
  { tenant: { resource: 'org' } },
)

describeOnBoth('the trash of a tenant', (database) => {
  const service = useApp(database, tenants, {
    plugin: { tenant: (_caller: unknown, { headers }: { headers: Record<string, unknown> }) => headers['x-org'] as Id },
  })
  const as = (org: string) => (method: string, path: string, body?: unknown) =>
    service.request(method, path, body, { 'x-org': org })
  const [mine, others] = [as(ORG), as(OTHER)] as const

  test('has its records, and no other one sees, brings back or removes them', async () => {
    const orgs = [
      { id: ORG, name: 'a' },
      { id: OTHER, name: 'b' },
    ]
    await service.db.insertInto('org').values(orgs).execute()
    const { tasks } = (await mine('POST', '/api/project', { id: 'p', name: 'mine', tasks: [{ name: 't' }] })).body
    await others('POST', '/api/project', { id: 'p', name: 'theirs' })
    await mine('DELETE', '/api/project/p')
    expect((await mine('GET', '/api/project/$deleted')).body).toMatchObject({ count: 1, rows: [{ name: 'mine' }] })
    expect((await others('GET', '/api/project/$deleted')).body).toEqual({ rows: [], count: 0 })
    expect((await others('GET', '/api/task/$deleted')).body).toEqual({ rows: [], count: 0 })
    for (const [method, path] of [
      ['GET', '/api/project/$deleted/p'],
      ['POST', '/api/project/p/$restore'],
      ['DELETE', '/api/project/$deleted/p'],
      ['GET', `/api/task/$deleted/${tasks[0].id}`],
      ['POST', `/api/task/${tasks[0].id}/$restore`],
      ['DELETE', `/api/task/$deleted/${tasks[0].id}`],
    ] as const) {
      expect((await others(method, path)).status, `${method} ${path}`).toBe(404)
    }
    expect((await mine('POST', '/api/project/p/$restore')).body).toMatchObject({ name: 'mine', tasks })
    const system = createStore({ db: service.db, resources: tenants }).asSystem()
    expect(() => system.project.deleted.list()).toThrow(/name one with asSystem/)
    expect(
      await createStore({ db: service.db, resources: tenants }).asSystem({ tenant: ORG }).project.deleted.list(),
    ).toMatchObject({ count: 0 })
  })
})

describe('the trash and handlers of the application', () => {
  const memo = defineResources({ memo: { softDelete, fields: { name } } })
  const [sqlite] = setups as readonly [(typeof setups)[number]]
  const access = { action: 'View' } as const
  const single = { action: 'View', id: 'id' } as const

  test.each([
    ['list', access, { $deleted: 405, '$deleted/1': 200, '1/$restore': 200, purge: 204 }],
    ['findOne', single, { $deleted: 200, '$deleted/1': 405, '1/$restore': 200, purge: 204 }],
    ['create', access, { $deleted: 200, '$deleted/1': 200, '1/$restore': 405, purge: 204 }],
    ['delete', single, { $deleted: 200, '$deleted/1': 200, '1/$restore': 200, purge: 405 }],
  ] as const)('where %s is replaced, the other way to it is 405', async (operation, declared, statuses) => {
    const handler = async (_request: unknown, _reply: unknown, next: () => Promise<unknown>) => void (await next())
    const app = await buildApp(sqlite, memo, {
      plugin: { handlers: { memo: { [operation]: { access: declared, handler } } } },
    })
    try {
      const { id } = await app.add('/api/memo', { name: 'a' })
      await app.delete(`/api/memo/${id}`)
      const found = {
        $deleted: (await app.get('/api/memo/$deleted')).status,
        '$deleted/1': (await app.get(`/api/memo/$deleted/${id}`)).status,
        '1/$restore': (await app.request('POST', `/api/memo/${id}/$restore`)).status,
      }
      if (found['1/$restore'] === 200) await app.delete(`/api/memo/${id}`)
      const purge = (await app.delete(`/api/memo/$deleted/${id}`)).status
      expect({ ...found, purge }).toEqual(statuses)
    } finally {
      await app.close()
    }
  })

  test('a handler may replace what the trash does, and settings of routes hold for it', async () => {
    const seen: unknown[] = []
    const app = await buildApp(sqlite, memo, {
      plugin: {
        handlers: {
          memo: {
            restore: {
              access: { action: 'Edit', id: 'id' },
              async handler(_request, reply, next) {
                const record = await next()
                reply.header('x-name', String(record?.name))
              },
            },
            deleted: { access, handler: (_request, reply) => void reply.send({ mine: true }) },
          },
        },
        routes: { memo: { purge: { onRequest: async (request) => void seen.push(request.routeOptions.config.crud) } } },
      },
    })
    try {
      const { id } = await app.add('/api/memo', { name: 'a' })
      await app.delete(`/api/memo/${id}`)
      expect((await app.get('/api/memo/$deleted')).body).toEqual({ mine: true })
      expect((await app.request('POST', `/api/memo/${id}/$restore`)).headers['x-name']).toBe('a')
      await app.delete(`/api/memo/${id}`)
      await app.delete(`/api/memo/$deleted/${id}`)
      expect(seen).toEqual([{ resource: 'memo', operation: 'purge' }])
    } finally {
      await app.close()
    }
  })

  test('a handler for what a trash does not do is refused at start', async () => {
    const plain = defineResources({ memo: { softDelete: { column: 'deletedAt', trash: true }, fields: { name } } })
    const purge = { access: single, handler: () => undefined }
    await expect(buildApp(sqlite, plain, { plugin: { handlers: { memo: { purge } } } })).rejects.toThrow(
      'handlers.memo.purge: there is no such route, as memo does not have it in its trash',
    )
  })
})
