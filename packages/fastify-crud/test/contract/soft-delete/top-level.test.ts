import { Type } from '@sinclair/typebox'
import { createStore, defineResources, type Model, ownedBy, owns } from 'fastify-crud'
import { beforeEach, expect, test } from 'vitest'
import { useApp } from '../../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../../test/support/json-body.ts'
import { withTestIds } from '../../../../../test/support/test-ids.ts'
import { markedIn } from './support/marked.ts'

const text = Type.String()
const softDelete = 'deletedAt'

const desk = defineResources({
  project: { softDelete, fields: { name: text }, relations: { tasks: owns.many('task') } },
  task: {
    softDelete,
    topLevel: true,
    fields: { title: text },
    relations: { project: ownedBy('project'), notes: owns.many('note') },
  },
  note: { softDelete, topLevel: true, fields: { body: text }, relations: { task: ownedBy('task') } },
})

describeOnBoth('deleted records at the top that have owners', (database) => {
  const service = useApp(database, desk as Model)
  const store = () => createStore({ db: service.db, resources: withTestIds(desk) })
  let project: JsonBody
  let task: JsonBody

  beforeEach(async () => {
    const tasks = [{ title: 'a', notes: [{ body: 'n' }] }, { title: 'b' }]
    project = await service.add('/api/project', { name: 'p', tasks })
    task = project.tasks[0]
  })

  test('come back to their owners, which nobody has to name', async () => {
    const before = await service.read(`/api/note/${task.notes[0].id}`)
    await service.delete(`/api/task/${task.id}`)
    expect(await store().task.restore(task.id)).toEqual({ ...task, projectId: project.id })
    await service.delete(`/api/note/${task.notes[0].id}`)
    expect(await store().note.restore(task.notes[0].id)).toEqual(before)
    expect(await service.read(`/api/project/${project.id}`)).toEqual(project)
  })

  test('do not come back while an owner is deleted', async () => {
    const [note] = task.notes
    await service.delete(`/api/task/${task.id}`)
    await expect(store().note.restore(note.id)).rejects.toMatchObject({
      code: 'CRUD_ERR_REFUSED',
      message: `note ${note.id} cannot come back: task ${task.id}, which owns it, is deleted`,
    })
    await service.delete(`/api/project/${project.id}`)
    await expect(store().task.restore(task.id)).rejects.toMatchObject({ code: 'CRUD_ERR_REFUSED' })
    await store().project.restore(project.id)
    expect(await store().task.restore(task.id)).toMatchObject({ notes: [note] })
  })

  test('are removed for good, whoever owned them', async () => {
    await service.delete(`/api/project/${project.id}`)
    await store().task.purge(task.id)
    expect([await markedIn(service.db, 'task'), await markedIn(service.db, 'note')]).toMatchObject([
      { marked: [`${project.tasks[1].id}`] },
      { marked: [] },
    ])
  })

  test('are not found if they are not deleted, or not there', async () => {
    const notFound = { code: 'CRUD_ERR_NOT_FOUND' }
    await expect(store().task.restore(task.id)).rejects.toMatchObject(notFound)
    await expect(store().task.purge(task.id)).rejects.toMatchObject(notFound)
    await service.delete(`/api/task/${task.id}`)
    await store().task.purge(task.id)
    await expect(store().task.restore(task.id)).rejects.toMatchObject(notFound)
  })
})
