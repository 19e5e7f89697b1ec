import { Type } from '@sinclair/typebox'
import { type AccessQuestion, createStore, defineResources, needs, ownedBy, owns } from 'fastify-crud'
import { beforeEach, expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../test/support/json-body.ts'
import { caller, headersOf, type Policies } from './support/as-caller.ts'

const text = Type.String()
const softDelete = { column: 'deletedAt', trash: { purge: true } } as const

const projects = defineResources({
  project: {
    softDelete,
    fields: { name: text, userId: Type.Integer(), locked: Type.Boolean({ default: false }) },
    relations: { tasks: owns.many('task'), members: owns.many('member') },
  },
  task: {
    softDelete,
    topLevel: true,
    fields: { title: text, kept: Type.Boolean({ default: false }) },
    relations: { project: ownedBy('project') },
  },
  member: { softDelete, fields: { userId: Type.Integer() }, relations: { project: ownedBy('project') } },
})

type Rule = Extract<Policies[string], (...given: never) => unknown>

/** Members see a project; its owner edits it and, unless it is locked, deletes it. */
const own: Rule = ({ eb, my }) => eb('userId', '=', my('id'))
const ownAndOpen: Rule = ({ eb, my }) => eb.and([eb('userId', '=', my('id')), eb('locked', '=', eb.lit(false))])
const shared: Rule = ({ eb, my }) =>
  eb('id', 'in', eb.selectFrom('member').select('member.projectId').where('member.userId', '=', my('id')))
const policies: Policies = {
  project: { View: shared, Add: own, Edit: own, Delete: ownAndOpen },
  task: { View: true, Add: true, Edit: true, Delete: ({ eb }) => eb('kept', '=', eb.lit(false)) },
}

describeOnBoth('policies and the trash', (database) => {
  const service = useApp(database, projects, { plugin: { policies, caller } })
  const as =
    (user: number) =>
    (method: string, path: string, body?: unknown, more = {}) =>
      service.request(method, path, body, { ...headersOf({ user }), ...more })
  const [ada, bob, eve] = [as(1), as(2), as(3)] as const
  let project: JsonBody

  const add = async (more = {}) =>
    (
      await ada('POST', '/api/project', {
        name: 'p',
        userId: 1,
        members: [{ userId: 1 }, { userId: 2 }],
        tasks: [{ title: 'a' }, { title: 'b' }],
        ...more,
      })
    ).body

  beforeEach(async () => {
    project = await add()
  })

  test('who sees a deleted record by another one finds it while both were deleted together', async () => {
    await ada('DELETE', `/api/project/${project.id}`)
    const { body } = await ada('GET', '/api/project/$deleted')
    expect(body).toMatchObject({ count: 1, rows: [{ name: 'p', tasks: [{ title: 'a' }, { title: 'b' }] }] })
    expect((await ada('GET', '/api/task/$deleted')).body).toMatchObject({ count: 2 })
    expect((await ada('GET', `/api/project/$deleted/${project.id}`)).body).toEqual(body.rows[0])
    expect((await ada('POST', `/api/project/${project.id}/$restore`)).body).toMatchObject({ tasks: project.tasks })
  })

  test('who sees it and may not delete it is refused, and finds it in no list', async () => {
    await ada('DELETE', `/api/project/${project.id}`)
    expect((await bob('GET', '/api/project/$deleted')).body).toEqual({ rows: [], count: 0 })
    for (const [method, path] of [
      ['GET', `/api/project/$deleted/${project.id}`],
      ['GET', `/api/project/$deleted/${project.id}?fields=name`],
      ['POST', `/api/project/${project.id}/$restore`],
      ['DELETE', `/api/project/$deleted/${project.id}`],
    ] as const) {
      const { status, body } = await bob(method, path)
      expect([status, body.code], path).toEqual([403, 'CRUD_ERR_FORBIDDEN'])
    }
  })

  test('to who does not see it, it is as if it were not there', async () => {
    await ada('DELETE', `/api/project/${project.id}`)
    const [task] = project.tasks
    const answersAbout = async (id: number, taskId: number) => {
      const answers = []
      for (const [method, path] of [
        ['GET', `/api/project/$deleted?filter[id]=${id}`],
        ['GET', `/api/project/$deleted/${id}`],
        ['POST', `/api/project/${id}/$restore`],
        ['DELETE', `/api/project/$deleted/${id}`],
        ['GET', `/api/project/${id}/task/$deleted`],
        ['GET', `/api/project/${id}/task/$deleted/${taskId}`],
        ['POST', `/api/project/${id}/task/${taskId}/$restore`],
        ['DELETE', `/api/project/${id}/task/$deleted/${taskId}`],
        ['GET', `/api/task/$deleted?filter[title]=a&filter[id]=${taskId}`],
        ['GET', `/api/task/$deleted/${taskId}`],
        ['POST', `/api/task/${taskId}/$restore`],
        ['DELETE', `/api/task/$deleted/${taskId}`],
      ] as const) {
        const { status, body } = await eve(method, path)
        answers.push([status, JSON.stringify(body).replaceAll(`${id}`, 'ID').replaceAll(`${taskId}`, 'TASK')])
      }
      return answers
    }
    const hidden = await answersAbout(project.id, task.id)
    const missing = await answersAbout(project.id + 5_000, task.id + 70_000)
    expect(hidden).toEqual(missing)
    expect((await ada('GET', '/api/project/$deleted')).body.count).toBe(1)
  })

  test('a deleted record that its policy no longer lets go is for nobody to bring back or to remove', async () => {
    await ada('DELETE', `/api/project/${project.id}`)
    await service.db
      .updateTable('project')
      .set({ locked: database.name === 'sqlite' ? 1 : true })
      .execute()
    expect((await ada('GET', '/api/project/$deleted')).body.count).toBe(0)
    expect((await ada('POST', `/api/project/${project.id}/$restore`)).status).toBe(403)
  })

  test('the result of a restore has to be one that the caller may add', async () => {
    await ada('DELETE', `/api/project/${project.id}`)
    const strict = { ...policies, project: { ...(policies.project as object), Add: false } } as Policies
    const store = createStore({ db: service.db, resources: projects, policies: strict as never }).as({ id: 1 })
    await expect(store.project.restore(project.id)).rejects.toMatchObject({ code: 'CRUD_ERR_FORBIDDEN' })
    expect(await store.project.deleted.list()).toMatchObject({ count: 1 })
    const other = createStore({ db: service.db, resources: projects, policies: policies as never })
    await expect(other.as({ id: 3 }).project.purge(project.id)).rejects.toMatchObject({ code: 'CRUD_ERR_NOT_FOUND' })
    await other.as({ id: 1 }).project.purge(project.id)
  })

  test('what goes with a record that is removed for good has to pass its own policy', async () => {
    await ada('DELETE', `/api/project/${project.id}`)
    await service.db
      .updateTable('task')
      .set({ kept: database.name === 'sqlite' ? 1 : true })
      .where('task.title', '=', 'a')
      .execute()
    const { status, body } = await ada('DELETE', `/api/project/$deleted/${project.id}`)
    expect([status, body.code]).toEqual([403, 'CRUD_ERR_FORBIDDEN'])
    expect((await ada('GET', '/api/task/$deleted')).body).toMatchObject({ count: 1, rows: [{ title: 'b' }] })
    await service.db
      .updateTable('task')
      .set({ kept: database.name === 'sqlite' ? 0 : false })
      .execute()
    expect((await ada('DELETE', `/api/project/$deleted/${project.id}`)).status).toBe(204)
  })

  test('a child that was deleted alone is found by who sees its owner, which is there', async () => {
    const [task] = project.tasks
    expect((await ada('DELETE', `/api/project/${project.id}/task/${task.id}`)).status).toBe(204)
    expect((await bob('GET', `/api/project/${project.id}/task/$deleted`)).body).toMatchObject({ count: 1 })
    expect((await eve('GET', `/api/project/${project.id}/task/$deleted`)).status).toBe(404)
    expect((await eve('GET', '/api/task/$deleted')).body.count).toBe(0)
    await ada('DELETE', `/api/project/${project.id}`)
    // It was not deleted together with its owner, which is gone for it.
    expect((await ada('GET', '/api/task/$deleted')).body).toMatchObject({ count: 1, rows: [{ title: 'b' }] })
  })
})

const shop = defineResources({
  customer: { softDelete, fields: { name: text } },
  invoice: {
    softDelete,
    fields: { name: text },
    relations: { customer: needs.one('customer'), lines: owns.many('line') },
  },
  line: {
    softDelete,
    fields: { userId: Type.Integer() },
    relations: { invoice: ownedBy('invoice'), giver: needs.one('customer', { optional: true }) },
  },
})

describeOnBoth('what is in the way of a deleted record', (database) => {
  const asked: string[] = []
  const service = useApp(database, shop, {
    plugin: {
      caller,
      policies: { customer: true, invoice: true, line: own },
      authorize: (_request, { action, resource }) => !asked.includes(`${action} ${resource}`),
    },
  })
  const send = (user: number, method: string, path: string, body?: unknown) =>
    service.request(method, path, body, headersOf({ user }))

  beforeEach(() => {
    asked.length = 0
  })

  /** An invoice whose line of Bob has a giver, where all of these are deleted. */
  const addDeleted = async () => {
    const customer = (await send(2, 'POST', '/api/customer', { name: 'c' })).body
    const giver = (await send(2, 'POST', '/api/customer', { name: 'g' })).body
    const lines = [{ userId: 2, giverId: giver.id }]
    const invoice = (await send(2, 'POST', '/api/invoice', { name: 'i', customerId: customer.id, lines })).body
    for (const path of [`invoice/${invoice.id}`, `customer/${customer.id}`, `customer/${giver.id}`]) {
      expect((await send(2, 'DELETE', `/api/${path}`)).status, path).toBe(204)
    }
    return { customer, giver, invoice }
  }

  test('is named as far as the caller sees it, where it is to go for good', async () => {
    const { customer, giver } = await addDeleted()
    const purge = async (id: number) => (await send(1, 'DELETE', `/api/customer/$deleted/${id}`)).body
    const byInvoice = { detail: expect.stringMatching(/still needed by 1 invoice record/), blockers: [{ count: 1 }] }
    expect(await purge(customer.id)).toMatchObject(byInvoice)
    const silent = { code: 'CRUD_ERR_STILL_NEEDED', detail: 'it is still needed', blockers: [] }
    expect(await purge(giver.id)).toMatchObject(silent)
    asked.push('View invoice')
    expect(await purge(customer.id)).toMatchObject(silent)
  })

  test('is named as far as the caller sees it, where it is to come back', async () => {
    const { customer, giver, invoice } = await addDeleted()
    const restore = async () => (await send(1, 'POST', `/api/invoice/${invoice.id}/$restore`)).body
    const { code, detail } = await restore()
    expect(code).toBe('CRUD_ERR_REFUSED')
    expect(detail).toContain(`customer ${customer.id}, which it needs, is deleted`)
    expect(detail).toContain('a record that something below needs is deleted')
    expect(detail).not.toMatch(new RegExp(`line|customer ${giver.id}`))
  })
})

const folders = defineResources({
  folder: {
    softDelete,
    fields: { name: text, userId: Type.Integer() },
    relations: { above: ownedBy('folder', { optional: true }), folders: owns.many('folder') },
  },
})

describeOnBoth('policies and the trash of a tree', (database) => {
  const service = useApp(database, folders, { plugin: { policies: { folder: own }, caller } })
  const as = (user: number) => (method: string, path: string, body?: unknown) =>
    service.request(method, path, body, headersOf({ user }))
  const [ada, bob] = [as(1), as(2)] as const

  test('each record up to the root has to be shown, be it there or deleted together', async () => {
    const root = (await ada('POST', '/api/folder', { name: 'r', userId: 1 })).body
    const below = (await ada('POST', `/api/folder/${root.id}/folder`, { name: 'b', userId: 1 })).body
    const deep = (await ada('POST', `/api/folder/${below.id}/folder`, { name: 'd', userId: 1 })).body
    await ada('DELETE', `/api/folder/${below.id}`)
    const { body } = await ada('GET', `/api/folder/${root.id}/folder/$deleted`)
    expect(body).toMatchObject({ count: 1, rows: [{ name: 'b', folders: [{ id: deep.id, name: 'd' }] }] })
    expect((await ada('GET', `/api/folder/$deleted/${deep.id}`)).body).toMatchObject({ name: 'd' })
    expect((await bob('GET', `/api/folder/$deleted/${deep.id}`)).status).toBe(404)
    await service.db.updateTable('folder').set({ userId: 2 }).where('folder.name', '=', 'r').execute()
    expect((await ada('GET', `/api/folder/$deleted/${deep.id}`)).status).toBe(404)
    await service.db.updateTable('folder').set({ userId: 1 }).where('folder.name', '=', 'r').execute()
    expect((await ada('POST', `/api/folder/${below.id}/$restore`)).body.folders).toHaveLength(1)
    await ada('DELETE', `/api/folder/${root.id}`)
    expect((await bob('GET', '/api/folder/$deleted')).body.count).toBe(0)
    expect((await ada('GET', '/api/folder/$deleted')).body.rows).toMatchObject([{ folders: [{ folders: [{}] }] }])
    expect((await ada('DELETE', `/api/folder/$deleted/${root.id}`)).status).toBe(204)
  })
})

describeOnBoth('authorize and the trash', (database) => {
  const asked: string[] = []
  let refused: readonly string[] = []
  const service = useApp(database, projects, {
    plugin: {
      async authorize(_request, { action, resource, operation, id, origin }: AccessQuestion) {
        const question = `${operation}: ${action} ${resource}${id === undefined ? '' : ` ${id === origin.id ? '#' : id}`}`
        asked.push(question)
        return !refused.includes(question)
      },
    },
  })
  const questions = async (method: string, path: string): Promise<[number, readonly string[]]> => {
    asked.length = 0
    const { status } = await service.request(method, path)
    return [status, [...asked]]
  }
  let id: number

  beforeEach(async () => {
    refused = []
    const body = { name: 'p', userId: 1, tasks: [{ title: 'a' }] }
    id = (await service.add('/api/project', body)).id
    await service.delete(`/api/project/${id}`)
  })

  test('reading asks View and Delete, restoring Delete and Add, and removing for good Delete', async () => {
    const views = ['deleted: View task', 'deleted: View member']
    expect(await questions('GET', '/api/project/$deleted')).toEqual([
      200,
      ['deleted: View project', 'deleted: Delete project', ...views],
    ])
    expect(await questions('GET', `/api/project/$deleted/${id}`)).toEqual([
      200,
      ['deleted: View project #', 'deleted: Delete project #', ...views],
    ])
    const [status, restoring] = await questions('POST', `/api/project/${id}/$restore`)
    expect([status, restoring.slice(0, 2)]).toEqual([200, ['restore: Delete project #', 'restore: Add project #']])
    expect(restoring).toContain('restore: Add task')
    await service.delete(`/api/project/${id}`)
    expect(await questions('DELETE', `/api/project/$deleted/${id}`)).toEqual([
      204,
      ['purge: Delete project #', 'purge: Delete task'],
    ])
  })

  test.each([
    ['deleted: View project', 'GET', '/api/project/$deleted'],
    ['deleted: Delete project', 'GET', '/api/project/$deleted'],
    ['deleted: Delete project #', 'GET', '/api/project/$deleted/ID'],
    ['restore: Delete project #', 'POST', '/api/project/ID/$restore'],
    ['restore: Add project #', 'POST', '/api/project/ID/$restore'],
    ['restore: Add task', 'POST', '/api/project/ID/$restore'],
    ['purge: Delete project #', 'DELETE', '/api/project/$deleted/ID'],
    ['purge: Delete task', 'DELETE', '/api/project/$deleted/ID'],
  ])('a no to %s is 403', async (question, method, path) => {
    refused = [question]
    expect((await service.request(method, path.replace('ID', `${id}`))).status).toBe(403)
    refused = []
    expect((await service.get('/api/project/$deleted')).body.count).toBe(1)
  })

  test('records that the caller may not view are left out of deleted ones, too', async () => {
    refused = ['deleted: View task']
    expect((await service.get(`/api/project/$deleted/${id}`)).body).not.toHaveProperty('tasks')
    expect((await service.get('/api/project/$deleted?filter[tasks.title]=a')).status).toBe(400)
  })
})
