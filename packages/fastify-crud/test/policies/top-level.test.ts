import { Type } from '@sinclair/typebox'
import { createStore, defineResources, field, knows, ownedBy, owns } from 'fastify-crud'
import { beforeEach, expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import { ada, asCaller, caller, missingId, type Policies } from './support/as-caller.ts'

const text = Type.String()

const model = defineResources({
  project: {
    fields: { name: text, orgId: Type.Integer() },
    relations: { tasks: owns.many('task'), folders: owns.many('folder') },
  },
  task: {
    topLevel: true,
    fields: { title: text, isDone: field(Type.Boolean(), { default: false }) },
    relations: { project: ownedBy('project'), notes: owns.many('note') },
  },
  note: { topLevel: true, fields: { text }, relations: { task: ownedBy('task'), about: knows.one('task') } },
  folder: {
    fields: { name: text },
    relations: {
      project: ownedBy('project'),
      parent: ownedBy('folder', { optional: true }),
      folders: owns.many('folder'),
      papers: owns.many('paper'),
    },
  },
  paper: { topLevel: true, fields: { text }, relations: { folder: ownedBy('folder') } },
})

const ofOrg: Policies[string] = ({ eb, my }) => eb('orgId', '=', my('org', 'integer'))

describeOnBoth('owned records at the top, with policies', (database) => {
  const service = useApp(database, model, {
    plugin: {
      caller,
      policies: {
        project: {
          View: ofOrg,
          Add: ofOrg,
          Edit: { before: ({ eb }) => eb('name', '!=', 'locked'), after: true },
          Delete: true,
        },
        folder: ({ eb }) => eb('name', '!=', 'zebra folder'),
      },
    },
  })
  const client = asCaller(service, ada)
  const notFound = { code: 'CRUD_ERR_NOT_FOUND' } as const
  let hidden: { taskId: number; noteId: number; paperIds: readonly number[]; folderIds: readonly number[] }
  let shown: { projectId: number; taskId: number; noteId: number; paperId: number }
  let lockedTaskId: number

  beforeEach(async () => {
    const { project } = createStore({ db: service.db, resources: model })
    const zebra = { title: 'zebra', notes: [{ text: 'zebra' }] }
    const theirs = await project.create({
      name: 'zebra',
      orgId: 2,
      tasks: [zebra],
      folders: [{ name: 'zebra', papers: [{ text: 'zebra' }] }],
    })
    const below = { name: 'zebra', papers: [{ text: 'zebra' }] }
    const ours = await project.create({
      name: 'ours',
      orgId: 1,
      tasks: [{ title: 'do', notes: [{ text: 'n' }] }],
      folders: [
        { name: 'open', papers: [{ text: 'p' }] },
        { name: 'zebra folder', papers: [{ text: 'zebra' }], folders: [below] },
      ],
    })
    const locked = await project.create({ name: 'locked', orgId: 1, tasks: [{ title: 'kept' }] })
    const [task] = theirs.tasks
    const [open, secret] = ours.folders
    const folders = [theirs.folders[0], secret, secret?.folders[0]]
    hidden = {
      taskId: task?.id as number,
      noteId: task?.notes[0]?.id as number,
      folderIds: folders.map((folder) => folder?.id as number),
      paperIds: folders.map((folder) => folder?.papers[0]?.id as number),
    }
    shown = {
      projectId: ours.id,
      taskId: ours.tasks[0]?.id as number,
      noteId: ours.tasks[0]?.notes[0]?.id as number,
      paperId: open?.papers[0]?.id as number,
    }
    lockedTaskId = locked.tasks[0]?.id as number
  })

  test('are listed and counted as far as their owners are shown, all the way up', async () => {
    const tasks = await client.read('/api/task')
    expect(tasks).toMatchObject({ rows: [{ title: 'do', projectId: shown.projectId }, { title: 'kept' }], count: 2 })
    expect(await client.read('/api/note?filter[text][ne]=x')).toMatchObject({
      rows: [{ taskId: shown.taskId }],
      count: 1,
    })
    expect(await client.read('/api/paper')).toMatchObject({ rows: [{ id: shown.paperId }], count: 1 })
    expect((await client.read('/api/note?sort=-taskId&limit=1')).count).toBe(1)
  })

  test('below a hidden owner are like those that do not exist', async () => {
    const records = [
      ['task', hidden.taskId, { title: 'x', isDone: true }],
      ['note', hidden.noteId, { text: 'x' }],
      ...hidden.paperIds.map((id) => ['paper', id, { text: 'x' }] as const),
    ] as const
    for (const [route, id, body] of records) {
      for (const [method, sent] of [
        ['GET', undefined],
        ['PUT', body],
        ['PATCH', body],
        ['PATCH', {}],
        ['DELETE', undefined],
      ] as const) {
        await client.refuseLikeMissing(id, (one) => [method, `/api/${route}/${one}`, sent], notFound)
      }
    }
  })

  test('are not added to a hidden owner', async () => {
    const unknown = { code: 'CRUD_ERR_UNKNOWN_REFERENCE' } as const
    await client.refuseLikeMissing(hidden.taskId, (taskId) => ['POST', '/api/note', { taskId, text: 'x' }], unknown)
    for (const id of hidden.folderIds) {
      await client.refuseLikeMissing(id, (folderId) => ['POST', '/api/paper', { folderId, text: 'x' }], unknown)
    }
    await client.refuse(
      'POST',
      '/api/task',
      { projectId: missingId, title: 'x' },
      { ...unknown, pointers: ['/projectId'] },
    )
    const added = await client.request('POST', '/api/note', { taskId: shown.taskId, text: 'x' })
    expect([added.status, added.body.taskId]).toEqual([201, shown.taskId])
  })

  test('are not added to hidden owners and missing ones, and an array says of each where it is', async () => {
    const note = (taskId: number) => ({ taskId, text: 'x' })
    const bodies = (taskId: number) => [note(shown.taskId), note(taskId), note(missingId), note(taskId)]
    await client.refuseLikeMissing(hidden.taskId, (taskId) => ['POST', '/api/note', bodies(taskId)], {
      code: 'CRUD_ERR_UNKNOWN_REFERENCE',
      pointers: ['/1/taskId', '/2/taskId', '/3/taskId'],
    })
  })

  test('of many owners are refused together as each would be alone', async () => {
    const paper = (folderId: number) => ({ folderId, text: 'x' })
    const { folderId } = await client.read(`/api/paper/${shown.paperId}`)
    const bodies = [folderId, ...hidden.folderIds, missingId, folderId].map(paper)
    await client.refuse('POST', '/api/paper', bodies, {
      code: 'CRUD_ERR_UNKNOWN_REFERENCE',
      pointers: ['/1/folderId', '/2/folderId', '/3/folderId', '/4/folderId'],
    })
    const { projectId: locked } = await client.read(`/api/task/${lockedTaskId}`)
    const task = (projectId: number) => ({ projectId, title: 'x' })
    const ofLocked = [task(shown.projectId), task(locked)]
    await client.refuse('POST', '/api/task', ofLocked, { code: 'CRUD_ERR_FORBIDDEN' })
    await client.refuse('POST', '/api/task', [...ofLocked, task(missingId)], { code: 'CRUD_ERR_FORBIDDEN' })
    await client.refuse('POST', '/api/task', [task(missingId), ...ofLocked], {
      code: 'CRUD_ERR_UNKNOWN_REFERENCE',
      pointers: ['/0/projectId'],
    })
  })

  test('are written as their owners may be edited', async () => {
    const forbidden = { code: 'CRUD_ERR_FORBIDDEN' } as const
    const { projectId } = await client.read(`/api/task/${lockedTaskId}`)
    await client.refuse('PATCH', `/api/task/${lockedTaskId}`, { isDone: true }, forbidden)
    await client.refuse('DELETE', `/api/task/${lockedTaskId}`, undefined, forbidden)
    await client.refuse('POST', '/api/task', { projectId, title: 'x' }, forbidden)
    const done = await client.request('PATCH', `/api/task/${shown.taskId}`, { isDone: true })
    expect([done.status, done.body.isDone]).toEqual([200, true])
    expect((await client.request('DELETE', `/api/note/${shown.noteId}`)).status).toBe(204)
  })
})
