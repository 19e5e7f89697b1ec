import { Type } from '@sinclair/typebox'
import { defineResources, ownedBy, owns } from 'fastify-crud'
import { beforeEach, expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../test/support/json-body.ts'

const forum = defineResources({
  post: { fields: { title: Type.String() }, relations: { comments: owns.many('comment') } },
  comment: {
    fields: { text: Type.String() },
    relations: {
      post: ownedBy('post'),
      parent: ownedBy('comment', { optional: true }),
      replies: owns.many('comment'),
    },
  },
})

describeOnBoth('trees that somebody else owns', (database) => {
  const service = useApp(database, forum)
  let post: JsonBody
  let path: string
  let nodes: JsonBody[]

  beforeEach(async () => {
    const replies = [{ text: 'c1.1', replies: [{ text: 'c1.1.1' }] }]
    post = await service.add('/api/post', { title: 'p', comments: [{ text: 'c1', replies }, { text: 'c2' }] })
    path = `/api/post/${post.id}`
    const [c1, c2] = post.comments
    nodes = [c1, c1.replies[0], c1.replies[0].replies[0], c2]
  })

  test('are not reached at the top, at any depth', async () => {
    const missing = { code: 'CRUD_ERR_NOT_FOUND' } as const
    for (const { id } of nodes) {
      const top = `/api/comment/${id}`
      await service.refuse('GET', top, undefined, missing)
      await service.refuse('PUT', top, { text: 'x' }, missing)
      await service.refuse('PUT', '/api/comment', { id, text: 'x' }, missing)
      await service.refuse('PATCH', top, { text: 'x' }, missing)
      await service.refuse('DELETE', top, undefined, missing)
      await service.refuse('GET', `${top}/comment`, undefined, missing)
      await service.refuse('POST', `${top}/comment`, { text: 'x' }, missing)
      await service.refuse('POST', `${top}/comment/999`, { text: 'x' }, missing)
      for (const { id: below } of nodes) {
        await service.refuse('GET', `${top}/comment/${below}`, undefined, missing)
        await service.refuse('PATCH', `${top}/comment/${below}`, { text: 'x' }, missing)
        await service.refuse('DELETE', `${top}/comment/${below}`, undefined, missing)
      }
    }
    expect(await service.read('/api/comment')).toEqual({ rows: [], count: 0 })
  })

  test('are reached through their owner, every node of them', async () => {
    for (const node of nodes) {
      const through = `${path}/comment/${node.id}`
      expect(await service.read(through)).toEqual(node)
      expect((await service.patch(through, { text: 'patched' })).body).toEqual({ ...node, text: 'patched' })
      expect((await service.put(through, node)).body).toEqual(node)
    }
    expect(await service.read(path)).toEqual(post)
    expect(await service.read(`${path}/comment`)).toEqual({ rows: post.comments, count: 2 })
    for (const { id } of [...nodes].reverse()) expect((await service.delete(`${path}/comment/${id}`)).status).toBe(204)
    expect((await service.snapshot()).comment).toEqual([])
  })

  test('are not reached through another owner', async () => {
    const other = await service.add('/api/post', { title: 'q' })
    const missing = { code: 'CRUD_ERR_NOT_FOUND' } as const
    for (const { id } of nodes) {
      const through = `/api/post/${other.id}/comment/${id}`
      await service.refuse('GET', through, undefined, missing)
      await service.refuse('PUT', through, { text: 'x' }, missing)
      await service.refuse('PATCH', through, { text: 'x' }, missing)
      await service.refuse('DELETE', through, undefined, missing)
    }
  })

  test('that nobody owns are reached at the top', async () => {
    const root = await service.add('/api/comment', { text: 'r', replies: [{ text: 'r1' }] })
    for (const node of [root, root.replies[0]]) expect(await service.read(`/api/comment/${node.id}`)).toEqual(node)
    expect(await service.read('/api/comment')).toEqual({ rows: [root], count: 1 })
    await service.refuse('GET', `${path}/comment/${root.id}`, undefined, { code: 'CRUD_ERR_NOT_FOUND' })
  })

  test('a PUT of the owner and one of a node at the same time are as if one came after the other', async () => {
    for (let round = 0; round < 10; round++) {
      const { id, comments } = await service.add('/api/post', {
        title: 'p',
        comments: [{ text: 'c1', replies: [{ text: 'c1.1' }] }],
      })
      const [c1] = comments
      const [c11] = c1.replies
      const replies = [{ id: c11.id, text: 'by post' }]
      const answers = await Promise.all([
        service.put(`/api/post/${id}`, { title: 'q', comments: [{ id: c1.id, text: 'by post', replies }] }),
        service.put(`/api/post/${id}/comment/${c11.id}`, { text: 'by node', replies: [{ text: 'new' }] }),
      ])
      expect(answers.map(({ status }) => status)).toEqual([200, 200])
      const nodeLast = { id: c11.id, text: 'by node', replies: [expect.objectContaining({ text: 'new', replies: [] })] }
      const postLast = { id: c11.id, text: 'by post', replies: [] }
      const state = await service.read(`/api/post/${id}`)
      const after = (last: object) => ({
        id,
        title: 'q',
        comments: [{ id: c1.id, text: 'by post', replies: [last] }],
      })
      expect([after(nodeLast), after(postLast)]).toContainEqual(state)
    }
  })
})
