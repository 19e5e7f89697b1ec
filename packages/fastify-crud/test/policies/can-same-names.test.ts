import { Type } from '@sinclair/typebox'
import { createStore, defineResources, knows } from 'fastify-crud'
import { sql } from 'kysely'
import { beforeEach, expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import { ada, asCaller, caller } from './support/as-caller.ts'

const withParents = defineResources({
  area: { fields: { name: Type.String() } },
  project: { fields: { leadId: Type.Integer() }, relations: { parent: knows.one('area') } },
  task: { fields: { title: Type.String() }, relations: { parent: knows.one('project') } },
  note: { fields: { title: Type.String() }, relations: { parent: knows.one('project') } },
  report: { fields: { title: Type.String() }, relations: { parent: knows.one('project') } },
})

describeOnBoth('`can(action, resource, ref)` where both tables have a column of that name', (database) => {
  const service = useApp(database, withParents, {
    plugin: {
      caller,
      policies: {
        area: true,
        project: ({ eb, my }) => eb('leadId', '=', my('id')),
        task: ({ can, eb }) => sql<boolean>`(${can('View', 'project', eb.ref('parentId'))} and 1 = 1)`,
        note: ({ can, eb }) =>
          eb.exists(
            eb
              .selectFrom('task as t0p')
              .select('t0p.id')
              .whereRef('t0p.parentId', '=', 'note.parentId')
              .where(can('View', 'project', eb.ref('t0p.parentId' as never))),
          ),
        report: ({ can, eb }) =>
          eb.exists(
            eb
              .selectFrom('task')
              .select('task.id')
              .whereRef('task.parentId', '=', 'report.parentId')
              .where(can('View', 'project', eb.ref('parentId'))),
          ),
      },
    },
  })
  const client = asCaller(service, ada)

  beforeEach(async () => {
    const all = createStore({ db: service.db, resources: withParents })
    const theirs = await all.project.create({ leadId: 2 })
    const ours = await all.project.create({ leadId: 1 })
    // Now a project that Ada may see has the id of its own parent.
    await all.area.create({ name: 'a' }, { id: ours.id })
    await all.project.patch(ours.id, { parentId: ours.id })
    for (const [title, parentId] of [
      ['ours', ours.id],
      ['zebra', theirs.id],
    ] as const) {
      await all.task.create({ title, parentId })
      await all.report.create({ title, parentId })
      await all.note.create({ title, parentId })
    }
  })

  test('takes the one of the row, in SQL text', async () => {
    expect(await client.read('/api/task')).toMatchObject({ rows: [{ title: 'ours' }], count: 1 })
  })

  test('takes the one of the subquery that it stands in', async () => {
    expect(await client.read('/api/report')).toMatchObject({ rows: [{ title: 'ours' }], count: 1 })
  })

  test('takes the one of the subquery, whatever it calls its table', async () => {
    expect(await client.read('/api/note')).toMatchObject({ rows: [{ title: 'ours' }], count: 1 })
  })
})
