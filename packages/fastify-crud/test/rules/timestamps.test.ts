import { stamps, timestamps } from '@fastify-crud/core'
import { Type } from '@sinclair/typebox'
import { defineResources, ownedBy, owns } from 'fastify-crud'
import { beforeEach, expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../test/support/json-body.ts'
import { writesIn } from '../../../../test/support/statement-log.ts'
import { asCaller, caller } from '../policies/support/as-caller.ts'
import { withRules } from './support/rules.ts'

const time = Type.String({ format: 'date-time' })
const user = Type.Integer()
const stamped = { createdAt: time, updatedAt: time, createdBy: user, updatedBy: user }

const papers = defineResources({
  paper: { fields: { title: Type.String(), ...stamped }, relations: { pages: owns.many('page') } },
  page: { fields: { text: Type.String(), ...stamped }, relations: { paper: ownedBy('paper') } },
})

const both = [timestamps(), stamps({ createdBy: 'id', updatedBy: 'id' })]

const rails = defineResources({ task: { fields: { title: Type.String(), created_at: time, changed: time } } })

describeOnBoth('`timestamps()` with names', (database) => {
  const names = timestamps({ createdAt: 'created_at', updatedAt: 'changed' })
  const service = useApp(database, rails, withRules({ task: names }))

  test('stamps the fields that are called so', async () => {
    const task = await service.add('/api/task', { title: 't' })
    expect(task.changed).toBe(task.created_at)
    const { body } = await service.request('PATCH', `/api/task/${task.id}`, { title: 'u' })
    expect(body.created_at).toBe(task.created_at)
    expect(Date.parse(body.changed)).toBeGreaterThanOrEqual(Date.parse(task.created_at))
    await service.refuse('POST', '/api/task', { title: 't', changed: task.changed }, { code: 'CRUD_ERR_INVALID' })
  })
})

describeOnBoth('`timestamps()` and `stamps()`', (database) => {
  const service = useApp(database, papers, withRules({ paper: both, page: both }, { caller }))
  const ada = asCaller(service, { user: 1 })
  const bo = asCaller(service, { user: 2 })
  let paper: JsonBody
  let path: string

  beforeEach(async () => {
    const answer = await ada.post('/api/paper', { title: 't', pages: [{ text: 'a' }, { text: 'b' }] })
    expect(answer.status, JSON.stringify(answer.body)).toBe(201)
    paper = answer.body
    path = `/api/paper/${paper.id}`
  })

  test('stamp each new row with the same time and the caller', () => {
    const { createdAt } = paper
    const stamp = { createdAt, updatedAt: createdAt, createdBy: 1, updatedBy: 1 }
    expect(paper).toMatchObject(stamp)
    expect(paper.pages).toMatchObject([stamp, stamp])
    expect(Number.isNaN(Date.parse(createdAt))).toBe(false)
  })

  test('stamp a changed row, and only that one', async () => {
    const { body } = await bo.patch(path, { pages: [{ id: paper.pages[1].id, text: 'B' }] })
    expect(body).toMatchObject({ createdBy: 1, updatedBy: 1, updatedAt: paper.updatedAt })
    expect(body.pages).toMatchObject([{ updatedBy: 1 }, { createdBy: 1, updatedBy: 2, createdAt: paper.createdAt }])
  })

  test('never move a time of change before that of the creation', async () => {
    const { body } = await bo.patch(path, { title: 'u' })
    expect(Date.parse(body.updatedAt)).toBeGreaterThanOrEqual(Date.parse(paper.createdAt))
    expect(body).toMatchObject({ createdAt: paper.createdAt, createdBy: 1, updatedBy: 2 })
  })

  test('keep what they say from clients: POST and PATCH are refused, PUT passes over it', async () => {
    for (const name of Object.keys(stamped)) {
      const value = paper[name]
      const expected = { code: 'CRUD_ERR_INVALID', pointers: [`/${name}`] } as const
      await ada.refuse('POST', '/api/paper', { title: 't', [name]: value }, expected)
      await ada.refuse('PATCH', path, { [name]: value }, expected)
    }
    const old = '2001-01-01T00:00:00Z'
    const { body } = await bo.put(path, { ...paper, title: 'u', createdAt: old, updatedAt: old, createdBy: 9 })
    expect(body).toMatchObject({ createdAt: paper.createdAt, createdBy: 1, updatedBy: 2 })
    expect(body.updatedAt).not.toBe(old)
  })

  test('are kept by a PUT that leaves them out', async () => {
    const { body } = await bo.put(path, { title: 'u' })
    expect(body).toMatchObject({ createdAt: paper.createdAt, createdBy: 1, updatedBy: 2, pages: [] })
  })

  test('have a PUT with the body that GET returned change nothing', async () => {
    const statements = await service.statements(async () => {
      expect(await bo.put(path, await bo.read(path))).toMatchObject({ status: 200, body: paper })
    })
    expect(writesIn(statements)).toEqual([])
  })

  test('stand in the answer as they are stored', async () => {
    const { body } = await bo.patch(path, { title: 'u' })
    expect(await ada.read(path)).toEqual(body)
  })
})
