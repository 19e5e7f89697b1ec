import { expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import { museum } from '../contract/models/museum.ts'
import { bodiesOf, useExhibits } from './exhibits.ts'
import { refuseAll } from './refuse-all.ts'

const unknown = 'CRUD_ERR_UNKNOWN_REFERENCE'

describeOnBoth("another owner's record", (database) => {
  const service = useApp(database, museum)
  const exhibits = useExhibits(service)

  test('is 404 by every path that goes through an owner that is not its own', async () => {
    const { mine, other, expert } = exhibits
    const [lid, jar] = mine.parts
    const [otherLid] = other.parts
    const part = { name: 'x' }
    const repair = { what: 'x', expertId: expert.id }
    for (const [path, body] of [
      [`/api/item/${mine.id}/part/${otherLid.id}`, part],
      [`/api/item/${mine.id}/label/${other.label.id}`, { text: 'x' }],
      [`/api/item/${mine.id}/part/${lid.id}/repair/${jar.repairs[0].id}`, repair],
      [`/api/item/${mine.id}/part/${lid.id}/repair/${otherLid.repairs[0].id}`, repair],
      // A chain whose first link is wrong and whose last one is right.
      [`/api/item/${mine.id}/part/${otherLid.id}/repair/${otherLid.repairs[0].id}`, repair],
      [`/api/item/999999/part/${lid.id}/repair/${lid.repairs[0].id}`, repair],
    ] as const) {
      await refuseAll(service, { code: 'CRUD_ERR_NOT_FOUND' }, [
        ['GET', path],
        ['PUT', path, body],
        ['PATCH', path, body],
        ['PATCH', path, {}],
        ['DELETE', path],
      ])
      expect((await service.request('HEAD', path)).status).toBe(404)
    }
    for (const path of [`/api/item/${mine.id}/part/${otherLid.id}/repair`, `/api/item/999999/part/${lid.id}/repair`]) {
      await refuseAll(service, { code: 'CRUD_ERR_NOT_FOUND' }, [
        ['GET', path],
        ['POST', path, repair],
        ['PUT', path, { ...repair, id: otherLid.repairs[0].id }],
      ])
    }
  })

  test('is 404 as the `id` of a PUT to a collection', async () => {
    const { mine, other, folder, otherFolder } = exhibits
    for (const [path, body] of [
      [`/api/item/${mine.id}/part`, { id: other.parts[0].id, name: 'x' }],
      [`/api/item/${mine.id}/label`, { id: other.label.id, text: 'x' }],
      [`/api/folder/${folder.id}/folder`, { id: otherFolder.folders[0].id, name: 'x' }],
    ] as const) {
      await service.refuse('PUT', path, body, { code: 'CRUD_ERR_NOT_FOUND' })
    }
  })

  test('is 409 as the chosen id of a POST: it is not taken over', async () => {
    const { mine, other, folder, otherFolder, expert } = exhibits
    const [lid] = mine.parts
    for (const [path, body] of [
      [`/api/item/${mine.id}/part/${other.parts[0].id}`, { name: 'x' }],
      [
        `/api/item/${mine.id}/part/${lid.id}/repair/${other.parts[0].repairs[0].id}`,
        { what: 'x', expertId: expert.id },
      ],
      [`/api/folder/${folder.id}/folder/${otherFolder.id}`, { name: 'x' }],
      [`/api/folder/${otherFolder.folders[0].id}`, { name: 'x' }],
    ] as const) {
      await service.refuse('POST', path, body, { code: 'CRUD_ERR_EXISTS' })
    }
  })

  test("is 400 as the one child of this owner, with its own id or this owner's", async () => {
    const { mine, other } = exhibits
    const refused = { code: unknown, pointers: ['/label/id'] } as const
    for (const label of [other.label, { id: other.label.id, text: 'x' }]) {
      await service.refuse('PATCH', `/api/item/${mine.id}`, { label }, refused)
      await service.refuse('PUT', `/api/item/${mine.id}`, { ...mine, label }, refused)
    }
  })

  test('is 400 as an element at each depth, also if the same body removes it there', async () => {
    const { mine, other } = exhibits
    const [lid, jar] = mine.parts
    const at = (pointer: string) => ({ code: unknown, pointers: [pointer] }) as const
    const path = `/api/item/${mine.id}`
    for (const foreign of other.parts) {
      await service.refuse('PATCH', path, { parts: [{ id: foreign.id }] }, at('/parts/0/id'))
      await service.refuse('PUT', path, { ...mine, parts: [lid, foreign] }, at('/parts/1/id'))
    }
    for (const foreign of [other.parts[0].repairs[0], jar.repairs[0]]) {
      const parts = [{ id: lid.id, name: 'lid', repairs: [foreign] }]
      await service.refuse('PATCH', path, { parts }, at('/parts/0/repairs/0/id'))
      await service.refuse('PUT', path, { ...mine, parts }, at('/parts/0/repairs/0/id'))
      await service.refuse('PUT', `${path}/part/${lid.id}`, parts[0], at('/repairs/0/id'))
    }
  })

  test('is refused among the folders of a tree, as are the folder itself and those above it: no circle is closed', async () => {
    const { folder, otherFolder } = exhibits
    const [first] = folder.folders
    const [leaf] = first.folders
    for (const foreign of [otherFolder, otherFolder.folders[0], folder, leaf]) {
      for (const [path, pointer] of [
        [`/api/folder/${folder.folders[1].id}`, '/folders/0/id'],
        [`/api/folder/${folder.id}/folder/${folder.folders[1].id}`, '/folders/0/id'],
      ] as const) {
        const folders = [{ id: foreign.id, name: 'x' }]
        await service.refuse('PATCH', path, { folders }, { code: unknown, pointers: [pointer] })
        await service.refuse('PUT', path, { name: 'x', folders }, { code: unknown, pointers: [pointer] })
      }
    }
    const itself = { folders: [{ id: leaf.id, name: 'x' }] }
    await service.refuse('PATCH', `/api/folder/${leaf.id}`, itself, { code: unknown, pointers: ['/folders/0/id'] })
    const above = { folders: [{ id: folder.id, name: 'x', folders: [{ id: first.id, name: 'x' }] }] }
    await service.refuse('PATCH', `/api/folder/${leaf.id}`, above, { code: unknown })
  })

  test('is 404 as a folder below another folder than its own', async () => {
    const { folder, otherFolder } = exhibits
    const [first] = folder.folders
    for (const path of [
      `/api/folder/${folder.id}/folder/${otherFolder.folders[0].id}`,
      `/api/folder/${folder.id}/folder/${otherFolder.id}`,
      `/api/folder/${folder.id}/folder/${folder.id}`,
      `/api/folder/${first.id}/folder/${folder.id}`,
      // A grandchild is no child.
      `/api/folder/${folder.id}/folder/${first.folders[0].id}`,
    ]) {
      await refuseAll(service, { code: 'CRUD_ERR_NOT_FOUND' }, [
        ['GET', path],
        ['PATCH', path, { name: 'x' }],
        ['DELETE', path],
      ])
    }
  })

  test('an id of another resource means nothing, even where a record of both has it', async () => {
    const { item } = bodiesOf(exhibits)
    const { mine } = exhibits
    // Ids are given by resource, so this one is no expert, donor, room or topic.
    const id = 500_000
    await service.post(`/api/folder/${id}`, { name: 'only a folder' })
    for (const [body, pointer] of [
      [{ ...item, donorId: id }, '/donorId'],
      [{ ...item, roomId: id }, '/roomId'],
      [{ ...item, twinId: id }, '/twinId'],
      [{ ...item, experts: [{ id }] }, '/experts/0/id'],
      [{ ...item, topics: [{ id }] }, '/topics/0/id'],
      [{ ...item, parts: [{ name: 'p', expertId: id }] }, '/parts/0/expertId'],
      [{ ...item, parts: [{ name: 'p', repairs: [{ what: 'w', expertId: id }] }] }, '/parts/0/repairs/0/expertId'],
    ] as const) {
      await service.refuse('POST', '/api/item', body, { code: unknown, pointers: [pointer] })
      await service.refuse('PATCH', `/api/item/${mine.id}`, body, { code: unknown, pointers: [pointer] })
    }
  })
})
