import { Type } from '@sinclair/typebox'
import {
  countOf,
  createStore,
  createTables,
  defineResources,
  type Id,
  knows,
  neededBy,
  needs,
  ownedBy,
  owns,
  sumOf,
  visible,
} from 'fastify-crud'
import { sql } from 'kysely'
import { beforeEach, expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import { markedIn } from '../contract/soft-delete/support/marked.ts'

const softDelete = 'deletedAt'
const name = Type.String()

const kinds = defineResources({
  book: {
    id: 'text',
    softDelete,
    fields: { name },
    relations: { pages: owns.many('page'), loans: neededBy.many('loan') },
  },
  page: { id: 'text', softDelete, fields: { name }, relations: { book: ownedBy('book') } },
  loan: { id: 'uuid', softDelete, fields: { name }, relations: { book: needs.one('book'), user: knows.one('user') } },
  user: { id: 'bigint', softDelete, fields: { name } },
  profile: { id: ['name'], softDelete, fields: { name, text: name } },
  admin: { table: 'person', where: { type: 'admin' }, softDelete, fields: { name }, unique: [['name']] },
  member: { table: 'person', where: { type: 'member' }, softDelete, fields: { name }, unique: [['name']] },
  node: {
    softDelete,
    fields: { name },
    relations: { parent: ownedBy('node', { optional: true }), nodes: owns.many('node') },
  },
})

describeOnBoth('softDelete with ids of any kind', (database) => {
  const service = useApp(database, kinds)

  test('a deleted record still has its id, which the client gave', async () => {
    const book = await service.add('/api/book', { id: 'a', name: 'x', pages: [{ id: 'p', name: 'y' }] })
    expect((await service.delete('/api/book/a')).status).toBe(204)
    await service.refuse('POST', '/api/book', { id: 'a', name: 'z' }, { code: 'CRUD_ERR_EXISTS' })
    await service.refuse('POST', '/api/book/a', { name: 'z' }, { code: 'CRUD_ERR_EXISTS' })
    const other = { id: 'b', name: 'x', pages: [{ id: 'p', name: 'z' }] }
    await service.refuse('POST', '/api/book', other, { code: 'CRUD_ERR_EXISTS' })
    await service.add('/api/book', { ...book, id: 'b', pages: [] })
    await service.refuse('PUT', '/api/book/b', other, { code: 'CRUD_ERR_EXISTS' })
    await service.refuse('GET', '/api/book/a', undefined, { code: 'CRUD_ERR_NOT_FOUND' })
  })

  test('uuids, bigints and members', async () => {
    await service.add('/api/book', { id: 'a', name: 'x' })
    const user = await service.add('/api/user', { name: 'u' })
    const loan = await service.add('/api/loan', { name: 'l', bookId: 'a', userId: user.id })
    await service.add('/api/profile', { name: 'p', text: 't' })
    for (const path of [`loan/${loan.id}`, `user/${user.id}`, 'book/a', 'profile/p']) {
      expect((await service.delete(`/api/${path}`)).status, path).toBe(204)
      expect((await service.get(`/api/${path}`)).status, path).toBe(404)
    }
    expect((await service.post('/api/profile', { name: 'p', text: 'u' })).status).toBe(409)
    const store = createStore({ db: service.db, resources: kinds })
    expect(await store.profile.restore('p')).toMatchObject({ id: 'p', text: 't' })
    expect(await store.book.restore('a')).toMatchObject({ id: 'a' })
    expect(await store.loan.restore(loan.id)).toMatchObject({ id: loan.id, userId: null })
    expect(await store.user.restore(user.id)).toEqual(user)
    const [row] = await service.db.selectFrom('loan').select('userId').execute()
    expect(row?.userId).toBeNull()
  })

  test('resources that share a table', async () => {
    const admin = await service.add('/api/admin', { name: 'a' })
    await service.add('/api/member', { name: 'a' })
    expect((await service.delete(`/api/admin/${admin.id}`)).status).toBe(204)
    const other = await service.add('/api/admin', { name: 'a' })
    const store = createStore({ db: service.db, resources: kinds })
    await expect(store.admin.restore(admin.id)).rejects.toMatchObject({ code: 'CRUD_ERR_NOT_UNIQUE' })
    await expect(store.member.restore(admin.id)).rejects.toMatchObject({ code: 'CRUD_ERR_NOT_FOUND' })
    await service.delete(`/api/admin/${other.id}`)
    expect(await store.admin.restore(admin.id)).toEqual(admin)
    await store.admin.purge(other.id)
    await service.refuse('POST', '/api/member', { name: 'a' }, { code: 'CRUD_ERR_NOT_UNIQUE' })
    expect(await service.read('/api/member')).toMatchObject({ count: 1 })
  })

  test('trees of one resource', async () => {
    const root = await service.add('/api/node', { name: 'r' })
    const below = await service.add(`/api/node/${root.id}/node`, { name: 'b' })
    const deep = await service.add(`/api/node/${below.id}/node`, { name: 'd' })
    expect((await service.delete(`/api/node/${below.id}`)).status).toBe(204)
    expect((await service.get(`/api/node/${deep.id}`)).status).toBe(404)
    expect(await markedIn(service.db, 'node')).toMatchObject({
      left: [`${root.id}`],
      marked: [`${below.id}`, `${deep.id}`],
    })
    expect(await service.read(`/api/node/${root.id}/node`)).toMatchObject({ count: 0 })
    const { node } = createStore({ db: service.db, resources: kinds })
    await expect(node.owned(below.id, 'nodes').restore(deep.id)).rejects.toMatchObject({ code: 'CRUD_ERR_REFUSED' })
    await expect(node.restore(deep.id)).rejects.toMatchObject({ code: 'CRUD_ERR_REFUSED' })
    expect(await node.restore(below.id)).toMatchObject({ name: 'b', nodes: [{ id: deep.id, name: 'd' }] })
    await service.delete(`/api/node/${root.id}`)
    await node.purge(root.id)
    expect(await service.snapshot(['node'])).toEqual({ node: [] })
  })
})

const shop = defineResources({
  order: {
    softDelete,
    fields: { name, owner: Type.String() },
    relations: { items: owns.many('item') },
    computed: {
      all: sumOf('items', 'n'),
      seen: countOf(visible('items')),
      orders: {
        schema: Type.Integer(),
        value: ({ eb }) => eb.selectFrom('order').select((of) => of.fn.countAll().as('c')),
      },
    },
  },
  item: { softDelete, fields: { n: Type.Integer() }, relations: { order: ownedBy('order') } },
  bill: { fields: { name }, relations: { order: needs.one('order') } },
  log: { fields: { orderId: Type.Integer() } },
})

const policies = {
  order: {
    member: ({ eb, my }: never) => (eb as CallableFunction)('owner', '=', (my as CallableFunction)('id')),
    boss: true,
  },
  bill: true,
  log: {
    member: ({ eb }: never) =>
      (eb as CallableFunction)(
        'orderId',
        'in',
        (eb as { selectFrom: CallableFunction }).selectFrom('order').select('order.id'),
      ),
    boss: true,
  },
} as never

describeOnBoth('softDelete and policies', (database) => {
  const caller = (request: { headers: Record<string, unknown> }) => ({
    id: String(request.headers['x-id']),
    roles: [request.headers['x-id'] === 'boss' ? 'boss' : 'member'],
  })
  const service = useApp(database, shop, { plugin: { policies, caller } })
  const ask = (id: string, method: string, path: string, body?: unknown) =>
    service.request(method, path, body, { 'x-id': id })
  let order: { id: number; items: { id: number }[] }

  beforeEach(async () => {
    const body = { name: 'a', owner: 'ann', items: [{ n: 1 }, { n: 2 }] }
    order = (await ask('ann', 'POST', '/api/order', body)).body
    await ask('ann', 'POST', '/api/order', { ...body, name: 'b' })
    await service.db
      .insertInto('log')
      .values([{ orderId: order.id }, { orderId: order.id + 1 }])
      .execute()
  })

  test('a caller deletes what the policies let it, and then nobody finds it', async () => {
    expect((await ask('bob', 'DELETE', `/api/order/${order.id}`)).status).toBe(404)
    expect((await ask('ann', 'DELETE', `/api/order/${order.id}`)).status).toBe(204)
    for (const id of ['ann', 'boss']) {
      expect((await ask(id, 'GET', `/api/order/${order.id}`)).status).toBe(404)
      expect((await ask(id, 'GET', '/api/order')).body).toMatchObject({ count: 1 })
      expect((await ask(id, 'POST', '/api/bill', { name: 'x', orderId: order.id })).status).toBe(400)
    }
    const store = createStore({ db: service.db, resources: shop, policies })
    expect(await store.asSystem().order.list()).toMatchObject({ count: 1 })
    expect(await store.as({ id: 'boss', roles: ['boss'] }).order.list()).toMatchObject({ count: 1 })
  })

  test('restore asks the policies for Add', async () => {
    await ask('ann', 'DELETE', `/api/order/${order.id}`)
    const store = createStore({ db: service.db, resources: shop, policies })
    const forbidden = { code: 'CRUD_ERR_FORBIDDEN' }
    await expect(store.as({ id: 'bob', roles: ['member'] }).order.restore(order.id)).rejects.toMatchObject(forbidden)
    expect((await ask('boss', 'GET', `/api/order/${order.id}`)).status).toBe(404)
    const { items } = order
    expect(await store.as({ id: 'ann', roles: ['member'] }).order.restore(order.id)).toMatchObject({ name: 'a', items })
  })

  test('expressions of the application do not see deleted records, in tables that the builder names', async () => {
    expect((await ask('ann', 'GET', '/api/log')).body).toMatchObject({ count: 2 })
    await ask('ann', 'DELETE', `/api/order/${order.id}/item/${order.items[0]?.id}`)
    expect((await ask('ann', 'GET', `/api/order/${order.id}`)).body).toMatchObject({ all: 2, seen: 1, orders: 2 })
    await ask('ann', 'DELETE', `/api/order/${order.id}`)
    expect((await ask('ann', 'GET', '/api/log')).body).toMatchObject({ count: 1, rows: [{ orderId: order.id + 1 }] })
    expect((await ask('ann', 'GET', `/api/order/${order.id + 1}`)).body).toMatchObject({ orders: 1 })
  })

  test('a query of the application has no deleted rows in `visible`, and no column for them', async () => {
    await ask('ann', 'DELETE', `/api/order/${order.id}`)
    const store = createStore({ db: service.db, resources: shop, policies }).as({ id: 'ann', roles: ['member'] })
    const rows = await service.db.selectFrom(store.visible('order').as('o')).selectAll().execute()
    const found = rows.map((row) => ({ ...row, id: Number(row.id) }))
    expect(found).toEqual([{ id: order.id + 1, name: 'b', owner: 'ann' }])
  })
})

const ORG = '44444444-4444-7444-8444-444444444444'
const OTHER = '99999999-9999-7999-8999-999999999999'

const tenants = defineResources(
  {
    org: { id: 'uuid', fields: { name } },
    project: { id: 'text', softDelete, fields: { name }, relations: { tasks: owns.many('task') }, unique: [['name']] },
    task: { id: 'uuid', softDelete, fields: { name }, relations: { project: ownedBy('project') } },
  },
  { tenant: { resource: 'org' } },
)

describeOnBoth('softDelete and tenants', (database) => {
  const service = useApp(database, tenants, {
    plugin: {
      tenant: (_caller: unknown, request: { headers: Record<string, unknown> }) => request.headers['x-org'] as Id,
    },
  })
  const ask = (org: string, method: string, path: string, body?: unknown) =>
    service.request(method, path, body, { 'x-org': org })

  test('each tenant has its own deleted records, and purgeTenant removes these, too', async () => {
    await service.db
      .insertInto('org')
      .values([
        { id: ORG, name: 'a' },
        { id: OTHER, name: 'b' },
      ])
      .execute()
    const project = { id: 'p', name: 'x', tasks: [{ name: 't' }] }
    for (const org of [ORG, OTHER]) expect((await ask(org, 'POST', '/api/project', project)).status).toBe(201)
    expect((await ask(ORG, 'DELETE', '/api/project/p')).status).toBe(204)
    expect((await ask(ORG, 'GET', '/api/project/p')).status).toBe(404)
    expect((await ask(ORG, 'POST', '/api/project', project)).status).toBe(409)
    expect((await ask(ORG, 'POST', '/api/project', { ...project, id: 'q' })).status).toBe(201)
    expect((await ask(OTHER, 'GET', '/api/project/p')).status).toBe(200)
    const store = createStore({ db: service.db, resources: tenants }).asSystem()
    expect(
      await createStore({ db: service.db, resources: tenants }).asSystem({ tenant: ORG }).project.list(),
    ).toMatchObject({ count: 1 })
    const [mine, others] = [ORG, OTHER].map((tenant) =>
      createStore({ db: service.db, resources: tenants }).asSystem({ tenant }),
    )
    await expect(others?.project.restore('p')).rejects.toMatchObject({ code: 'CRUD_ERR_NOT_FOUND' })
    await expect(mine?.project.restore('p')).rejects.toMatchObject({ code: 'CRUD_ERR_NOT_UNIQUE' })
    await ask(ORG, 'DELETE', '/api/project/q')
    expect(await mine?.project.restore('p')).toMatchObject({ id: 'p', tasks: [{ name: 't' }] })
    await mine?.project.purge('q')
    await mine?.project.delete('p')
    await store.purgeTenant(ORG)
    expect(await service.db.selectFrom('project').select('orgId').execute()).toEqual([{ orgId: OTHER }])
    expect(await service.db.selectFrom('task').select('orgId').execute()).toEqual([{ orgId: OTHER }])
  })
})

describeOnBoth('softDelete in a table that has a column for it', (database) => {
  const album = defineResources({
    album: { softDelete: 'deleted_at', fields: { name }, relations: { songs: owns.many('song') } },
    song: {
      softDelete: 'deleted_at',
      fields: { name },
      relations: { album: ownedBy('album') },
      unique: [['album', 'name']],
    },
  })
  const service = useApp(database, album, {
    async tables({ name: kind, db }) {
      await createTables(db, album)
      if (kind === 'sqlite') return
      for (const table of ['album', 'song']) {
        await sql`alter table ${sql.table(table)} alter column deleted_at type timestamp using null`.execute(db)
      }
    },
  })

  test('a timestamp without a zone has the moment in UTC', async () => {
    const { id } = await service.add('/api/album', { name: 'a', songs: [{ name: 's' }] })
    await service.put(`/api/album/${id}`, { name: 'a', songs: [{ name: 's' }] })
    const before = Date.now()
    expect((await service.delete(`/api/album/${id}`)).status).toBe(204)
    const { moments } = await markedIn(service.db, 'song', 'deleted_at')
    expect(moments).toHaveLength(2)
    const text =
      database.name === 'sqlite' ? sql`deleted_at` : sql`to_char(deleted_at, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
    const { rows } = await sql<{ at: string }>`select ${text} as at from album`.execute(service.db)
    expect(Math.abs(Date.parse(rows[0]?.at ?? '') - before)).toBeLessThan(3_600_000)
  })
})

const shared = defineResources(
  {
    org: { fields: { name } },
    country: {
      id: 'text',
      softDelete: { column: 'deletedAt', trash: { purge: true } },
      fields: { name },
      tenant: false,
      public: true,
    },
  },
  { tenant: { resource: 'org' } },
)

describeOnBoth('softDelete of what all tenants share', (database) => {
  const service = useApp(database, shared, { plugin: { tenant: () => 1 } })

  test('no tenant restores or purges it, and the application does', async () => {
    const store = createStore({ db: service.db, resources: shared }).asSystem()
    for (const id of ['AT', 'CH']) {
      await store.country.create({ id, name: 'x' })
      await store.country.delete(id)
    }
    await service.refuse('POST', '/api/country/AT/$restore', undefined, { code: 'CRUD_ERR_FORBIDDEN' })
    await service.refuse('DELETE', '/api/country/$deleted/CH', undefined, { code: 'CRUD_ERR_FORBIDDEN' })
    await store.country.purge('CH')
    expect(await store.country.restore('AT')).toEqual({ id: 'AT', name: 'x' })
    expect((await service.read('/api/country/$deleted')).rows).toEqual([])
  })
})
