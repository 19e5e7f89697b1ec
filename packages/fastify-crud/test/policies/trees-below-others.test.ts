import { Type } from '@sinclair/typebox'
import { createStore, defineResources, needs, ownedBy, owns } from 'fastify-crud'
import { beforeEach, expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../test/support/json-body.ts'
import { ada, asCaller, caller } from './support/as-caller.ts'

const notFound = { code: 'CRUD_ERR_NOT_FOUND' } as const

const blog = defineResources({
  post: { fields: { title: Type.String(), orgId: Type.Integer() }, relations: { comments: owns.many('comment') } },
  comment: {
    fields: { text: Type.String() },
    relations: { post: ownedBy('post'), answered: ownedBy('comment'), comments: owns.many('comment') },
  },
  like: { fields: { userId: Type.Integer() }, relations: { comment: needs.one('comment') } },
})

describeOnBoth('a node outside of View, in a tree that another record owns,', (database) => {
  const service = useApp(database, blog, {
    plugin: {
      caller,
      policies: {
        post: ({ eb, my }) => eb('orgId', '=', my('org')),
        comment: { View: ({ eb }) => eb('text', 'not like', 'zebra%'), Add: true, Edit: true, Delete: true },
        like: true,
      },
    },
  })
  const client = asCaller(service, ada)
  const all = () => createStore({ db: service.db, resources: blog })
  let post: JsonBody
  let hiddenPost: JsonBody
  let hiddenIds: number[]

  beforeEach(async () => {
    const below = [{ text: 'zebra', comments: [{ text: 'below a zebra' }] }, { text: 'b' }]
    post = await all().post.create({ title: 'p', orgId: 1, comments: [{ text: 'a', comments: below }] } as never)
    const others = [{ text: 'in a hidden post', comments: [{ text: 'deep in a hidden post' }] }]
    hiddenPost = await all().post.create({ title: 'zebra', orgId: 2, comments: others } as never)
    const [hidden] = post.comments[0].comments
    const [comment] = hiddenPost.comments
    hiddenIds = [hidden.id, hidden.comments[0].id, comment.id, comment.comments[0].id]
  })

  test('is not shown, nor anything below it', async () => {
    const [a] = post.comments
    const shown = [{ ...a, comments: a.comments.slice(1) }]
    expect(await client.read(`/api/post/${post.id}`)).toEqual({ ...post, comments: shown })
    expect(await client.read('/api/post')).toEqual({ rows: [{ ...post, comments: shown }], count: 1 })
    expect(await client.read(`/api/post/${post.id}/comment`)).toEqual({ rows: shown, count: 1 })
  })

  test('is not reached by any path, and cannot be referred to', async () => {
    for (const id of hiddenIds) {
      for (const owner of [post.id, hiddenPost.id]) {
        const path = `/api/post/${owner}/comment/${id}`
        await client.refuse('GET', path, undefined, notFound)
        await client.refuse('PATCH', path, { text: 'x' }, notFound)
        await client.refuse('DELETE', path, undefined, notFound)
        await client.refuse('POST', `${path}/comment`, { text: 'x' }, notFound)
      }
      await client.refuseLikeMissing(id, (one) => ['POST', '/api/like', { userId: 1, commentId: one }], {
        code: 'CRUD_ERR_UNKNOWN_REFERENCE',
        pointers: ['/commentId'],
      })
      const like = await all().like.create({ userId: 1, commentId: id })
      expect(await client.read(`/api/like/${like.id}`)).toMatchObject({ commentId: id, comment: null })
    }
  })

  test('stays where its owner is replaced, and goes where it is deleted', async () => {
    const [a] = post.comments
    const body = { title: 'p', orgId: 1, comments: [{ id: a.id, text: 'A' }] }
    expect((await client.put(`/api/post/${post.id}`, body)).body.comments).toEqual([{ ...a, text: 'A', comments: [] }])
    const stored = (await all().post.find(post.id)) as JsonBody
    expect(stored.comments).toEqual([{ ...a, text: 'A', comments: a.comments.slice(0, 1) }])
    expect((await client.delete(`/api/post/${post.id}`)).status).toBe(204)
    expect((await all().post.list()).rows).toEqual([hiddenPost])
  })

  test('that a hidden row needs blocks without saying what it is', async () => {
    await all().like.create({ userId: 1, commentId: hiddenIds[1] ?? 0 })
    const { detail, errors } = await client.refuse('DELETE', `/api/post/${post.id}`, undefined, {
      code: 'CRUD_ERR_STILL_NEEDED',
      detail: /still needed/,
    })
    expect(`${detail}${JSON.stringify(errors)}`).not.toMatch(new RegExp(`comment|\\b(${hiddenIds.join('|')})\\b`))
  })
})
