import { createStore } from 'fastify-crud'
import { beforeEach, expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../test/support/json-body.ts'
import { folders } from './models/folders.ts'
import { ada, asCaller, caller } from './support/as-caller.ts'

const notFound = { code: 'CRUD_ERR_NOT_FOUND' } as const
const forbidden = { code: 'CRUD_ERR_FORBIDDEN' } as const

describeOnBoth('a node of a tree outside of View', (database) => {
  const service = useApp(database, folders, {
    plugin: { caller, policies: { folder: ({ eb }) => eb('isSecret', '=', 0), shortcut: true } },
  })
  const client = asCaller(service, ada)
  const all = () => createStore({ db: service.db, resources: folders })
  let root: JsonBody
  let hidden: JsonBody
  let below: JsonBody
  let shown: JsonBody
  let path: string

  beforeEach(async () => {
    root = await all().folder.create({
      name: 'root',
      folders: [
        { name: 'open', folders: [{ name: 'open, too' }], files: [{ name: 'file' }] },
        {
          name: 'zebra',
          isSecret: 1,
          folders: [
            { name: 'zebra, though not secret', folders: [{ name: 'zebra at the end' }], files: [{ name: 'zebra' }] },
          ],
        },
      ],
    } as never)
    hidden = root.folders[1]
    below = hidden.folders[0]
    shown = { ...root, folders: root.folders.slice(0, 1) }
    path = `/api/folder/${root.id}`
  })

  test('hides all that is below it', async () => {
    expect(await client.read(path)).toEqual(shown)
    expect(await client.read('/api/folder')).toEqual({ rows: [shown], count: 1 })
    expect(await client.read(`${path}/folder`)).toEqual({ rows: shown.folders, count: 1 })
  })

  test('is 404 with all that is below it, by each path', async () => {
    for (const node of [hidden, below, below.folders[0]]) {
      await client.refuseLikeMissing(node.id, (id) => ['GET', `/api/folder/${id}`], notFound)
      await client.refuseLikeMissing(node.id, (id) => ['PATCH', `/api/folder/${id}`, { name: 'x' }], notFound)
      await client.refuseLikeMissing(node.id, (id) => ['PUT', `/api/folder/${id}`, { name: 'x' }], notFound)
      await client.refuseLikeMissing(node.id, (id) => ['DELETE', `/api/folder/${id}`], notFound)
      await client.refuseLikeMissing(node.id, (id) => ['GET', `/api/folder/${id}/folder`], notFound)
      await client.refuseLikeMissing(node.id, (id) => ['POST', `/api/folder/${id}/folder`, { name: 'x' }], notFound)
      await client.refuseLikeMissing(node.id, (id) => ['POST', `/api/folder/${id}/file`, { name: 'x' }], notFound)
      await client.refuseLikeMissing(node.id, (id) => ['GET', `/api/folder/${id}/file`], notFound)
    }
    await client.refuseLikeMissing(hidden.id, (id) => ['GET', `${path}/folder/${id}`], notFound)
    const [file] = below.files
    await client.refuseLikeMissing(file.id, (id) => ['GET', `/api/folder/${below.id}/file/${id}`], notFound)
  })

  test('is not there as a root, either', async () => {
    const secret = await all().folder.create({ name: 'zebra', isSecret: 1, folders: [{ name: 'zebra' }] } as never)
    expect((await client.read('/api/folder')).count).toBe(1)
    await client.refuseLikeMissing(secret.id, (id) => ['GET', `/api/folder/${id}`], notFound)
    await client.refuseLikeMissing(secret.folders[0]?.id ?? 0, (id) => ['GET', `/api/folder/${id}`], notFound)
  })

  test('stays with all that is below it when its owner is replaced', async () => {
    const answer = await client.put(path, { name: 'new', folders: [{ name: 'newer' }] })
    expect(answer).toMatchObject({ status: 200, body: { name: 'new', folders: [{ name: 'newer' }] } })
    expect((await all().folder.find(root.id)).folders).toEqual([hidden, ...answer.body.folders])
    expect((await client.put(path, await client.read(path))).status).toBe(200)
    expect((await all().folder.find(root.id)).folders).toEqual([hidden, ...answer.body.folders])
  })

  test('keeps its owner from being deleted, if it is outside of Delete, too', async () => {
    const { detail } = await client.refuse('DELETE', path, undefined, forbidden)
    expect(detail).not.toMatch(/\d/)
    expect((await client.delete(`/api/folder/${shown.folders[0].id}`)).status).toBe(204)
  })

  test('cannot be referred to, nor anything below it', async () => {
    for (const node of [hidden, below]) {
      await client.refuseLikeMissing(node.id, (id) => ['POST', '/api/shortcut', { name: 's', toId: id }], {
        code: 'CRUD_ERR_UNKNOWN_REFERENCE',
        pointers: ['/toId'],
      })
    }
    await client.refuseLikeMissing(below.files[0].id, (id) => ['POST', '/api/shortcut', { name: 's', fileId: id }], {
      code: 'CRUD_ERR_UNKNOWN_REFERENCE',
      pointers: ['/fileId'],
    })
    const shortcut = await all().shortcut.create({ name: 's', toId: below.id, fileId: below.files[0].id })
    const { id } = shortcut
    const expected = { id, name: 's', toId: below.id, to: null, fileId: below.files[0].id, file: null }
    expect(await client.read(`/api/shortcut/${id}`)).toEqual(expected)
  })

  test('cannot be named in its owner’s body', async () => {
    const refused = { code: 'CRUD_ERR_UNKNOWN_REFERENCE', pointers: ['/folders/0/id'] } as const
    const body = (id: number) => ({ folders: [{ id, name: 'x' }] })
    for (const node of [hidden, below])
      await client.refuseLikeMissing(node.id, (id) => ['PATCH', path, body(id)], refused)
  })

  test('is not added: neither as a root nor below one', async () => {
    await client.refuse('POST', '/api/folder', { name: 'x', isSecret: 1 }, forbidden)
    await client.refuse('POST', `${path}/folder`, { name: 'x', isSecret: 1 }, forbidden)
    await client.refuse('POST', '/api/folder', { name: 'x', folders: [{ name: 'y', isSecret: 1 }] }, forbidden)
    await client.refuse('PATCH', path, { folders: [{ name: 'y', folders: [{ name: 'z', isSecret: 1 }] }] }, forbidden)
    await client.refuse('PATCH', `/api/folder/${shown.folders[0].id}`, { isSecret: 1 }, forbidden)
    expect((await client.patch(path, { folders: [{ name: 'y', folders: [{ name: 'z' }] }] })).status).toBe(200)
  })
})
