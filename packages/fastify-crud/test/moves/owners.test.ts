import { Type } from '@sinclair/typebox'
import { defineResources, ownedBy, owns } from 'fastify-crud'
import { beforeEach, describe, expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../test/support/json-body.ts'

const name = Type.String()

const models = defineResources({
  house: {
    fields: { name },
    relations: { door: owns.one('door'), roof: owns.one('roof', { required: true }) },
  },
  door: { topLevel: true, fields: { name }, relations: { house: ownedBy('house', { moves: true }) } },
  roof: { topLevel: true, fields: { name }, relations: { house: ownedBy('house', { moves: true }) } },
})

describeOnBoth('the one place of an owner', (database) => {
  const service = useApp(database, models)
  let [one, two]: JsonBody[] = []

  beforeEach(async () => {
    one = await service.add('/api/house', { name: 'one', door: { name: 'd' }, roof: { name: 'r' } })
    two = await service.add('/api/house', { name: 'two', door: null, roof: { name: 's' } })
  })

  test('takes a record that moves there, if it is free', async () => {
    const { status, body } = await service.patch(`/api/door/${one.door.id}`, { houseId: two.id })
    expect([status, body]).toEqual([200, { id: one.door.id, houseId: two.id, name: 'd' }])
    expect((await service.read(`/api/house/${one.id}`)).door).toBe(null)
    expect((await service.read(`/api/house/${two.id}`)).door).toEqual(body)
  })

  test('is refused to a record that moves there, if it is taken', async () => {
    await service.patch(`/api/house/${two.id}`, { door: { name: 'e' } })
    const { body } = await service.patch(`/api/door/${one.door.id}`, { houseId: two.id })
    expect(body).toMatchObject({
      status: 409,
      code: 'CRUD_ERR_EXISTS',
      errors: [{ pointer: '/houseId', message: 'the house has its door already' }],
    })
  })

  test('a record leaves no owner that must have it', async () => {
    const free = await service.patch(`/api/roof/${one.roof.id}`, { houseId: two.id })
    expect(free.body).toMatchObject({
      status: 400,
      errors: [{ pointer: '/houseId', message: `must stay: house ${one.id} must have its roof` }],
    })
  })

  test('two records swap their places in one request', async () => {
    const { door } = await service.read(`/api/house/${one.id}`)
    const { door: other } = (await service.patch(`/api/house/${two.id}`, { door: { name: 'e' } })).body
    for (const [path, ids] of [
      ['/api/door', [door.id, other.id]],
      ['/api/roof', [one.roof.id, two.roof.id]],
    ] as const) {
      const { status, body } = await service.patch(path, [
        { id: ids[0], houseId: two.id },
        { id: ids[1], houseId: one.id },
      ])
      expect([status, body.rows?.map((row: JsonBody) => row.houseId)], JSON.stringify(body)).toEqual([
        200,
        [two.id, one.id],
      ])
    }
  })
})

const drawers = defineResources({
  shelf: { fields: { name }, relations: { boxes: owns.many('box', { order: 'position' }) } },
  cellar: { fields: { name }, relations: { boxes: owns.many('box', { order: 'position' }) } },
  box: {
    topLevel: true,
    fields: { name },
    relations: { shelf: ownedBy('shelf', { moves: true }), cellar: ownedBy('cellar', { moves: true }) },
  },
})

describeOnBoth('a record that one of several owners has', (database) => {
  const service = useApp(database, drawers)
  let [shelf, cellar, box]: JsonBody[] = []

  beforeEach(async () => {
    shelf = await service.add('/api/shelf', { name: 's', boxes: [{ name: 'a' }] })
    cellar = await service.add('/api/cellar', { name: 'c', boxes: [{ name: 'b' }] })
    box = shelf.boxes[0]
  })

  test('shows the foreign keys of all of them', () => {
    expect(box).toEqual({ id: box.id, name: 'a', shelfId: shelf.id, cellarId: null })
  })

  test('moves by one foreign key that is set and another that is cleared', async () => {
    const at = `/api/shelf/${shelf.id}/box/${box.id}`
    const moved = await service.patch(at, { shelfId: null, cellarId: cellar.id })
    expect([moved.status, moved.body]).toEqual([200, { ...box, shelfId: null, cellarId: cellar.id }])
    expect(moved.headers['content-location']).toBe(`/api/cellar/${cellar.id}/box/${box.id}`)
    const { boxes } = await service.read(`/api/cellar/${cellar.id}`)
    expect(boxes.map((one: JsonBody) => one.name)).toEqual(['b', 'a'])
    const back = await service.patch(`/api/box/${box.id}`, { cellarId: null, shelfId: shelf.id })
    expect([back.status, back.body.shelfId]).toEqual([200, shelf.id])
  })

  test('has exactly one owner', async () => {
    const two = await service.patch(`/api/box/${box.id}`, { cellarId: cellar.id })
    expect(two.body.errors).toEqual([
      {
        pointer: '/cellarId',
        message:
          "a record has one owner, and here 'shelfId' and 'cellarId' would name one each: set the others to null",
        keyword: 'oneOwner',
      },
    ])
    const none = await service.patch(`/api/box/${box.id}`, { shelfId: null })
    expect(none.body.errors).toEqual([
      {
        pointer: '/shelfId',
        message: 'must not be null: one of shelfId, cellarId names the owner',
        keyword: 'oneOwner',
      },
    ])
    const created = await service.post('/api/box', { name: 'x', cellarId: cellar.id })
    expect([created.status, created.body.cellarId]).toEqual([201, cellar.id])
  })
})

const trees = defineResources({
  folder: {
    fields: { name },
    relations: {
      parent: ownedBy('folder', { optional: true, moves: true }),
      folders: owns.many('folder', { order: 'position' }),
      files: owns.many('file'),
    },
  },
  file: { fields: { name }, relations: { folder: ownedBy('folder', { moves: true }) } },
})

describeOnBoth('a record of a tree', (database) => {
  const service = useApp(database, trees)
  let root: JsonBody
  const at = (of: JsonBody) => `/api/folder/${of.id}`
  const shape = (of: JsonBody): string =>
    `${of.name}${of.folders.length === 0 ? '' : `(${of.folders.map(shape).join('')})`}`
  const stored = async (of: JsonBody = root): Promise<string> => shape(await service.read(at(of)))

  beforeEach(async () => {
    root = await service.add('/api/folder', {
      name: 'r',
      folders: [
        { name: 'a', folders: [{ name: 'b', folders: [{ name: 'c' }] }], files: [{ name: 'f' }] },
        { name: 'd' },
      ],
    })
  })

  test('moves with all below it, within its tree and to another one', async () => {
    const [a, d] = root.folders
    const [b] = a.folders
    const { status, body } = await service.patch(at(b), { parentId: d.id })
    expect([status, body.parentId]).toEqual([200, d.id])
    expect(await stored()).toBe('r(ad(b(c)))')
    const other = await service.add('/api/folder', { name: 'o' })
    await service.patch(at(d), { parentId: other.id })
    expect([await stored(), await stored(other)]).toEqual(['r(a)', 'o(d(b(c)))'])
  })

  test('becomes a root by null, and is taken up again', async () => {
    const [a, d] = root.folders
    const away = await service.patch(`${at(root)}/folder/${a.id}`, { parentId: null })
    expect([away.status, away.headers['content-location']]).toEqual([200, at(a)])
    expect([await stored(), await stored(a)]).toEqual(['r(d)', 'a(b(c))'])
    expect((await service.patch(at(a), { parentId: root.id, $before: d.id })).status).toBe(200)
    expect(await stored()).toBe('r(a(b(c))d)')
  })

  test('does not go below itself', async () => {
    const [a] = root.folders
    const [b] = a.folders
    for (const parentId of [a.id, b.id, b.folders[0].id]) {
      const { body } = await service.patch(at(a), { parentId })
      expect(body).toMatchObject({
        status: 400,
        code: 'CRUD_ERR_INVALID',
        errors: [{ pointer: '/parentId', message: `is below folder ${a.id}` }],
      })
    }
    expect(await stored()).toBe('r(a(b(c))d)')
  })

  test('closes no circle with another one that moves in the same request', async () => {
    const two = await service.add('/api/folder', { name: 's', folders: [{ name: 'x' }] })
    const [x] = two.folders
    const [a, d] = root.folders
    const { body } = await service.patch('/api/folder', [
      { id: root.id, parentId: x.id },
      { id: d.id, name: 'D' },
      { id: two.id, parentId: a.id },
    ])
    expect(body).toMatchObject({
      status: 400,
      code: 'CRUD_ERR_INVALID',
      errors: [
        { pointer: '/0/parentId', message: `is below folder ${root.id}` },
        { pointer: '/2/parentId', message: `is below folder ${two.id}` },
      ],
    })
    expect([await stored(), await stored(two)]).toEqual(['r(a(b(c))d)', 's(x)'])
  })

  test('goes below one that was below it, if that moves away in the same request', async () => {
    const [a, d] = root.folders
    const { status } = await service.patch('/api/folder', [
      { id: a.id, parentId: a.folders[0].id },
      { id: a.folders[0].id, parentId: d.id },
    ])
    expect([status, await stored()]).toEqual([200, 'r(d(b(ca)))'])
  })

  test('takes a record from any depth of another tree', async () => {
    const [a, d] = root.folders
    const [file] = a.files
    const { status, body, headers } = await service.patch(`${at(a)}/file/${file.id}`, { folderId: d.id })
    expect([status, body.folderId, headers['content-location']]).toEqual([200, d.id, `${at(d)}/file/${file.id}`])
    expect(await service.read(`${at(d)}/file/${file.id}`)).toEqual(body)
  })
})

const drives = defineResources({
  drive: { fields: { name }, relations: { folders: owns.many('folder', { order: 'position' }) } },
  folder: {
    fields: { name },
    relations: {
      drive: ownedBy('drive', { moves: true }),
      parent: ownedBy('folder', { moves: true }),
      folders: owns.many('folder', { order: 'position' }),
    },
  },
})

describeOnBoth('a record of a tree that another record owns', (database) => {
  const service = useApp(database, drives)

  test('is answered from where it is by now, if the owner to which it moves moves, too', async () => {
    const folders = [{ name: 'a' }, { name: 'b' }, { name: 'c' }]
    const one = await service.add('/api/drive', { name: 'one', folders })
    const two = await service.add('/api/drive', { name: 'two' })
    const [a, b, c] = one.folders
    const { status, body } = await service.patch(`/api/drive/${one.id}/folder`, [
      { id: c.id, driveId: null, parentId: b.id },
      { id: b.id, driveId: null, parentId: a.id },
      { id: a.id, driveId: two.id },
    ])
    expect([status, body.rows?.map((row: JsonBody) => row.parentId)]).toEqual([200, [b.id, a.id, null]])
    expect((await service.read(`/api/drive/${two.id}`)).folders[0].folders[0].folders[0].name).toBe('c')
  })
})

describe('`moves`', () => {
  test('does not go with ids of which the owner is a part', () => {
    const define = () =>
      defineResources({
        order: { fields: { name }, relations: { lines: owns.many('line') } },
        line: {
          id: ['order', 'number'],
          fields: { number: Type.Integer() },
          relations: { order: ownedBy('order', { moves: true }) },
        },
      })
    expect(define).toThrow(
      "line.relations.order: moves: the id of a line has the owner's id as a part, and ids never change",
    )
  })

  test('is true or false, and its foreign key is a name that is free', () => {
    const define = (moves: unknown, fields: object) => () =>
      defineResources({
        list: { fields: { name }, relations: { items: owns.many('item') } },
        item: { fields, relations: { list: ownedBy('list', { moves } as never) } },
      } as never)
    expect(define('yes', { name })).toThrow("item.relations.list: 'moves' must be true or false")
    expect(define(true, { name, listId: name })).toThrow("item has a field or relation 'listId' already")
  })
})
