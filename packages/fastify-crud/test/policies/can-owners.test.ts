import { createStore, type Store } from 'fastify-crud'
import { beforeEach, expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../test/support/json-body.ts'
import { folders } from './models/folders.ts'
import { ada, asCaller, caller } from './support/as-caller.ts'

const forbidden = { code: 'CRUD_ERR_FORBIDDEN' } as const

describeOnBoth('`can` with a record that others own', (database) => {
  const service = useApp(database, folders, {
    plugin: {
      caller,
      policies: {
        folder: {
          View: ({ eb }) => eb('isSecret', '=', 0),
          Add: true,
          Edit: ({ eb }) => eb('name', 'not like', 'locked%'),
          Delete: true,
        },
        shortcut: {
          View: ({ eb, can }) => eb.or([can('View', 'folder', eb.ref('toId')), can('View', 'file', eb.ref('fileId'))]),
          Add: true,
          Edit: ({ eb, can }) => can('Edit', 'file', eb.ref('fileId')),
          Delete: true,
        },
      },
    },
  })
  const client = asCaller(service, ada)
  let all: Store<typeof folders>
  let root: JsonBody

  beforeEach(async () => {
    all = createStore({ db: service.db, resources: folders })
    const hidden = { name: 'zebra', folders: [{ name: 'zebra, though not secret', files: [{ name: 'zebra' }] }] }
    root = await all.folder.create({
      name: 'root',
      files: [{ name: 'file' }],
      folders: [
        { name: 'locked', files: [{ name: 'in locked' }] },
        { ...hidden, isSecret: 1 },
      ],
    } as never)
  })

  test('asks about its owners, too', async () => {
    const [locked, hidden] = root.folders
    const add = (name: string, rest: object) => all.shortcut.create({ name, ...rest })
    await add('zebra', { toId: hidden.folders[0].id })
    await add('zebra', { fileId: hidden.folders[0].files[0].id })
    await add('zebra, to nothing', {})
    const toRoot = await add('to root', { toId: root.id })
    const toFile = await add('to file', { fileId: root.files[0].id })
    const toLocked = await add('to locked', { fileId: locked.files[0].id })
    expect((await client.read('/api/shortcut')).rows.map(({ name }: JsonBody) => name)).toEqual([
      'to root',
      'to file',
      'to locked',
    ])
    expect((await client.patch(`/api/shortcut/${toFile.id}`, { name: 'new' })).status).toBe(200)
    await client.refuse('PATCH', `/api/shortcut/${toRoot.id}`, { name: 'x' }, forbidden)
    await client.refuse('PATCH', `/api/shortcut/${toLocked.id}`, { name: 'x' }, forbidden)
    await client.refuse('PATCH', `/api/folder/${locked.id}/file/${locked.files[0].id}`, { name: 'x' }, forbidden)
  })
})
