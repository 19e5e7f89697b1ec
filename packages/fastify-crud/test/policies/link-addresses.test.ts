import { Type } from '@sinclair/typebox'
import { createStore, defineResources, knows, needs } from 'fastify-crud'
import { beforeEach, expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../test/support/json-body.ts'
import { ada, asCaller, caller, missingId } from './support/as-caller.ts'

const name = Type.String()
const forbidden = { code: 'CRUD_ERR_FORBIDDEN' } as const
const notFound = { code: 'CRUD_ERR_NOT_FOUND' } as const

/** Ada sees the rows of organisation 1, and edits those that are open. */
const shelf = defineResources({
  tag: { fields: { name, org: Type.Integer() } },
  author: { fields: { name, org: Type.Integer() } },
  book: {
    fields: { name, org: Type.Integer(), isOpen: Type.Boolean({ default: true }) },
    relations: { tags: knows.many('tag'), authors: needs.many('author') },
  },
})

describeOnBoth('policies, about one link,', (database) => {
  const service = useApp(database, shelf, {
    plugin: {
      caller,
      policies: {
        tag: ({ eb, my }) => eb('org', '=', my('org')),
        author: ({ eb, my }) => eb('org', '=', my('org')),
        book: {
          View: ({ eb, my }) => eb('org', '=', my('org')),
          Edit: ({ eb, my }) => eb.and([eb('org', '=', my('org')), eb('isOpen', '=', true)]),
          Add: true,
          Delete: true,
        },
      },
    },
  })
  const client = asCaller(service, ada)
  const all = () => createStore({ db: service.db, resources: shelf })
  let tags: Record<'mine' | 'hidden', JsonBody>
  let [ann, zed]: JsonBody[] = []
  let books: Record<'open' | 'closed' | 'hidden', JsonBody>
  const at = (book: keyof typeof books) => `/api/book/${books[book].id}`

  beforeEach(async () => {
    tags = {
      mine: await all().tag.create({ name: 'mine', org: 1 }),
      hidden: await all().tag.create({ name: 'zebra', org: 2 }),
    }
    ann = await all().author.create({ name: 'Ann', org: 1 })
    zed = await all().author.create({ name: 'Zebra', org: 2 })
    const linked = {
      tags: [{ id: tags.hidden.id }],
      authors: [{ id: ann?.id as number }, { id: zed?.id as number }],
    }
    books = {
      open: await all().book.create({ name: 'open', org: 1, isOpen: true, ...linked }),
      closed: await all().book.create({ name: 'closed', org: 1, isOpen: false, ...linked }),
      hidden: await all().book.create({ name: 'zebra', org: 2, isOpen: true, ...linked }),
    }
  })

  test('a record that may be seen and not edited is 403, also if nothing changes', async () => {
    for (const method of ['PUT', 'DELETE']) {
      await client.refuse(method, `${at('closed')}/tags/${tags.mine.id}`, undefined, forbidden)
    }
    expect((await client.read(`${at('closed')}/authors`)).rows).toMatchObject([{ name: 'Ann' }])
  })

  test('a record that may not be seen is not there: 404 for every method', async () => {
    for (const method of ['GET', 'PUT', 'DELETE']) {
      const link = method === 'GET' ? 'tags' : `tags/${tags.mine.id}`
      await client.refuseLikeMissing(books.hidden.id, (id) => [method, `/api/book/${id}/${link}`], notFound)
    }
  })

  test('a link that may not be seen is not there: 404 for PUT, and nothing is removed by DELETE', async () => {
    await client.refuseLikeMissing(tags.hidden.id, (id) => ['PUT', `${at('open')}/tags/${id}`], notFound)
    const before = await service.snapshot()
    for (const id of [tags.hidden.id, missingId]) {
      expect((await client.delete(`${at('open')}/tags/${id}`)).status).toBe(204)
    }
    expect(await service.snapshot()).toEqual(before)
    expect(await client.read(`${at('open')}/tags`)).toEqual({ rows: [], count: 0 })
    expect((await client.put(`${at('open')}/tags/${tags.mine.id}`, undefined)).status).toBe(204)
    expect(await client.read(`${at('open')}/tags`)).toEqual({ rows: [tags.mine], count: 1 })
    expect((await all().book.find(books.open.id)).tags).toHaveLength(2)
  })

  test('a tag that is not there comes before the policy on the record: 404', async () => {
    await client.refuseLikeMissing(tags.hidden.id, (id) => ['PUT', `${at('closed')}/tags/${id}`], notFound)
  })

  test('the last one that is needed is the last that may be seen', async () => {
    const refused = { code: 'CRUD_ERR_STILL_NEEDED' } as const
    await client.refuse('DELETE', `${at('open')}/authors/${ann?.id}`, undefined, refused)
    expect((await client.delete(`${at('open')}/authors/${zed?.id}`)).status).toBe(204)
    expect((await all().book.find(books.open.id)).authors).toHaveLength(2)
  })

  test('filters and counts of the page leave out what may not be seen', async () => {
    const page = `${at('open')}/authors?filter=${encodeURIComponent('{"not":{"name":"Ann"}}')}`
    expect(await client.read(page)).toEqual({ rows: [], count: 0 })
    expect(await client.read(`${at('open')}/authors?sort=-name&count=exact`)).toEqual({ rows: [ann], count: 1 })
  })
})
