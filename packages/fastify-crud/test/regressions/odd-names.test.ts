import { Type } from '@sinclair/typebox'
import { defineResources, knows, ownedBy, owns } from 'fastify-crud'
import { expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'

const name = Type.String()

const builder = defineResources({
  constructor: { fields: { name }, relations: { toString: owns.many('valueOf'), next: knows.one('constructor') } },
  valueOf: { fields: { hasOwnProperty: name }, relations: { constructor: ownedBy('constructor') } },
})

describeOnBoth('names that every object of JavaScript has', (database) => {
  const service = useApp(database, builder)

  test('are names of resources, relations and fields like any other', async () => {
    const { id, ...record } = await service.add('/api/constructor', {
      name: 'a',
      toString: [{ hasOwnProperty: 'x' }, { hasOwnProperty: 'y' }],
    })
    expect(record).toMatchObject({
      name: 'a',
      nextId: null,
      toString: [{ hasOwnProperty: 'x' }, { hasOwnProperty: 'y' }],
    })
    const path = `/api/constructor/${id}`
    expect(await service.read(path)).toEqual({ id, ...record })
    expect((await service.patch(path, { nextId: id })).body).toMatchObject({ next: { id, name: 'a' } })
    expect((await service.put(path, { name: 'b' })).body).toEqual({
      id,
      name: 'b',
      toString: [],
      nextId: null,
      next: null,
    })
    await service.refuse('PATCH', path, { valueOf: 1 }, { code: 'CRUD_ERR_INVALID', pointers: ['/valueOf'] })
    expect((await service.delete(path)).status).toBe(204)
  })
})

const quoted = defineResources({
  parent: {
    columns: { id: 'i"d', name: `n'a"m\\e` },
    fields: { name },
    relations: { children: owns.many('child'), pals: knows.many('parent') },
    unique: [['name']],
  },
  child: { columns: { id: 'i"d', parentId: 'p"id' }, fields: { name }, relations: { parent: ownedBy('parent') } },
})

describeOnBoth('columns with quotes in their names', (database) => {
  const service = useApp(database, quoted)

  test('are read and written', async () => {
    const other = await service.add('/api/parent', { name: 'o' })
    const record = await service.add('/api/parent', {
      name: 'a',
      children: [{ name: 'c' }, { name: 'd' }],
      pals: [{ id: other.id }],
    })
    const path = `/api/parent/${record.id}`
    expect(await service.read(path)).toEqual(record)
    expect(await service.read('/api/parent')).toEqual({ rows: [other, record], count: 2 })
    const [c] = record.children
    const put = await service.put(path, { name: 'b', children: [{ ...c, name: 'e' }, { name: 'f' }] })
    expect(put.body).toEqual({
      id: record.id,
      name: 'b',
      children: [
        { ...c, name: 'e' },
        { id: expect.any(Number), name: 'f' },
      ],
      pals: [],
    })
    const taken = { code: 'CRUD_ERR_NOT_UNIQUE', pointers: ['/name'] } as const
    await service.refuse('POST', '/api/parent', { name: 'b' }, taken)
    expect((await service.post(`/api/parent/${record.id + 5}`, { name: 'g' })).status).toBe(201)
    expect((await service.delete(path)).status).toBe(204)
  })
})

const node = Type.Recursive((self) => Type.Object({ label: Type.String(), nodes: Type.Array(self) }))
const outline = defineResources({ outline: { fields: { name, tree: node, other: Type.Optional(node) } } })

describeOnBoth('a JSON field whose schema is recursive', (database) => {
  // With `handlers`, answers are not compared with the document, which is not the subject here.
  const service = useApp(database, outline, { plugin: { handlers: {} } })

  test('is stored, and checked at every depth', async () => {
    const leaf = { label: 'c', nodes: [] }
    const tree = { label: 'a', nodes: [{ label: 'b', nodes: [leaf] }, leaf] }
    const { id, ...record } = await service.add('/api/outline', { name: 'o', tree })
    expect(record).toEqual({ name: 'o', tree, other: null })
    const path = `/api/outline/${id}`
    expect((await service.put(path, { name: 'o', tree: leaf, other: tree })).body).toEqual({
      id,
      name: 'o',
      tree: leaf,
      other: tree,
    })
    const wrong = { label: 'a', nodes: [{ label: 'b', nodes: [{ label: 1, nodes: [] }] }] }
    await service.refuse(
      'PATCH',
      path,
      { tree: wrong },
      { code: 'CRUD_ERR_INVALID', pointers: ['/tree/nodes/0/nodes/0/label'] },
    )
  })
})
