import { Type } from '@sinclair/typebox'
import { createStore, defineResources, knows } from 'fastify-crud'
import { beforeEach, expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../test/support/json-body.ts'
import { ada, asCaller, caller } from './support/as-caller.ts'

const forbidden = { code: 'CRUD_ERR_FORBIDDEN' } as const

/** Both ends of a link show it. */
const blog = defineResources({
  article: {
    fields: { title: Type.String(), orgId: Type.Integer() },
    relations: { tags: knows.many('tag', { through: 'article_tag', from: 'articleId', to: 'tagId' }) },
  },
  tag: {
    fields: { name: Type.String(), orgId: Type.Integer(), state: Type.String({ default: 'open' }) },
    relations: { articles: knows.many('article', { through: 'article_tag', from: 'tagId', to: 'articleId' }) },
  },
})

describeOnBoth('a link table that both ends share', (database) => {
  const service = useApp(database, blog, {
    plugin: {
      caller,
      policies: {
        article: ({ eb, my }) => eb('orgId', '=', my('org')),
        tag: {
          View: ({ eb, my }) => eb('orgId', '=', my('org')),
          Add: true,
          Edit: ({ eb }) => eb('state', '=', 'open'),
          Delete: true,
        },
      },
    },
  })
  const client = asCaller(service, ada)
  const all = () => createStore({ db: service.db, resources: blog })
  let tags: Record<'open' | 'locked' | 'hidden' | 'free', JsonBody>
  let article: JsonBody
  let path: string

  beforeEach(async () => {
    const add = (name: string, state: string, orgId = 1) => all().tag.create({ name, state, orgId })
    tags = {
      open: await add('open', 'open'),
      free: await add('free', 'open'),
      locked: await add('locked', 'locked'),
      hidden: await add('zebra', 'open', 2),
    }
    article = await all().article.create({ title: 'a', orgId: 1, tags: [{ id: tags.open.id }, { id: tags.hidden.id }] })
    path = `/api/article/${article.id}`
  })

  const links = async () => (await all().article.find(article.id)).tags.map(({ name }) => name)

  test('shows from both ends what is in View', async () => {
    expect((await client.read(path)).tags.map(({ name }: JsonBody) => name)).toEqual(['open'])
    expect((await client.read(`/api/tag/${tags.open.id}`)).articles).toMatchObject([{ id: article.id }])
    const other = await all().article.create({ title: 'zebra', orgId: 2, tags: [{ id: tags.open.id }] })
    expect((await client.read(`/api/tag/${tags.open.id}`)).articles.map(({ id }: JsonBody) => id)).toEqual([article.id])
    expect((await client.put(`/api/tag/${tags.open.id}`, { name: 'open', orgId: 1, articles: [] })).status).toBe(200)
    expect((await all().article.find(other.id)).tags).toHaveLength(1)
  })

  test('changes where both records are in Edit', async () => {
    expect((await client.put(path, { title: 'a', orgId: 1, tags: [{ id: tags.free.id }] })).status).toBe(200)
    expect(await links()).toEqual(['free', 'zebra'])
    expect((await client.patch(`/api/tag/${tags.open.id}`, { articles: [{ id: article.id }] })).status).toBe(200)
    expect((await links()).sort()).toEqual(['free', 'open', 'zebra'])
  })

  test('does not change where the other record is outside of Edit', async () => {
    await client.refuse('PATCH', path, { tags: [{ id: tags.locked.id }] }, forbidden)
    await client.refuse('PATCH', `/api/tag/${tags.locked.id}`, { articles: [{ id: article.id }] }, forbidden)
    await all().article.patch(article.id, { tags: [{ id: tags.locked.id }] })
    await client.refuse('PUT', path, { title: 'a', orgId: 1, tags: [] }, forbidden)
    const { tags: shown } = await client.read(path)
    expect((await client.put(path, { title: 'b', orgId: 1, tags: shown })).status).toBe(200)
  })
})

const library = defineResources({
  shelf: {
    fields: { name: Type.String() },
    relations: { labels: knows.many('label', { through: 'shelf_label', from: 'shelfId', to: 'labelId' }) },
    unique: [['name']],
  },
  label: {
    relations: { shelves: knows.many('shelf', { through: 'shelf_label', from: 'labelId', to: 'shelfId' }) },
  },
})

describeOnBoth('a link to a record that may not be stored changed', (database) => {
  const service = useApp(database, library, {
    plugin: {
      caller,
      policies: { shelf: true, label: { View: true, Add: true, Edit: { before: true, after: false } } },
    },
  })

  test('is 403, also where a unique value of the request is taken', async () => {
    const client = asCaller(service, ada)
    const { body: label } = await client.post('/api/label', {})
    await client.post('/api/shelf', { name: 'blue' })
    const labels = [{ id: label.id }]
    await client.refuse('POST', '/api/shelf', { name: 'red', labels }, forbidden)
    await client.refuse('POST', '/api/shelf', { name: 'blue', labels }, forbidden)
    await client.refuse('POST', '/api/shelf', { name: 'blue' }, { code: 'CRUD_ERR_NOT_UNIQUE' })
  })
})
