import { Type } from '@sinclair/typebox'
import { defineResources, ownedBy, owns } from 'fastify-crud'
import { sql } from 'kysely'
import { beforeEach, expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import type { OpenDatabase } from '../../../../test/support/databases.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import { category } from '../contract/models/category.ts'

describeOnBoth('records that somebody has made their own ancestors', (database) => {
  const service = useApp(database, category)

  beforeEach(async () => {
    // 1 owns itself. 2 owns 3, which owns 2. 5 is below 4, which is below 3.
    await sql`insert into category (id, name, "parentId")
      values (1, 'a', null), (2, 'b', null), (3, 'c', 2), (4, 'd', 3), (5, 'e', 4)`.execute(service.db)
    await sql`update category set "parentId" = 1 where id = 1`.execute(service.db)
    await sql`update category set "parentId" = 3 where id = 2`.execute(service.db)
  })

  test('are read once each', async () => {
    expect(await service.read('/api/category/1')).toEqual({ id: 1, name: 'a', categories: [] })
    const below = { id: 4, name: 'd', categories: [{ id: 5, name: 'e', categories: [] }] }
    expect(await service.read('/api/category/2')).toEqual({
      id: 2,
      name: 'b',
      categories: [{ id: 3, name: 'c', categories: [below] }],
    })
    expect(await service.read('/api/category/3')).toEqual({
      id: 3,
      name: 'c',
      categories: [{ id: 2, name: 'b', categories: [] }, below],
    })
    expect(await service.read('/api/category')).toEqual({ rows: [], count: 0 })
    expect((await service.read('/api/category/1/category')).count).toBe(1)
  })

  test('are changed', async () => {
    for (const id of [1, 2, 5]) {
      const path = `/api/category/${id}`
      expect((await service.patch(path, { name: 'new', categories: [{ name: 'child' }] })).status).toBe(200)
      expect((await service.put(path, await service.read(path))).status).toBe(200)
      expect((await service.post(`${path}/category`, { name: 'more' })).status).toBe(201)
    }
  })

  test('are deleted', async () => {
    for (const id of [5, 1, 3]) expect((await service.delete(`/api/category/${id}`)).status).toBe(204)
    expect((await service.snapshot()).category).toEqual([])
  })
})

const projects = defineResources({
  project: { fields: { name: Type.String() }, relations: { tasks: owns.many('task', { inverse: 'project' }) } },
  task: {
    relations: {
      project: ownedBy('project'),
      whole: ownedBy('task'),
      parts: owns.many('task', { inverse: 'whole' }),
      before: ownedBy('task'),
      next: owns.many('task', { inverse: 'before' }),
    },
  },
})

/** Without the constraint that a task has one owner. */
async function tables({ db }: OpenDatabase): Promise<void> {
  await sql`create table project (id integer primary key, name text not null)`.execute(db)
  await sql`create table task (id integer primary key, "projectId" integer references project,
    "wholeId" integer references task, "beforeId" integer references task)`.execute(db)
}

describeOnBoth('records that somebody has given two owners', (database) => {
  const service = useApp(database, projects, { tables, plugin: { tables: 'warn' } })

  test('are below the one that the model names first, and are read once each', async () => {
    await sql`insert into project (id, name) values (1, 'p')`.execute(service.db)
    // 2 is a part of 1, and follows 3, which follows 2.
    await sql`insert into task (id, "projectId", "wholeId", "beforeId")
      values (1, 1, null, null), (2, null, 1, null), (3, null, null, 2)`.execute(service.db)
    await sql`update task set "beforeId" = 3 where id = 2`.execute(service.db)
    const third = { id: 3, parts: [], next: [] }
    const second = { id: 2, parts: [], next: [third] }
    const first = { id: 1, parts: [second], next: [] }
    expect(await service.read('/api/project/1')).toEqual({ id: 1, name: 'p', tasks: [first] })
    for (const task of [first, second, third])
      expect(await service.read(`/api/project/1/task/${task.id}`)).toEqual(task)
  })
})
