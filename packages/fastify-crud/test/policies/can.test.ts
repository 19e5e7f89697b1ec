import { Type } from '@sinclair/typebox'
import { createStore, defineResources, needs } from 'fastify-crud'
import { beforeEach, expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../test/support/json-body.ts'
import { ada, asCaller, caller } from './support/as-caller.ts'

const projects = defineResources({
  project: { fields: { name: Type.String(), leadId: Type.Integer() } },
  task: { fields: { title: Type.String() }, relations: { project: needs.one('project') } },
  report: { fields: { title: Type.String() }, relations: { project: needs.one('project') } },
})

describeOnBoth('`can(action, resource, ref)`', (database) => {
  const service = useApp(database, projects, {
    plugin: {
      caller,
      policies: {
        project: { View: ({ eb, my }) => eb('leadId', '=', my('id')), Add: true, Edit: false, Delete: false },
        task: ({ can, eb }) => can('View', 'project', eb.ref('projectId')),
        report: {
          View: ({ can, eb }) => can('Edit', 'project', eb.ref('projectId')),
          Add: true,
          Edit: true,
          Delete: true,
        },
      },
    },
  })
  const client = asCaller(service, ada)
  let mine: JsonBody
  let theirs: JsonBody

  beforeEach(async () => {
    const all = createStore({ db: service.db, resources: projects })
    mine = await all.project.create({ name: 'p', leadId: 1 })
    theirs = await all.project.create({ name: 'zebra', leadId: 2 })
    await all.task.create({ title: 'ours', projectId: mine.id })
    await all.task.create({ title: 'zebra', projectId: theirs.id })
    await all.report.create({ title: 'zebra', projectId: mine.id })
  })

  test('is the policy of that resource, for the row that is referred to', async () => {
    expect(await client.read('/api/task')).toMatchObject({ rows: [{ title: 'ours', project: mine }], count: 1 })
    expect(await client.read('/api/report')).toEqual({ rows: [], count: 0 })
  })

  test('holds for writes, too', async () => {
    expect((await client.post('/api/task', { title: 'new', projectId: mine.id })).status).toBe(201)
    const unknown = { code: 'CRUD_ERR_UNKNOWN_REFERENCE' } as const
    await client.refuse('POST', '/api/task', { title: 'new', projectId: theirs.id }, unknown)
  })
})
