import { Type } from '@sinclair/typebox'
import { defineResources, ownedBy, owns } from 'fastify-crud'
import { beforeEach, expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../test/support/json-body.ts'
import { asCaller, caller, type Policies } from './support/as-caller.ts'

const forbidden = { code: 'CRUD_ERR_FORBIDDEN' } as const
const notFound = { code: 'CRUD_ERR_NOT_FOUND' } as const

const documents = defineResources({
  document: {
    fields: { title: Type.String() },
    relations: { members: owns.many('member'), pages: owns.many('page') },
  },
  member: {
    fields: { userId: Type.Integer(), role: Type.String() },
    relations: { document: ownedBy('document') },
  },
  page: { fields: { text: Type.String() }, relations: { document: ownedBy('document') } },
})

/** A policy for those who are members of the document in one of these roles. */
const shared =
  (...roles: string[]): Policies[string] =>
  ({ eb, my }) =>
    eb.exists(
      eb
        .selectFrom('member')
        .select('member.id')
        .whereRef('member.documentId', '=', 'document.id')
        .where('member.userId', '=', my('id'))
        .where('member.role', 'in', roles),
    )

describeOnBoth('documents that are shared by a table of members', (database) => {
  const service = useApp(database, documents, {
    plugin: {
      caller,
      policies: {
        document: {
          View: shared('reader', 'editor', 'owner'),
          Add: shared('owner'),
          Edit: shared('editor', 'owner'),
          Delete: shared('owner'),
        },
      } as Policies,
    },
  })
  const [owner, editor, reader, stranger] = [1, 2, 3, 4].map((user) => asCaller(service, { user })) as [
    ReturnType<typeof asCaller>,
    ReturnType<typeof asCaller>,
    ReturnType<typeof asCaller>,
    ReturnType<typeof asCaller>,
  ]
  let document: JsonBody
  let path: string

  beforeEach(async () => {
    const members = ['owner', 'editor', 'reader'].map((role, index) => ({ role, userId: index + 1 }))
    const answer = await owner.post('/api/document', { title: 'd', members, pages: [{ text: 'p' }] })
    expect(answer.status, JSON.stringify(answer.body)).toBe(201)
    document = answer.body
    path = `/api/document/${document.id}`
  })

  test('are seen by their members only', async () => {
    for (const client of [owner, editor, reader]) {
      expect(await client.read(path)).toEqual(document)
      expect(await client.read('/api/document')).toEqual({ rows: [document], count: 1 })
      expect((await client.read(`${path}/page`)).count).toBe(1)
    }
    await stranger.refuse('GET', path, undefined, notFound)
    await stranger.refuse('GET', `${path}/page`, undefined, notFound)
    expect(await stranger.read('/api/document')).toEqual({ rows: [], count: 0 })
  })

  test('are edited by editors, with all that they own', async () => {
    expect((await editor.patch(path, { title: 'e', pages: [{ text: 'q' }] })).status).toBe(200)
    await reader.refuse('PATCH', path, { title: 'x' }, forbidden)
    await reader.refuse('POST', `${path}/page`, { text: 'x' }, forbidden)
    await reader.refuse('PATCH', `${path}/page/${document.pages[0].id}`, { text: 'x' }, forbidden)
    await stranger.refuse('PATCH', path, { title: 'x' }, notFound)
    await stranger.refuse('POST', `${path}/page`, { text: 'x' }, notFound)
  })

  test('are deleted by their owner', async () => {
    await editor.refuse('DELETE', path, undefined, forbidden)
    await stranger.refuse('DELETE', path, undefined, notFound)
    expect((await owner.delete(path)).status).toBe(204)
  })

  test('are added with their members: the policy looks at what is stored', async () => {
    const body = (userId: number, role: string) => ({ title: 'n', members: [{ userId, role }] })
    expect((await stranger.post('/api/document', body(4, 'owner'))).status).toBe(201)
    await stranger.refuse('POST', '/api/document', body(4, 'editor'), forbidden)
    await stranger.refuse('POST', '/api/document', body(1, 'owner'), forbidden)
    await stranger.refuse('POST', '/api/document', { title: 'n' }, forbidden)
  })

  test('are not joined by a stranger', async () => {
    await stranger.refuse('POST', `${path}/member`, { userId: 4, role: 'owner' }, notFound)
    await reader.refuse('POST', `${path}/member`, { userId: 3, role: 'owner' }, forbidden)
  })

  test('are hidden from a member who is removed', async () => {
    const [, , third] = document.members
    expect((await owner.delete(`${path}/member/${third.id}`)).status).toBe(204)
    await reader.refuse('GET', path, undefined, notFound)
  })
})
