import { Type } from '@sinclair/typebox'
import { defineResources, knows, needs, ownedBy, owns } from 'fastify-crud'
import { beforeEach, expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../test/support/json-body.ts'

const shop = defineResources({
  category: {
    fields: { name: Type.String() },
    relations: {
      parent: ownedBy('category', { optional: true }),
      categories: owns.many('category'),
      similar: knows.one('category'),
      near: knows.many('category'),
    },
    unique: [['parent', 'name']],
  },
  product: { fields: { name: Type.String() }, relations: { category: needs.one('category') } },
})

describeOnBoth('a tree of one resource with relations', (database) => {
  const service = useApp(database, shop)
  let root: JsonBody
  let path: string

  beforeEach(async () => {
    const categories = [
      { name: 'a', categories: [{ name: 'x' }, { name: 'y' }] },
      { name: 'b', categories: [{ name: 'x' }] },
    ]
    root = await service.add('/api/category', { name: 'root', categories })
    path = `/api/category/${root.id}`
  })

  test('a node deep inside that is needed keeps every tree above it', async () => {
    const [a, b] = root.categories
    const product = await service.add('/api/product', { name: 'p', categoryId: a.categories[1].id })
    const refused = { code: 'CRUD_ERR_STILL_NEEDED', detail: /\b1\b.*product/ } as const
    await service.refuse('DELETE', path, undefined, refused)
    await service.refuse('DELETE', `${path}/category/${a.id}`, undefined, refused)
    await service.refuse('PUT', path, { name: 'new', categories: [{ id: b.id, name: 'new' }] }, refused)
    await service.refuse('PUT', path, { name: 'new', categories: [{ id: a.id, name: 'new' }, b] }, refused)
    await service.patch(`/api/product/${product.id}`, { categoryId: b.id })
    expect((await service.delete(`${path}/category/${a.id}`)).status).toBe(204)
    await service.refuse('DELETE', path, undefined, refused)
  })

  test('nodes of one tree that know each other go together', async () => {
    const [a, b] = root.categories
    const [x, y] = a.categories
    await service.patch(`/api/category/${x.id}`, { similarId: b.id, near: [{ id: y.id }, { id: root.id }] })
    await service.patch(`/api/category/${b.id}`, { similarId: x.id, near: [{ id: x.id }] })
    await service.patch(path, { similarId: root.id })
    const other = await service.add('/api/category', { name: 'other', similarId: x.id, near: [{ id: x.id }] })
    expect((await service.delete(`/api/category/${a.id}`)).status).toBe(204)
    expect((await service.read(`/api/category/${b.id}`)).similarId).toBeNull()
    expect((await service.delete(path)).status).toBe(204)
    expect(await service.read('/api/category')).toEqual({
      rows: [{ ...other, similarId: null, similar: null, near: [] }],
      count: 1,
    })
  })

  test('names are unique among the children of one node only', async () => {
    await service.add('/api/category', { name: 'root' })
    await service.refuse(
      'POST',
      `${path}/category`,
      { name: 'a' },
      { code: 'CRUD_ERR_NOT_UNIQUE', pointers: ['/name'] },
    )
    await service.refuse(
      'POST',
      '/api/category',
      { name: 'c', categories: [{ name: 'a' }, { name: 'a' }] },
      {
        code: 'CRUD_ERR_NOT_UNIQUE',
        pointers: ['/categories/0/name', '/categories/1/name'],
      },
    )
    const same = { name: 'a', categories: [{ name: 'a', categories: [{ name: 'a' }] }] }
    expect((await service.post('/api/category', same)).status).toBe(201)
  })

  test('names of siblings are swapped at two depths at once', async () => {
    const [a, b] = root.categories
    const [x, y] = a.categories
    const swapped = [
      {
        ...a,
        name: 'b',
        categories: [
          { ...x, name: 'y' },
          { ...y, name: 'x' },
        ],
      },
      { ...b, name: 'a' },
    ]
    const { status, body } = await service.put(path, { ...root, categories: swapped })
    expect(status).toBe(200)
    expect(body.categories).toEqual(swapped)
    expect(await service.read(path)).toEqual(body)
  })

  test('a removed node leaves its name to a new one, and to a sibling', async () => {
    const [a, b] = root.categories
    const { body } = await service.put(path, { ...root, categories: [{ ...b, name: 'a' }, { name: 'b' }] })
    expect(body.categories).toMatchObject([{ id: b.id, name: 'a' }, { name: 'b' }])
    await service.refuse('GET', `/api/category/${a.id}`, undefined, { code: 'CRUD_ERR_NOT_FOUND' })
  })
})
