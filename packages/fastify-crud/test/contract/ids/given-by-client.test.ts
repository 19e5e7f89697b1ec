import { Type } from '@sinclair/typebox'
import { defineResources, ownedBy, owns } from 'fastify-crud'
import { beforeEach, expect, test } from 'vitest'
import { useApp } from '../../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../../test/support/json-body.ts'
import { at, modelOf } from './kinds.ts'

const tags = defineResources({ tag: { id: 'text', fields: { code: Type.String() }, unique: [['code']] } })

describeOnBoth('ids that the client gives', (database) => {
  const service = useApp(database, modelOf('text'))
  const keyed = useApp(database, tags)
  const exists = { code: 'CRUD_ERR_EXISTS' } as const
  const invalid = { code: 'CRUD_ERR_INVALID' } as const
  let order: JsonBody

  beforeEach(async () => {
    const lines = [
      { id: 'l1', name: '1' },
      { id: 'l2', name: '2', notes: [{ id: 'n1', name: 'n' }] },
    ]
    order = await service.add('/api/order', { id: 'o1', name: 'o', lines })
  })

  test('are required in each new record, at any depth', async () => {
    await service.refuse('POST', '/api/order', { name: 'p' }, { ...invalid, pointers: ['/id'] })
    const lines = [{ name: '1' }, { id: 'l9', name: '2', notes: [{ name: 'n' }] }]
    const pointers = ['/lines/0/id', '/lines/1/notes/0/id']
    await service.refuse('POST', '/api/order', { id: 'o2', name: 'p', lines }, { ...invalid, pointers })
    await service.refuse('PATCH', '/api/order/o1', { cover: { name: 'x' } }, { ...invalid, pointers: ['/cover/id'] })
  })

  test.each([null, 'x', 1])('are not missing of a body that is no record: %j is one problem', async (body) => {
    await service.refuse('POST', '/api/order', body, { ...invalid, pointers: [''] })
  })

  test('may be in the path of a POST; if the body has one, too, it is the same', async () => {
    expect(await service.post('/api/order/o2', { name: 'p' })).toMatchObject({ status: 201, body: { id: 'o2' } })
    expect(await service.post('/api/order/o3', { id: 'o3', name: 'q' })).toMatchObject({ status: 201 })
    await service.refuse('POST', '/api/order/o4', { id: 'o5', name: 'r' }, { ...invalid, pointers: ['/id'] })
  })

  test('create the element of an owned array of a PUT or PATCH that has an unknown one', async () => {
    const added = { id: 'l3', name: '3', notes: [{ id: 'n2', name: 'n' }] }
    const patched = await service.patch('/api/order/o1', { lines: [added, { id: 'l1', name: 'changed' }] })
    expect(patched.body.lines).toMatchObject([{ id: 'l1', name: 'changed' }, { id: 'l2' }, added])
    const put = await service.put('/api/order/o1', { ...order, lines: [{ id: 'l4', name: '4' }] })
    expect(put.body.lines).toEqual([{ id: 'l4', name: '4', notes: [] }])
  })

  test('are read as in a POST where they create an element: it is complete', async () => {
    const lines = [{ id: 'l3' }]
    await service.refuse('PATCH', '/api/order/o1', { lines }, { ...invalid, pointers: ['/lines/0/name'] })
  })

  test('are 409 where another record has them: also one of another owner, and one that the request removes', async () => {
    await service.add('/api/order', { id: 'o2', name: 'p', lines: [{ id: 'l5', name: '5' }] })
    await service.refuse('POST', '/api/order', { id: 'o1', name: 'q' }, exists)
    const taken = { lines: [{ id: 'l5', name: 'mine' }] }
    const atLine = { ...exists, pointers: ['/lines/0/id'] }
    await service.refuse('POST', '/api/order', { id: 'o3', name: 'q', ...taken }, atLine)
    await service.refuse('PATCH', '/api/order/o1', taken, atLine)
    await service.refuse('PUT', '/api/order/o1', { ...order, ...taken }, atLine)
    const moved = [{ id: 'l1', name: '1', notes: [{ id: 'n1', name: 'moved' }] }]
    const atNote = { ...exists, pointers: ['/lines/0/notes/0/id'] }
    await service.refuse('PUT', '/api/order/o1', { ...order, lines: moved }, atNote)
  })

  test('are not missing in a PUT by unique values that does not say which record it means', async () => {
    const tag = await keyed.add('/api/tag', { id: 't1', code: 'a' })
    for (const code of [7, null]) {
      await keyed.refuse('PUT', '/api/tag?by=code', { code }, { ...invalid, pointers: ['/code'] })
      await keyed.refuse('PUT', '/api/tag?by=code', [{ code: 'a' }, { code }], { ...invalid, pointers: ['/1/code'] })
    }
    await keyed.refuse('PUT', '/api/tag?by=code', { code: 'b' }, { ...invalid, pointers: ['/id'] })
    expect((await keyed.put('/api/tag?by=code', { code: 'a' })).body).toEqual(tag)
  })

  test('cannot occur twice in a request', async () => {
    const twice = [
      { id: 'l7', name: '1' },
      { id: 'l7', name: '2' },
    ]
    const inOneArray = { ...invalid, pointers: ['/lines/1/id'] }
    await service.refuse('POST', '/api/order', { id: 'o2', name: 'p', lines: twice }, inOneArray)
    const lines = ['l8', 'l9'].map((id) => ({ id, name: id, notes: [{ id: 'n7', name: 'n' }] }))
    const inTwo = { ...exists, pointers: ['/lines/1/notes/0/id'] }
    await service.refuse('POST', '/api/order', { id: 'o2', name: 'p', lines }, inTwo)
  })

  test('create the one owned record if there is none, and are 400 if there is another one', async () => {
    const created = await service.patch('/api/order/o1', { cover: { id: 'c1', name: 'x' } })
    expect(created.body.cover).toEqual({ id: 'c1', name: 'x' })
    const other = { cover: { id: 'c2', name: 'y' } }
    await service.refuse('PATCH', '/api/order/o1', other, {
      code: 'CRUD_ERR_UNKNOWN_REFERENCE',
      pointers: ['/cover/id'],
    })
  })

  test('never create by a link, a foreign key or an unknown path', async () => {
    const unknown = { code: 'CRUD_ERR_UNKNOWN_REFERENCE' } as const
    await service.refuse('PATCH', '/api/order/o1', { tags: [{ id: 't1' }] }, unknown)
    await service.refuse('PATCH', '/api/order/o1', { customerId: 'c1' }, unknown)
    await service.refuse('PUT', '/api/order/o9', { name: 'p' }, { code: 'CRUD_ERR_NOT_FOUND' })
    await service.refuse('PATCH', '/api/order/o9', { name: 'p' }, { code: 'CRUD_ERR_NOT_FOUND' })
  })

  test('are compared exactly, by code points', async () => {
    await service.add('/api/order', { id: 'O1', name: 'upper' })
    await service.add('/api/order', { id: 'é', name: 'composed' })
    await service.add('/api/order', { id: 'e\u0301', name: 'decomposed' })
    expect(await service.read('/api/order/O1')).toMatchObject({ name: 'upper' })
    expect(await service.read(at('/api/order', 'e\u0301'))).toMatchObject({ name: 'decomposed' })
    const { rows } = await service.read('/api/order?sort=id')
    expect(rows.map((row: JsonBody) => row.id)).toEqual(['O1', 'e\u0301', 'o1', 'é'])
  })

  test.each(['', 'a/b', 'a\\b', '.', '..', '$a', 'a ', 'a\u0000', 'a\n', '\u007f', 'x'.repeat(101), '\ud800'])(
    'of a new record follow rules: %j is 400',
    async (id) => {
      await service.refuse('POST', '/api/order', { id, name: 'p' }, { ...invalid, pointers: ['/id'] })
      const lines = [{ id, name: '1' }]
      await service.refuse('PATCH', '/api/order/o1', { lines }, { ...invalid, pointers: ['/lines/0/id'] })
    },
  )

  test('that are in the table already are served, whatever they are', async () => {
    for (const id of ['a/b', '$x', 'z ', 'new\nline']) {
      await service.db.insertInto('order').values({ id, name: id }).execute()
      expect(await service.read(at('/api/order', id))).toMatchObject({ id, name: id })
      const line = { id: `l of ${id.length}`, name: 'l' }
      expect(await service.patch(at('/api/order', id), { name: `${id}!`, lines: [line] })).toMatchObject({
        status: 200,
      })
      expect(await service.delete(at('/api/order', id))).toMatchObject({ status: 204 })
    }
  })
})

describeOnBoth('an id of an owned record that is taken', (database) => {
  const fields = { name: Type.String() }
  const service = useApp(
    database,
    defineResources({
      shop: { fields, relations: { items: owns.many('item') } },
      item: { id: 'text', fields, relations: { shop: ownedBy('shop') } },
    }),
  )

  test('is told in plain English', async () => {
    const body = { name: 's', items: [{ id: 'i1', name: 'i' }] }
    await service.add('/api/shop', body)
    const expected = { code: 'CRUD_ERR_EXISTS', detail: /there is an item i1 already/ } as const
    await service.refuse('POST', '/api/shop', body, expected)
  })
})
