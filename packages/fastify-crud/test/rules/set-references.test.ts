import { beforeEach, expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../test/support/json-body.ts'
import { updatesIn, writesIn } from '../../../../test/support/statement-log.ts'
import { asCaller, type Client, caller } from '../policies/support/as-caller.ts'
import { type DeskRows, desk, deskRules, fillDesk } from './support/desk.ts'
import { withRules } from './support/rules.ts'

const invalid = 'CRUD_ERR_INVALID'

describeOnBoth('`set` of foreign keys', (database) => {
  const service = useApp(database, desk, withRules(deskRules, { caller }))
  let rows: DeskRows
  let ada: Client
  let bo: Client
  let ticket: JsonBody
  let path: string

  beforeEach(async () => {
    rows = await fillDesk(service.db)
    ada = asCaller(service, { user: rows.ada.id, org: rows.north.id })
    bo = asCaller(service, { user: rows.bo.id, org: rows.south.id })
    const comments = [{ text: 'a', replies: [{ text: 'r' }] }, { text: 'b' }]
    const answer = await ada.post('/api/ticket', { title: 'Ink', topicId: rows.south.id, comments })
    expect(answer.status, JSON.stringify(answer.body)).toBe(201)
    ticket = answer.body
    path = `/api/ticket/${ticket.id}`
  })

  test('gives them to new rows at every depth, and the answer has the records that they name', () => {
    const { north, south, ada } = rows
    expect(ticket).toMatchObject({
      orgId: north.id,
      org: north,
      topicId: south.id,
      createdById: ada.id,
      createdBy: ada,
    })
    const [first, second] = ticket.comments
    expect(first).toMatchObject({ authorId: ada.id, author: ada, replies: [{ writtenBy: ada.id, author: ada }] })
    expect(second).toMatchObject({ authorId: ada.id })
  })

  test('gives them to a row that is added below an owner', async () => {
    const added = await bo.post(`${path}/comment`, { text: 'c', replies: [{ text: 's' }] })
    expect(added).toMatchObject({ status: 201, body: { authorId: rows.bo.id, replies: [{ writtenBy: rows.bo.id }] } })
    const { body } = await bo.put(path, { ...ticket, comments: [...ticket.comments, { text: 'd' }] })
    expect(body.comments.map(({ authorId }: JsonBody) => authorId)).toEqual([rows.ada.id, rows.ada.id, rows.bo.id])
  })

  test('stores what it answers, for filters too', async () => {
    expect(await ada.read(path)).toEqual(ticket)
    await bo.post('/api/ticket', { title: 'Pens' })
    expect((await ada.read(`/api/ticket?filter[orgId]=${rows.south.id}`)).rows).toMatchObject([{ title: 'Pens' }])
    expect((await ada.read('/api/ticket?filter[createdBy.name]=Bo')).rows).toMatchObject([{ title: 'Pens' }])
  })

  test('leaves them alone in a row that is changed, unless it says `on: "change"`', async () => {
    const { body } = await bo.patch(path, { title: 'Blue ink' })
    expect(body).toMatchObject({ orgId: rows.north.id, createdById: rows.ada.id, updatedById: rows.bo.id })
    expect(body.updatedBy).toEqual(rows.bo)
  })

  test('changes them with a reference that the body names', async () => {
    const { body } = await bo.patch(path, { topicId: rows.north.id })
    expect(body).toMatchObject({ topicId: rows.north.id, orgId: rows.north.id, updatedById: rows.bo.id })
  })

  test('does not change a row that has no other change, whoever sends what GET returned', async () => {
    const statements = await service.statements(async () => {
      expect(await bo.put(path, ticket)).toMatchObject({ status: 200, body: ticket })
      expect((await bo.patch(path, { title: 'Ink', topicId: rows.south.id })).status).toBe(200)
    })
    expect(writesIn(statements)).toEqual([])
  })

  test('changes only the row that a PUT changes', async () => {
    const [first, second] = ticket.comments
    const statements = await service.statements(async () => {
      const { body } = await bo.put(path, { ...ticket, comments: [first, { ...second, text: 'B' }] })
      expect(body).toMatchObject({ updatedById: rows.ada.id, comments: [{ text: 'a' }, { text: 'B' }] })
    })
    expect(updatesIn(statements)).toHaveLength(1)
  })

  test('makes them read-only: POST and PATCH with one are 400, at every depth, also with the value that they have', async () => {
    const comment = { text: 'x', authorId: rows.ada.id, replies: [{ text: 'y', writtenBy: rows.ada.id }] }
    const body = { title: 't', orgId: rows.north.id, createdById: null, comments: [comment] }
    const pointers = ['/orgId', '/createdById', '/comments/0/authorId', '/comments/0/replies/0/writtenBy']
    const problem = await ada.refuse('POST', '/api/ticket', body, { code: invalid, pointers })
    for (const { message } of problem.errors) expect(message).toBe('is read-only: leave it out')
    await ada.refuse('PATCH', path, body, { code: invalid, pointers })
    await ada.refuse('POST', `${path}/comment`, { text: 'x', authorId: 1 }, { code: invalid, pointers: ['/authorId'] })
  })

  test('has a PUT pass over them, in new records as well', async () => {
    const { bo: other, ada: author, north, south } = rows
    const [first] = ticket.comments
    const added = { text: 'c', authorId: author.id, author, replies: [] }
    const comments = [{ ...first, authorId: other.id }, added]
    const { body } = await bo.put(path, { ...ticket, orgId: south.id, org: south, createdById: null, comments })
    expect(body).toMatchObject({ orgId: north.id, createdById: author.id })
    expect(body.comments).toMatchObject([{ authorId: author.id }, { text: 'c', authorId: other.id }])
  })

  test('keeps them where a PUT leaves them out', async () => {
    const { body } = await bo.put(path, { title: 'Pens' })
    expect(body).toMatchObject({ orgId: rows.north.id, createdById: rows.ada.id, topicId: null })
  })

  test('lets a nested record stand alone where it is the present one, and refuses any other', async () => {
    const { north, south } = rows
    const other = { code: invalid, pointers: ['/org'], detail: /orgId, which is read-only: leave out org/ } as const
    expect((await ada.patch(path, { title: 't', org: north })).status).toBe(200)
    expect((await ada.put(path, { title: 't', org: north })).status).toBe(200)
    await ada.refuse('PATCH', path, { org: south }, other)
    await ada.refuse('PUT', path, { title: 't', org: south }, other)
    await ada.refuse('POST', '/api/ticket', { title: 't', org: south }, other)
  })

  test('leaves a row without one where the caller has no such value, if it may be null', async () => {
    const { body } = await asCaller(service, { org: rows.north.id }).post('/api/ticket', { title: 't' })
    expect(body).toMatchObject({ orgId: rows.north.id, createdById: null, createdBy: null })
    const nobody = asCaller(service, {})
    expect((await nobody.patch(path, { title: 't' })).body).toMatchObject({ updatedById: rows.ada.id })
    await nobody.refuse('POST', '/api/ticket', { title: 't' }, { code: 'CRUD_ERR_INTERNAL' })
  })

  test('keeps needed records, and has others cleared, as any reference does', async () => {
    await ada.refuse('DELETE', `/api/org/${rows.north.id}`, undefined, { code: 'CRUD_ERR_STILL_NEEDED' })
    await bo.patch(path, { title: 't' })
    await bo.refuse('DELETE', `/api/user/${rows.ada.id}`, undefined, { code: 'CRUD_ERR_STILL_NEEDED' })
    expect((await bo.delete(`/api/user/${rows.bo.id}`)).status).toBe(204)
    expect(await ada.read(path)).toMatchObject({ updatedById: null, createdById: rows.ada.id })
  })
})
