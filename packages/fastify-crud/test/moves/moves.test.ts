import { Type } from '@sinclair/typebox'
import { defineResources, knows, needs, ownedBy, owns } from 'fastify-crud'
import { beforeEach, expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../test/support/json-body.ts'
import { writesIn } from '../../../../test/support/statement-log.ts'
import { codeOfForeignId, missingId, noIds } from '../../../../test/support/test-ids.ts'

const name = Type.String()

const lists = defineResources({
  board: { fields: { name }, relations: { lists: owns.many('list') } },
  list: {
    fields: { name },
    relations: { board: ownedBy('board'), items: owns.many('item', { order: 'position' }) },
  },
  item: {
    fields: { name, code: Type.Optional(Type.String()) },
    relations: {
      list: ownedBy('list', { moves: true }),
      steps: owns.many('step'),
      tags: knows.many('tag'),
      kind: knows.one('tag'),
    },
    unique: [['list', 'code']],
  },
  step: { fields: { name }, relations: { item: ownedBy('item') } },
  tag: { fields: { name } },
  note: { fields: { name }, relations: { item: needs.one('item') } },
})

describeOnBoth('a record that moves to another owner', (database) => {
  const service = useApp(database, lists)
  let [board, other]: JsonBody[] = []
  const listAt = (of: JsonBody, index: number): JsonBody => of.lists[index]
  const pathOf = (of: JsonBody, list: JsonBody) => `/api/board/${of.id}/list/${list.id}`
  let path: string
  let target: JsonBody
  let item: JsonBody

  beforeEach(async () => {
    const items = [{ name: 'a', code: '1', steps: [{ name: 's' }, { name: 't' }] }, { name: 'b' }]
    board = await service.add('/api/board', { name: 'one', lists: [{ name: 'x', items }, { name: 'y' }] })
    other = await service.add('/api/board', { name: 'two', lists: [{ name: 'z', items: [{ name: 'c', code: '2' }] }] })
    path = pathOf(board, listAt(board, 0))
    target = listAt(other, 0)
    item = listAt(board, 0).items[0]
  })

  const names = async (of: JsonBody, list: JsonBody): Promise<string> =>
    (await service.read(pathOf(of, list))).items.map((one: JsonBody) => one.name).join('')

  test('shows the foreign key of its owner wherever it is shown as a whole', async () => {
    expect(item.listId).toBe(listAt(board, 0).id)
    expect(await service.read(`${path}/item/${item.id}`)).toMatchObject({ listId: item.listId })
    expect((await service.read(`${path}/item?filter[listId]=${item.listId}&fields=listId`)).rows).toEqual([
      { id: item.id, listId: item.listId, partial: true },
      { id: listAt(board, 0).items[1].id, listId: item.listId, partial: true },
    ])
    const note = await service.add('/api/note', { name: 'n', itemId: item.id })
    expect(note.item).toEqual({ id: item.id, name: 'a', code: '1' })
  })

  test('a PATCH that sets the foreign key moves it with all that it owns, to the end of the new array', async () => {
    const response = await service.patch(`${path}/item/${item.id}`, { listId: target.id, name: 'A' })
    expect(response.status).toBe(200)
    expect(response.body).toEqual({ ...item, name: 'A', listId: target.id })
    const moved = `${pathOf(other, target)}/item/${item.id}`
    expect(response.headers['content-location']).toBe(moved)
    expect(await service.read(moved)).toEqual(response.body)
    expect(response.headers.etag).toBe((await service.get(moved)).headers.etag)
    expect((await service.get(`${path}/item/${item.id}`)).status).toBe(404)
    expect(await names(other, target)).toBe('cA')
    expect(await names(board, listAt(board, 0))).toBe('b')
  })

  test('goes in front of the sibling that `$before` names', async () => {
    const [c] = target.items
    await service.patch(`${path}/item/${item.id}`, { listId: target.id, $before: c.id })
    expect(await names(other, target)).toBe('ac')
    const again = `${pathOf(other, target)}/item/${item.id}`
    const unknown = await service.patch(again, { listId: listAt(board, 1).id, $before: c.id })
    expect([unknown.status, unknown.body.errors[0].pointer]).toEqual([400, '/$before'])
    expect(await names(other, target)).toBe('ac')
  })

  test('a PUT at its own path moves it by another value, and leaves it where it is without one', async () => {
    const { listId: _, ...rest } = item
    const stays = await service.put(`${path}/item/${item.id}`, rest)
    expect([stays.status, stays.body, stays.headers['content-location']]).toEqual([200, item, undefined])
    const { status, body } = await service.put(`${path}/item/${item.id}`, { ...item, steps: [], listId: target.id })
    expect([status, body]).toEqual([200, { ...item, steps: [], listId: target.id }])
    expect(await names(other, target)).toBe('ca')
  })

  test('a PUT of what GET shows changes nothing', async () => {
    const statements = await service.statements(async () => {
      expect((await service.put(`${path}/item/${item.id}`, item)).body).toEqual(item)
    })
    expect(writesIn(statements)).toEqual([])
  })

  test('changes the ETags of both owners', async () => {
    const tags = async () =>
      (await Promise.all([path, pathOf(other, target)].map((one) => service.get(one)))).map(
        ({ headers }) => headers.etag,
      )
    const before = await tags()
    await service.patch(`${path}/item/${item.id}`, { listId: target.id })
    const after = await tags()
    expect(after.map((tag, index) => tag === before[index])).toEqual([false, false])
  })

  test('is named by others as before', async () => {
    const note = await service.add('/api/note', { name: 'n', itemId: item.id })
    await service.patch(`${path}/item/${item.id}`, { listId: target.id })
    expect((await service.read(`/api/note/${note.id}`)).itemId).toBe(item.id)
    expect((await service.delete(`/api/board/${other.id}`)).status).toBe(409)
    expect((await service.delete(`/api/board/${board.id}`)).status).toBe(204)
  })

  test('an owner that is not there is an unknown reference', async () => {
    const listId = missingId('list')
    for (const method of ['patch', 'put'] as const) {
      const response = await service[method](`${path}/item/${item.id}`, { ...item, listId })
      expect(response.body).toMatchObject({
        status: 400,
        code: 'CRUD_ERR_UNKNOWN_REFERENCE',
        errors: [{ pointer: '/listId', message: `there is no list ${listId}` }],
      })
    }
  })

  test('an owner that is none, or null, is refused where the record stands in the body', async () => {
    for (const listId of noIds('list', target.id)) {
      const wrong = await service.patch(`${path}/item/${item.id}`, { listId })
      expect([wrong.status, wrong.body.errors[0].pointer]).toEqual([400, '/listId'])
    }
    const none = await service.patch(`${path}/item/${item.id}`, { listId: null })
    expect(none.body.errors).toMatchObject([{ pointer: '/listId', message: 'must not be null: an item has an owner' }])
  })

  test('inside of its owner a body may repeat the owner, and say no other one', async () => {
    const list = await service.read(path)
    expect((await service.put(path, list)).body).toEqual(list)
    const items = [{ id: item.id, listId: target.id }]
    const refused = {
      pointer: '/items/0/listId',
      message: `is not ${JSON.stringify(list.id)}: a record is moved by a write of its own`,
      keyword: 'const',
      params: { allowedValue: list.id },
    }
    for (const body of [{ items }, { items: [{ name: 'new', listId: target.id }] }]) {
      expect((await service.patch(path, body)).body.errors).toEqual([refused])
    }
    expect((await service.put(path, { ...list, items: [{ ...item, listId: target.id }] })).body.errors).toEqual([
      refused,
    ])
    const posted = await service.post(`${path}/item`, { name: 'new', listId: target.id })
    expect(posted.body.errors).toMatchObject([{ pointer: '/listId' }])
    expect((await service.post(`${path}/item`, { name: 'new', listId: list.id })).status).toBe(201)
  })

  test('an array never takes a record from another owner', async () => {
    const [c] = target.items
    const list = await service.read(path)
    const unknown = { code: codeOfForeignId, pointers: ['/items/2/id'] } as const
    await service.refuse('PUT', path, { ...list, items: [...list.items, { ...c, listId: list.id }] }, unknown)
    await service.refuse(
      'PATCH',
      path,
      { items: [{ id: c.id, name: 'mine' }] },
      {
        ...unknown,
        pointers: ['/items/0/id'],
      },
    )
  })

  test('unique values with the owner are checked at the new place', async () => {
    await service.patch(`${pathOf(other, target)}/item/${target.items[0].id}`, { code: '1' })
    const taken = await service.patch(`${path}/item/${item.id}`, { listId: target.id })
    expect([taken.status, taken.body.code]).toEqual([409, 'CRUD_ERR_NOT_UNIQUE'])
    expect(taken.body.errors[0]).toMatchObject({ pointer: '', message: 'another item has this list, code already' })
    expect((await service.patch(`${path}/item/${item.id}`, { listId: target.id, code: '3' })).status).toBe(200)
  })

  test("writes of many move many, and two may take each other's unique values", async () => {
    const [a, b] = listAt(board, 0).items
    const y = listAt(board, 1)
    const { status, body } = await service.patch(`${path}/item`, [
      { id: a.id, listId: y.id },
      { id: b.id, listId: target.id, code: '1' },
    ])
    expect([status, body.rows.map((one: JsonBody) => [one.id, one.listId, one.code])]).toEqual([
      200,
      [
        [a.id, y.id, '1'],
        [b.id, target.id, '1'],
      ],
    ])
    expect([await names(board, y), await names(other, target)]).toEqual(['a', 'cb'])
    const [moved] = (await service.read(pathOf(board, y))).items
    const back = await service.put(`${pathOf(board, y)}/item`, [{ ...moved, listId: listAt(board, 0).id }])
    expect([back.status, await names(board, listAt(board, 0))]).toEqual([200, 'a'])
    await service.patch(`${path}/item`, [{ id: a.id, listId: y.id }])
    const matching = `${pathOf(board, y)}/item?filter[name]=a`
    await service.request('PATCH', matching, { listId: listAt(board, 0).id }, { prefer: 'max-affected=5' })
    expect([await names(board, listAt(board, 0)), await names(board, y)]).toEqual(['a', ''])
  })

  test('a move of many that is sent again is answered with the records where they are', async () => {
    const [a, b] = listAt(board, 0).items
    const body = [
      { id: a.id, listId: target.id },
      { id: b.id, name: 'B' },
    ]
    const send = () => service.request('PATCH', `${path}/item`, body, { 'idempotency-key': `of ${a.id}` })
    const first = await send()
    expect([first.status, first.body.rows.length]).toEqual([200, 2])
    expect((await send()).body).toEqual(first.body)
  })

  test('`If-Match`, `tx=rollback` and `return=minimal` hold as for other writes', async () => {
    const at = `${path}/item/${item.id}`
    const body = { listId: target.id }
    expect((await service.request('PATCH', at, body, { 'if-match': '"x"' })).status).toBe(412)
    const dry = await service.request('PATCH', at, body, { prefer: 'tx=rollback' })
    expect([dry.status, dry.body.listId, dry.headers['content-location']]).toEqual([200, target.id, undefined])
    expect(await service.read(at)).toEqual(item)
    const minimal = await service.request('PATCH', at, body, { prefer: 'return=minimal' })
    expect([minimal.status, minimal.headers['content-location']]).toEqual([
      204,
      `${pathOf(other, target)}/item/${item.id}`,
    ])
  })
})
