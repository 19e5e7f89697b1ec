import { Type } from '@sinclair/typebox'
import { defineResources, ownedBy, owns } from 'fastify-crud'
import { beforeEach, expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../test/support/json-body.ts'

const name = Type.String()

const model = defineResources(
  {
    org: { fields: { name } },
    project: { id: 'text', fields: { name }, relations: { tasks: owns.many('task') } },
    task: {
      topLevel: true,
      fields: { name, number: Type.Integer() },
      relations: { project: ownedBy('project', { moves: true }) },
      unique: [['project', 'number']],
    },
  },
  { tenant: { resource: 'org' } },
)

describeOnBoth('records of a tenant that move', (database) => {
  const service = useApp(database, model, {
    plugin: {
      tenant: (_caller: unknown, request: { headers: Record<string, unknown> }) => Number(request.headers['x-org']),
    },
  })
  const as = (tenant: number, method: string, path: string, body?: unknown) =>
    service.request(method, path, body, { 'x-org': String(tenant) })
  let task: JsonBody

  beforeEach(async () => {
    await service.db
      .insertInto('org')
      .values([
        { id: 1, name: 'one' },
        { id: 2, name: 'two' },
      ])
      .execute()
    const project = (id: string, tasks: number) => ({
      id,
      name: id,
      tasks: Array.from({ length: tasks }, (_, index) => ({ name: 't', number: index + 1 })),
    })
    const { body } = await as(1, 'POST', '/api/project', project('a', 2))
    task = body.tasks[1]
    await as(1, 'POST', '/api/project', project('b', 1))
    await as(2, 'POST', '/api/project', project('b', 0))
    await as(2, 'POST', '/api/project', project('c', 0))
  })

  test('go to owners of their tenant only, also where another one has an owner with that id', async () => {
    expect((await as(1, 'PATCH', `/api/task/${task.id}`, { projectId: 'c' })).body).toMatchObject({
      code: 'CRUD_ERR_UNKNOWN_REFERENCE',
      errors: [{ pointer: '/projectId', message: 'there is no project c' }],
    })
    expect((await as(2, 'PATCH', `/api/task/${task.id}`, { projectId: 'c' })).status).toBe(404)
    expect((await as(1, 'PATCH', `/api/task/${task.id}`, { projectId: 'b' })).status).toBe(200)
    expect((await as(2, 'GET', '/api/project/b')).body.tasks).toEqual([])
    expect((await as(1, 'GET', '/api/project/b')).body.tasks.length).toBe(2)
  })

  test('keep the numbers that they had, which a unique key may refuse at the new place', async () => {
    const [first] = (await as(1, 'GET', '/api/project/a')).body.tasks
    expect([first.number, task.number]).toEqual([1, 2])
    const moved = await as(1, 'PATCH', `/api/task/${task.id}`, { projectId: 'b' })
    expect([moved.status, moved.body.number]).toEqual([200, 2])
    const taken = await as(1, 'PATCH', `/api/task/${first.id}`, { projectId: 'b' })
    expect([taken.status, taken.body.code]).toEqual([409, 'CRUD_ERR_NOT_UNIQUE'])
  })
})
