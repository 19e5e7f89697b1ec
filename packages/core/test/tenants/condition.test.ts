import { createStore, defineResources, ownedBy, owns } from '@fastify-crud/core'
import { createTables } from '@fastify-crud/tables'
import { Type } from '@sinclair/typebox'
import { describe, expect, test } from 'vitest'
import { openedSetups } from '../../../../test/support/databases.ts'

const resources = defineResources(
  {
    org: { id: 'uuid', fields: { name: Type.String() } },
    project: { id: 'uuid', fields: { name: Type.String() }, relations: { tasks: owns.many('task') } },
    task: { id: 'uuid', fields: { title: Type.String() }, relations: { project: ownedBy('project') } },
  },
  { tenant: { resource: 'org' } },
)

describe.each(openedSetups)('The condition of the tenant ($title)', (setup) => {
  test('stands alone on PostgreSQL, and on SQLite so that no statement is compiled anew for each request', async () => {
    const { db, statements, close, name } = await setup.open()
    try {
      await createTables(db, resources)
      const all = createStore({ db, resources })
      const { id: tenant } = await all.asSystem().org.create({ name: 'one' })
      const { project } = all.asSystem({ tenant })
      const sent = await statements.record(async () => {
        const { id } = await project.create({ name: 'a', tasks: [{ title: 'b' }] })
        await project.find(id)
        await project.list({ filter: { 'tasks.title': 'b' }, sort: ['-name'] })
        await project.group({ by: ['name'] })
        await project.patch(id, { name: 'c' })
        await project.replace(id, { name: 'd', tasks: [] })
        await project.delete(id)
      })
      const conditions = sent.flatMap((one) => one.match(/"orgId" = (?:\S+ ){2}/g) ?? [])
      expect(conditions.length).toBeGreaterThan(10)
      const expected = name === 'sqlite' ? /= \(select / : /= \$\d/
      for (const condition of conditions) expect(condition).toMatch(expected)
    } finally {
      await close()
    }
  })
})
