import { Type } from '@sinclair/typebox'
import { defineResources, ownedBy, owns } from 'fastify-crud'
import { beforeEach, expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../test/support/json-body.ts'
import { anyId } from '../../../../test/support/test-ids.ts'

const name = Type.String()

/** A task owns tasks through two relations, and projects own tasks through two others. */
const projects = defineResources({
  project: {
    fields: { name },
    relations: {
      tasks: owns.many('task', { inverse: 'project' }),
      main: owns.one('task', { inverse: 'mainOf' }),
    },
  },
  task: {
    fields: { name },
    relations: {
      project: ownedBy('project'),
      mainOf: ownedBy('project'),
      partOf: ownedBy('task'),
      parts: owns.many('task', { inverse: 'partOf' }),
      after: ownedBy('task'),
      next: owns.one('task', { inverse: 'after' }),
    },
  },
})

type Task = { id?: number; name: string; parts: Task[]; next: Task | null }

const task = (name: string, parts: Task[] = [], next: Task | null = null): Task => ({ name, parts, next })

/** A record of a tree without its ids. */
function withoutIds(record: JsonBody): Task {
  return task(record.name, record.parts.map(withoutIds), record.next && withoutIds(record.next))
}

describeOnBoth('trees of one resource through two relations', (database) => {
  const service = useApp(database, projects)
  const tree = task('a', [task('b', [task('c')], task('d', [task('e')])), task('f')], task('g', [], task('h')))
  const main = task('i', [task('j')])
  let project: JsonBody
  let path: string

  beforeEach(async () => {
    project = await service.add('/api/project', { name: 'p', tasks: [tree], main })
    path = `/api/project/${project.id}`
  })

  test('POST stores every record where it stands, and reads find it there', async () => {
    expect([withoutIds(project.tasks[0]), withoutIds(project.main)]).toEqual([tree, main])
    expect(await service.read(path)).toEqual(project)
    expect((await service.read('/api/project')).rows).toEqual([project])
  })

  test('a record deep inside is found, changed and deleted by the path of its own tree alone', async () => {
    const { next: d } = project.tasks[0].parts[0]
    const [at, elsewhere] = [`${path}/tasks/${d.id}`, `${path}/main/${d.id}`]
    expect(await service.read(at)).toEqual(d)
    await service.refuse('GET', elsewhere, undefined, { code: 'CRUD_ERR_NOT_FOUND' })
    await service.refuse('PATCH', elsewhere, { name: 'x' }, { code: 'CRUD_ERR_NOT_FOUND' })
    await service.refuse('DELETE', elsewhere, undefined, { code: 'CRUD_ERR_NOT_FOUND' })

    expect((await service.patch(at, { next: { name: 'k' } })).body).toEqual({
      ...d,
      next: { id: anyId, name: 'k', parts: [], next: null },
    })
    expect((await service.delete(at)).status).toBe(204)
    const [{ parts }] = (await service.read(path)).tasks
    expect(withoutIds(parts[0])).toEqual(task('b', [task('c')]))
    expect((await service.snapshot()).task).toHaveLength(8)
  })

  test('PUT changes, adds and removes in both directions at any depth', async () => {
    const [a] = project.tasks
    const [b, f] = a.parts
    const changed = { ...b, name: 'B', parts: [{ name: 'new' }], next: { ...b.next, parts: [] } }
    const { status, body } = await service.put(path, {
      name: 'p',
      tasks: [{ ...a, parts: [changed, f], next: { ...a.next, next: null } }, { name: 'z' }],
      main: null,
    })
    expect(status).toBe(200)
    expect(body.tasks.map(withoutIds)).toEqual([
      task('a', [task('B', [task('new')], task('d')), task('f')], task('g')),
      task('z'),
    ])
    expect([body.tasks[0].parts[0].id, body.tasks[0].parts[0].next.id]).toEqual([b.id, b.next.id])
    expect(body.main).toBeNull()
    expect(await service.read(path)).toEqual(body)
    expect((await service.snapshot()).task).toHaveLength(7)
  })

  test('DELETE takes all of both trees along', async () => {
    expect((await service.delete(path)).status).toBe(204)
    expect((await service.snapshot()).task).toEqual([])
  })
})
