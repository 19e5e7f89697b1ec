import { Type } from '@sinclair/typebox'
import { defineResources, ownedBy, owns } from 'fastify-crud'
import { beforeEach, expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'

const book = defineResources({
  book: { fields: { title: Type.String() }, relations: { chapters: owns.many('chapter') } },
  chapter: { fields: { code: Type.String() }, relations: { book: ownedBy('book') }, unique: [['book', 'code']] },
})

describeOnBoth('a value that is unique below an owner, written through the nested endpoint', (database) => {
  const service = useApp(database, book)
  let path: string

  beforeEach(async () => {
    const { id, chapters } = await service.add('/api/book', {
      title: 't',
      chapters: [{ code: 'taken' }, { code: 'own' }],
    })
    await service.add('/api/book', { title: 'u', chapters: [{ code: 'elsewhere' }] })
    path = `/api/book/${id}/chapter/${chapters[1].id}`
  })

  test('is refused where it is taken: 409 names the fields and points to the value', async () => {
    const taken = { code: 'CRUD_ERR_NOT_UNIQUE', pointers: ['/code'], detail: /book.*code/ } as const
    await service.refuse('PATCH', path, { code: 'taken' }, taken)
    await service.refuse('PUT', path, { code: 'taken' }, taken)
    await service.refuse('POST', path.replace(/\/\d+$/, ''), { code: 'taken' }, taken)
  })

  test('may be one that another owner has, or its own', async () => {
    for (const code of ['elsewhere', 'own', 'free']) {
      const patched = await service.patch(path, { code })
      expect([patched.status, patched.body.code]).toEqual([200, code])
      expect((await service.put(path, { code })).status).toBe(200)
    }
  })
})

const folder = defineResources({
  folder: {
    fields: { name: Type.String() },
    relations: { parent: ownedBy('folder', { optional: true }), folders: owns.many('folder') },
    unique: [['parent', 'name']],
  },
})

describeOnBoth('a value that is unique among siblings of a tree', (database) => {
  const service = useApp(database, folder)

  test('is refused where a sibling has it, by either path to the record', async () => {
    const root = await service.add('/api/folder', {
      name: 'root',
      folders: [{ name: 'a', folders: [{ name: 'deep' }, { name: 'deeper' }] }, { name: 'b' }],
    })
    const [a, b] = root.folders
    const [, deeper] = a.folders
    const taken = { code: 'CRUD_ERR_NOT_UNIQUE', pointers: ['/name'], detail: /parent.*name/ } as const
    for (const [owner, record, name] of [
      [root, b, 'a'],
      [a, deeper, 'deep'],
    ]) {
      for (const path of [`/api/folder/${record.id}`, `/api/folder/${owner.id}/folder/${record.id}`]) {
        await service.refuse('PATCH', path, { name }, taken)
        await service.refuse('PUT', path, { name }, taken)
      }
      await service.refuse('POST', `/api/folder/${owner.id}/folder`, { name }, taken)
    }
    expect((await service.patch(`/api/folder/${deeper.id}`, { name: 'a' })).status).toBe(200)
  })
})
