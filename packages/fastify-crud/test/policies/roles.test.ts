import { beforeEach, expect, test } from 'vitest'
import { type TestApp, useApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../test/support/json-body.ts'
import { tickets } from './models/tickets.ts'
import { asCaller, caller, type Policies, type Who } from './support/as-caller.ts'

const forbidden = { code: 'CRUD_ERR_FORBIDDEN' } as const

const policies: Policies = {
  ticket: {
    author: ({ eb, my }) => eb('authorId', '=', my('id')),
    assignee: {
      View: ({ eb, my }) => eb('assigneeId', '=', my('id')),
      Edit: ({ eb, my }) => eb('assigneeId', '=', my('id')),
    },
    auditor: { View: true },
    opener: { Add: true },
    reader: { View: ({ eb, my }) => eb.or([eb('state', '=', 'public'), eb('authorId', '=', my('id'))]) },
    other: { View: ({ eb, my }) => eb('authorId', '!=', my('id')) },
    admin: true,
    nobody: false,
  },
}

describeOnBoth('policies of roles', (database) => {
  const service = useApp(database, tickets, { plugin: { caller, policies } })
  let ids: Record<'mine' | 'forMe' | 'others' | 'open', number>

  beforeEach(async () => {
    const add = async (title: string, authorId: number, assigneeId: number | null, state = 'draft') => {
      const row = await service.db
        .insertInto('ticket')
        .values({ title, authorId, assigneeId, state })
        .returning('id')
        .executeTakeFirstOrThrow()
      return Number(row.id)
    }
    ids = {
      mine: await add('mine', 1, null),
      forMe: await add('for me', 2, 1),
      others: await add('of others', 2, 2),
      open: await add('open', 3, null, 'public'),
    }
  })

  const having = (...roles: string[]) => asCaller(service, { user: 1, roles })

  async function titles(app: TestApp, who: Who): Promise<string[]> {
    const { rows, count } = await asCaller(app, who).read('/api/ticket')
    expect(count).toBe(rows.length)
    return rows.map(({ title }: JsonBody) => title)
  }
  const seen = (...roles: string[]) => titles(service, { user: 1, roles })

  test('say what each role sees', async () => {
    expect(await seen('author')).toEqual(['mine'])
    expect(await seen('assignee')).toEqual(['for me'])
    expect(await seen('auditor')).toEqual(['mine', 'for me', 'of others', 'open'])
    expect(await seen('admin')).toEqual(['mine', 'for me', 'of others', 'open'])
    expect(await seen('nobody')).toEqual([])
  })

  test('are joined by OR, in whatever order a caller has them', async () => {
    expect(await seen('author', 'assignee')).toEqual(['mine', 'for me'])
    expect(await seen('assignee', 'author')).toEqual(['mine', 'for me'])
    expect(await seen('nobody', 'author')).toEqual(['mine'])
    expect(await seen('admin', 'nobody', 'author')).toHaveLength(4)
  })

  test('give nothing to a caller without roles, or with roles that they do not name', async () => {
    for (const roles of [[], ['intern'], ['View'], ['Edit', 'Add', 'Delete'], ['__proto__', 'constructor']]) {
      expect(await seen(...roles)).toEqual([])
      const client = having(...roles)
      await client.refuse('GET', `/api/ticket/${ids.mine}`, undefined, { code: 'CRUD_ERR_NOT_FOUND' })
      await client.refuse('DELETE', `/api/ticket/${ids.mine}`, undefined, { code: 'CRUD_ERR_NOT_FOUND' })
      await client.refuse('POST', '/api/ticket', { title: 'x', authorId: 1 }, forbidden)
    }
  })

  test('are false for an action that a role does not name', async () => {
    const assignee = having('assignee')
    expect((await assignee.patch(`/api/ticket/${ids.forMe}`, { title: 'changed' })).status).toBe(200)
    await assignee.refuse('DELETE', `/api/ticket/${ids.forMe}`, undefined, forbidden)
    await assignee.refuse('POST', '/api/ticket', { title: 'x', authorId: 1, assigneeId: 1 }, forbidden)
    const auditor = having('auditor')
    await auditor.refuse('PATCH', `/api/ticket/${ids.mine}`, { title: 'x' }, forbidden)
    await auditor.refuse('DELETE', `/api/ticket/${ids.mine}`, undefined, forbidden)
  })

  test('are joined for each action: one role lets see, another one edit', async () => {
    const client = having('auditor', 'author')
    expect((await client.patch(`/api/ticket/${ids.mine}`, { title: 'changed' })).status).toBe(200)
    await client.refuse('PATCH', `/api/ticket/${ids.others}`, { title: 'x' }, forbidden)
    expect((await client.delete(`/api/ticket/${ids.mine}`)).status).toBe(204)
    await client.refuse('DELETE', `/api/ticket/${ids.others}`, undefined, forbidden)
  })

  test('let a caller add what only another role would see', async () => {
    const answer = await having('opener').post('/api/ticket', { title: 'new', authorId: 2 })
    expect(answer).toMatchObject({ status: 201, body: undefined, headers: { 'preference-applied': 'return=minimal' } })
    expect(await seen('auditor')).toContain('new')
  })

  test('hold for what a record owns', async () => {
    const path = `/api/ticket/${ids.forMe}/comment`
    expect((await having('assignee').post(path, { text: 'c' })).status).toBe(201)
    await having('auditor').refuse('POST', path, { text: 'c' }, forbidden)
    await having('author').refuse('POST', path, { text: 'c' }, { code: 'CRUD_ERR_NOT_FOUND' })
  })

  test('are false as a whole where the caller lacks a value that they compare', async () => {
    expect(await seen('reader')).toEqual(['mine', 'open'])
    expect(await titles(service, { roles: ['reader'] })).toEqual([])
    expect(await titles(service, { user: 2, roles: ['other'] })).toEqual(['mine', 'open'])
    expect(await titles(service, { roles: ['other'] })).toEqual([])
    expect(await titles(service, { roles: ['reader', 'other', 'author', 'assignee'] })).toEqual([])
  })

  test('of other roles hold beside one that lacks a value', async () => {
    expect(await titles(service, { roles: ['reader', 'auditor'] })).toHaveLength(4)
    expect(await titles(service, { roles: ['admin', 'other'] })).toHaveLength(4)
  })
})
