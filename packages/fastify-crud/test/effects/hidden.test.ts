import { Type } from '@sinclair/typebox'
import { type Authorize, defineActions, defineResources, knows, ownedBy, owns } from 'fastify-crud'
import { beforeEach, expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../test/support/json-body.ts'
import { crudOf } from '../rules/support/crud-of.ts'

const text = Type.String()

const resources = defineResources({
  book: {
    fields: {
      title: text,
      owner: text,
      price: Type.Integer({ default: 0, access: { View: ['boss'], Edit: ['boss'] } }),
    },
    relations: { pages: owns.many('page'), tags: knows.many('tag') },
  },
  page: { fields: { text }, relations: { book: ownedBy('book') } },
  tag: { fields: { name: text, owner: text } },
  note: { fields: { text, owner: text }, relations: { book: knows.one('book') } },
})

const actions = defineActions(resources, {
  book: {
    log: {
      asks: 'View',
      async run({ system }) {
        await system.note.create({ text: 'zebra', owner: 'zoe' })
        await system.note.create({ text: 'mine', owner: 'ada' })
      },
    },
  },
})

const caller = ({ headers }: { headers: Record<string, unknown> }) => ({
  name: String(headers['x-name'] ?? 'ada'),
  roles: String(headers['x-roles'] ?? '').split(','),
})
const own = { View: ({ eb, my }: JsonBody) => eb('owner', '=', my('name')), Add: true, Edit: true, Delete: true }
const policies = {
  book: own,
  page: { View: ({ eb }: JsonBody) => eb('text', '!=', 'zebra'), Add: true, Edit: true, Delete: true },
  tag: own,
  note: own,
}

const headers = { prefer: 'return=effects' }

describeOnBoth('effects, to a caller whom policies keep from seeing some rows', (database) => {
  const service = useApp(database, resources, {
    plugin: { policies: policies as never, caller, actions: actions as never },
  })
  let book: JsonBody
  let path: string

  const idIn = async (table: string, values: object) =>
    (
      await service.db
        .insertInto(table)
        .values(values as never)
        .returning('id')
        .executeTakeFirstOrThrow()
    ).id
  const changesOf = async (method: string, url: string, body?: unknown, more: object = {}) => {
    const answer = await service.request(method, url, body, { ...headers, ...more })
    expect(answer.status).toBeLessThan(300)
    expect(JSON.stringify(answer)).not.toMatch(/zebra/)
    return answer.body.changes as readonly JsonBody[]
  }

  beforeEach(async () => {
    const tag = await service.add('/api/tag', { name: 't', owner: 'ada' })
    const body = { title: 'b', owner: 'ada', pages: [{ text: 'one' }], tags: [{ id: tag.id }] }
    book = await service.add('/api/book', body)
    path = `/api/book/${book.id}`
    await idIn('page', { text: 'zebra', bookId: book.id })
    const hidden = await idIn('tag', { name: 'zebra', owner: 'zoe' })
    await service.db
      .insertInto('book_tags')
      .values({ bookId: book.id, tagId: hidden } as never)
      .execute()
    await idIn('note', { text: 'zebra', owner: 'zoe', bookId: book.id })
    await idIn('note', { text: 'mine', owner: 'ada', bookId: book.id })
  })

  test('have nothing of hidden rows and links that go, nor of hidden rows that lose a reference', async () => {
    const changes = await changesOf('DELETE', path)
    expect(changes.map(({ action, resource, because }) => [action, resource, because])).toEqual([
      ['Delete', 'book', undefined],
      ['Delete', 'page', 'ownerDeleted'],
      ['Edit', 'note', 'referenceDeleted'],
      ['Unlink', 'book', 'linkedRecordDeleted'],
    ])
    expect(await service.db.selectFrom('page').selectAll().execute()).toEqual([])
  })

  test('say of a record that leaves the sight of the caller only that it is gone for it', async () => {
    expect(await changesOf('PATCH', path, { owner: 'zoe', title: 'new' })).toEqual([
      { action: 'Delete', resource: 'book', id: book.id },
    ])
  })

  test('have nothing of what the application itself writes in an action, unless the caller sees it', async () => {
    expect(await changesOf('POST', `${path}/$act/log`)).toMatchObject([
      { action: 'Add', resource: 'note', because: 'rule', after: { text: 'mine', owner: 'ada' } },
    ])
  })

  test('have no field that the roles of the caller may not see', async () => {
    const boss = { 'x-roles': 'boss' }
    expect(await changesOf('PATCH', path, { price: 7 }, boss)).toMatchObject([{ after: { price: 7 } }])
    const [change] = await changesOf('DELETE', path)
    expect(change?.before).toEqual({ title: 'b', owner: 'ada' })
  })
})

describeOnBoth('effects, to a request that `authorize` lets see some resources', (database) => {
  let hidden: readonly string[] = []
  const authorize: Authorize = (_, { action, resource }) => action !== 'View' || !hidden.includes(resource)
  const service = useApp(database, resources, { plugin: { authorize, caller, batch: true } })

  test('have no change of the others, and do not name their records', async () => {
    const tag = await service.add('/api/tag', { name: 't', owner: 'ada' })
    const book = await service.add('/api/book', {
      title: 'b',
      owner: 'ada',
      pages: [{ text: 'p' }],
      tags: [{ id: tag.id }],
    })
    await service.add('/api/note', { text: 'n', owner: 'ada', bookId: book.id })
    hidden = ['tag', 'page', 'note']
    const { body } = await service.request('DELETE', `/api/book/${book.id}`, undefined, headers)
    hidden = []
    expect(body.changes).toEqual([
      { action: 'Delete', resource: 'book', id: book.id, before: { title: 'b', owner: 'ada' } },
    ])
  })

  test('have the links to those that it lets see, and none to the others', async () => {
    const [one, two] = [
      await service.add('/api/tag', { name: 't', owner: 'ada' }),
      await service.add('/api/tag', { name: 'u', owner: 'ada' }),
    ]
    const { id } = await service.add('/api/book', { title: 'b', owner: 'ada', tags: [{ id: one.id }] })
    const link = { resource: 'book', id, relation: 'tags' }
    const changesOf = async (method: string, path: string, body?: unknown) => {
      const preview = { prefer: 'return=effects, tx=rollback' }
      return (await service.request(method, path, body, preview)).body.changes
    }
    const tags = [{ id: one.id, $remove: true }, { id: two.id }]
    const patch = () => changesOf('PATCH', `/api/book/${id}`, { tags })
    expect(await patch()).toEqual([
      { action: 'Unlink', ...link, to: one.id, pointer: '/tags/0' },
      { action: 'Link', ...link, to: two.id, pointer: '/tags/1' },
    ])
    expect(await changesOf('PUT', `/api/book/${id}/tags/${two.id}`)).toMatchObject([{ action: 'Link', to: two.id }])
    const requests = [{ method: 'PATCH', path: `/book/${id}`, body: { tags } }]
    expect(await changesOf('POST', '/api/$batch', { requests })).toMatchObject([
      { action: 'Unlink', to: one.id },
      { action: 'Link', to: two.id },
    ])
    hidden = ['tag']
    const left = [await patch(), await changesOf('POST', '/api/$batch', { requests })]
    hidden = []
    expect(left).toEqual([undefined, undefined])
  })
})

const shared = defineResources(
  {
    shop: { id: 'text', fields: {} },
    memo: { fields: { text } },
  },
  { tenant: { resource: 'shop' } },
)

const crossing = defineActions(shared, {
  memo: {
    cross: {
      on: 'list',
      asks: 'View',
      async run({ db, store }) {
        const { crud } = crossed
        await crud.in(db).asSystem({ tenant: 'b' }).memo.create({ text: 'zebra' })
        await store.memo.create({ text: 'mine' })
      },
    },
  },
})

// biome-ignore lint/suspicious/noExplicitAny: the store of the service, which is there later
const crossed: { crud: any } = { crud: undefined }

describeOnBoth('effects in a model with tenants', (database) => {
  const service = useApp(database, shared, { plugin: { tenant: () => 'a', actions: crossing as never } })

  test('have nothing of what an action writes to another tenant', async () => {
    for (const id of ['a', 'b'])
      await service.db
        .insertInto('shop')
        .values({ id } as never)
        .execute()
    crossed.crud = crudOf(service)
    const { status, body } = await service.request('POST', '/api/memo/$act/cross', undefined, headers)
    expect([status, JSON.stringify(body).includes('zebra')]).toEqual([200, false])
    expect(body.changes).toMatchObject([{ action: 'Add', resource: 'memo', after: { text: 'mine' } }])
    expect(await service.db.selectFrom('memo').selectAll().execute()).toHaveLength(2)
  })
})
