import { Type } from '@sinclair/typebox'
import { createStore, defineResources, knows, ownedBy, owns } from 'fastify-crud'
import { sql } from 'kysely'
import { beforeEach, expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../test/support/json-body.ts'
import { ada, asCaller, caller, type Policies } from './support/as-caller.ts'

const notFound = { code: 'CRUD_ERR_NOT_FOUND' } as const
const forbidden = { code: 'CRUD_ERR_FORBIDDEN' } as const

const posts = defineResources({
  board: { fields: { name: Type.String() }, relations: { posts: owns.many('post') } },
  post: {
    fields: { text: Type.String(), authorId: Type.Integer(), state: Type.String({ default: 'draft' }) },
    relations: { board: ownedBy('board') },
  },
})

const byOr: Policies[string] = ({ eb, my }) => eb.or([eb('authorId', '=', my('id')), eb('state', '=', 'public')])
const bySql: Policies[string] = ({ my }) => sql<boolean>`"authorId" = ${my('id', 'integer')} or "state" = 'public'`

describeOnBoth('a policy with OR', (database) => {
  for (const [title, post] of [
    ['of the expression builder', byOr],
    ['written in SQL', bySql],
  ] as const) {
    const service = useApp(database, posts, { plugin: { caller, policies: { board: true, post } } })
    const client = asCaller(service, ada)

    test(`${title} reaches no row of another owner`, async () => {
      const all = createStore({ db: service.db, resources: posts })
      const create = (name: string, ...authors: number[]) =>
        all.board.create({
          name,
          posts: authors.map((authorId) => ({
            text: authorId === 2 ? 'zebra' : 'seen',
            authorId,
            state: authorId === 3 ? 'public' : 'draft',
          })),
        })
      const [first, second] = [await create('first', 1, 2, 3), await create('second', 1, 2, 3)]
      const seen = first.posts.filter(({ text }) => text === 'seen')
      expect(seen).toHaveLength(2)
      expect(await client.read(`/api/board/${first.id}/post`)).toEqual({ rows: seen, count: 2 })
      expect((await client.read(`/api/board/${first.id}`)).posts).toEqual(seen)
      for (const { id } of second.posts) {
        await client.refuse('GET', `/api/board/${first.id}/post/${id}`, undefined, notFound)
        await client.refuse('PATCH', `/api/board/${first.id}/post/${id}`, { text: 'x' }, notFound)
        await client.refuse('DELETE', `/api/board/${first.id}/post/${id}`, undefined, notFound)
      }
      expect((await client.put(`/api/board/${first.id}`, { name: 'new', posts: [] })).status).toBe(200)
      expect((await all.board.find(first.id)).posts).toEqual(first.posts.filter(({ text }) => text === 'zebra'))
      expect(await all.board.find(second.id)).toEqual(second)
    })
  }
})

const documents = defineResources({
  document: {
    fields: { title: Type.String() },
    relations: {
      members: owns.many('member'),
      origin: knows.one('document'),
      similar: knows.many('document'),
      parts: owns.many('document'),
      whole: ownedBy('document', { optional: true }),
    },
  },
  member: { fields: { userId: Type.Integer() }, relations: { document: ownedBy('document') } },
})

describeOnBoth('a policy that refers to its own table in a subquery', (database) => {
  const service = useApp(database, documents, {
    plugin: {
      caller,
      policies: {
        document: ({ eb, my }) =>
          eb.exists(
            eb
              .selectFrom('member')
              .select('member.id')
              .whereRef('member.documentId', '=', 'document.id')
              .where('member.userId', '=', my('id')),
          ),
      },
    },
  })
  const client = asCaller(service, ada)
  const all = () => createStore({ db: service.db, resources: documents })
  const mine = [{ userId: 1 }]
  const theirs = [{ userId: 2 }]
  let open: JsonBody
  let hidden: JsonBody

  beforeEach(async () => {
    open = await all().document.create({ title: 'open', members: mine })
    hidden = await all().document.create({ title: 'zebra', members: theirs })
  })

  test('is about the row that is shown, wherever it is shown', async () => {
    const { id } = await all().document.create({
      title: 'whole',
      members: mine,
      originId: hidden.id,
      similar: [{ id: open.id }, { id: hidden.id }],
      parts: [
        { title: 'part', members: mine, originId: open.id, parts: [{ title: 'zebra', members: theirs }] },
        { title: 'zebra', members: theirs, parts: [{ title: 'zebra, though shared', members: mine }] },
      ],
    })
    const shown = await client.read(`/api/document/${id}`)
    expect(shown).toMatchObject({
      origin: null,
      originId: hidden.id,
      similar: [{ id: open.id, title: 'open' }],
      parts: [{ title: 'part', origin: { title: 'open' }, parts: [] }],
    })
    expect([shown.similar.length, shown.parts.length]).toEqual([1, 1])
    const { rows, count } = await client.read('/api/document')
    expect([rows.map(({ title }: JsonBody) => title), count]).toEqual([['open', 'whole'], 2])
    expect((await client.read(`/api/document/${id}/document`)).count).toBe(1)
    expect((await client.put(`/api/document/${id}`, { ...shown, title: 'new' })).status).toBe(200)
    expect((await all().document.find(id)).similar).toHaveLength(2)
  })

  test('holds for what is written, at any place of the body', async () => {
    const path = `/api/document/${open.id}`
    await client.refuse('PATCH', path, { similar: [{ id: hidden.id }] }, { code: 'CRUD_ERR_UNKNOWN_REFERENCE' })
    await client.refuse('PATCH', path, { originId: hidden.id }, { code: 'CRUD_ERR_UNKNOWN_REFERENCE' })
    await client.refuse('PATCH', path, { parts: [{ title: 'x', members: theirs }] }, forbidden)
    await client.refuse('POST', '/api/document', { title: 'x', members: theirs }, forbidden)
    const part = await client.post(`${path}/document`, { title: 'x', members: mine, originId: open.id })
    expect(part).toMatchObject({ status: 201, body: { title: 'x', origin: { title: 'open' } } })
    await client.refuse('PATCH', `/api/document/${hidden.id}`, { title: 'x' }, notFound)
    await client.refuse('DELETE', `/api/document/${hidden.id}`, undefined, notFound)
    expect((await client.delete(path)).status).toBe(204)
  })
})

describeOnBoth('a policy', (database) => {
  const people = defineResources({
    person: {
      table: 'people',
      columns: { orgId: 'org_id' },
      fields: { name: Type.String(), orgId: Type.Integer() },
      relations: { friend: knows.one('person') },
    },
  })
  const service = useApp(database, people, {
    plugin: { caller, policies: { person: ({ eb, my }) => eb('people.org_id', '=', my('org')) } },
  })
  const client = asCaller(service, ada)

  test('names the columns that the table really has', async () => {
    const all = createStore({ db: service.db, resources: people })
    const hidden = await all.person.create({ name: 'zebra', orgId: 2 })
    const { id } = await all.person.create({ name: 'ours', orgId: 1, friendId: hidden.id })
    expect((await client.read('/api/person')).rows).toEqual([
      { id, name: 'ours', orgId: 1, friendId: hidden.id, friend: null },
    ])
    await client.refuse('PATCH', `/api/person/${id}`, { orgId: 2 }, forbidden)
    await client.refuse('PATCH', `/api/person/${hidden.id}`, { orgId: 1 }, notFound)
    expect((await client.patch(`/api/person/${id}`, { name: 'new', friendId: id })).body.friend.name).toBe('new')
  })
})
