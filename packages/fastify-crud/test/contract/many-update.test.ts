import { beforeEach, expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnDrivers } from '../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../test/support/json-body.ts'
import { expectProblem } from '../../../../test/support/problem.ts'
import { missingId } from '../../../../test/support/test-ids.ts'
import { shopFloor } from './models/shop-floor.ts'

describeOnDrivers('PATCH and PUT of an array', (database) => {
  const service = useApp(database, shopFloor)
  let [a, b, c]: JsonBody[] = []
  let makers: JsonBody[] = []

  beforeEach(async () => {
    makers = (await service.add('/api/maker', [{ name: 'm' }, { name: 'n' }])).rows
    const [maker] = makers
    const bodies = ['a', 'b', 'c'].map((code) => ({ code, title: code, makerId: maker?.id }))
    ;[a, b, c] = (await service.add('/api/item', bodies)).rows
  })

  test('PATCH changes each record as its body says, and answers with them in the order of the body', async () => {
    const answer = await service.patch('/api/item', [
      { id: c?.id, price: 3 },
      { id: a?.id, title: 'A', makerId: makers[1]?.id },
    ])
    expect(answer).toMatchObject({
      status: 200,
      body: {
        rows: [
          { id: c?.id, code: 'c', price: 3 },
          { id: a?.id, code: 'a', title: 'A', maker: { name: 'n' } },
        ],
      },
    })
    expect(answer.headers).not.toHaveProperty('etag')
    for (const row of answer.body.rows) expect(await service.read(`/api/item/${row.id}`)).toEqual(row)
    expect(await service.read(`/api/item/${b?.id}`)).toEqual(b)
  })

  test('records may swap unique values', async () => {
    const { rows } = (
      await service.patch('/api/item', [
        { id: a?.id, code: 'b' },
        { id: b?.id, code: 'c' },
        { id: c?.id, code: 'a' },
      ])
    ).body
    expect(rows).toMatchObject([{ code: 'b' }, { code: 'c' }, { code: 'a' }])
  })

  test('records may refer to each other', async () => {
    const { rows } = (
      await service.patch('/api/item', [
        { id: a?.id, twinId: b?.id },
        { id: b?.id, twinId: a?.id },
      ])
    ).body
    expect(rows).toMatchObject([{ twinId: b?.id }, { twinId: a?.id }])
  })

  test('a body without an id, of a record that is not there, or that occurs twice is refused by its index', async () => {
    await service.refuse('PATCH', '/api/item', [{ id: a?.id, price: 1 }, { price: 2 }], {
      code: 'CRUD_ERR_INVALID',
      pointers: ['/1/id'],
    })
    await service.refuse(
      'PATCH',
      '/api/item',
      [
        { id: a?.id, price: 1 },
        { id: missingId('item'), price: 2 },
      ],
      {
        code: 'CRUD_ERR_NOT_FOUND',
        pointers: ['/1/id'],
      },
    )
    await service.refuse(
      'PATCH',
      '/api/item',
      [
        { id: a?.id, price: 1 },
        { id: a?.id, price: 2 },
      ],
      {
        code: 'CRUD_ERR_INVALID',
        pointers: ['/1/id'],
      },
    )
    await service.refuse('PATCH', '/api/item', [{ id: a?.id, code: 'b' }], {
      code: 'CRUD_ERR_NOT_UNIQUE',
      pointers: ['/0/code'],
    })
  })

  test('a change of nothing is 200, and writes nothing', async () => {
    const written = await service.statements(() =>
      service.patch('/api/item', [{ id: a?.id, code: 'a' }, { id: b?.id }]),
    )
    expect(written.filter((sql) => /^update|^insert|^delete/i.test(sql))).toEqual([])
    expect((await service.patch('/api/item', [{ id: a?.id }])).body.rows).toEqual([a])
    expect(await service.patch('/api/item', [])).toMatchObject({ status: 200, body: { rows: [] } })
  })

  test('what the records own is changed with them', async () => {
    const shelves = (
      await service.add('/api/shelf', [
        { name: 's', boxes: [{ label: 'x', parts: [{ name: 'p' }] }] },
        { name: 't', boxes: [{ label: 'x' }] },
      ])
    ).rows
    const [[box], [other]] = shelves.map(({ boxes }: JsonBody) => boxes)
    const { rows } = (
      await service.patch('/api/shelf', [
        { id: shelves[0].id, boxes: [{ id: box.id, label: 'y' }, { label: 'x' }] },
        { id: shelves[1].id, boxes: [{ id: other.id, parts: [{ name: 'q' }] }] },
      ])
    ).body
    expect(rows).toMatchObject([
      { boxes: [{ id: box.id, label: 'y', parts: [{ name: 'p' }] }, { label: 'x' }] },
      { boxes: [{ id: other.id, label: 'x', parts: [{ name: 'q' }] }] },
    ])
    await service.refuse('PATCH', '/api/shelf', [{ id: shelves[0].id, boxes: [{ id: other.id, label: 'z' }] }], {
      code: 'CRUD_ERR_UNKNOWN_REFERENCE',
      pointers: ['/0/boxes/0/id'],
    })
  })

  test('below an owner, only its own records are there', async () => {
    const [one, two] = (
      await service.add('/api/shelf', [
        { name: 's', boxes: [{ label: 'x' }, { label: 'y' }] },
        { name: 't', boxes: [{ label: 'z' }] },
      ])
    ).rows
    const path = `/api/shelf/${one.id}/box`
    const { rows } = (
      await service.patch(path, [
        { id: one.boxes[0].id, label: 'y' },
        { id: one.boxes[1].id, label: 'x' },
      ])
    ).body
    expect(rows).toMatchObject([{ label: 'y' }, { label: 'x' }])
    await service.refuse('PATCH', path, [{ id: two.boxes[0].id, label: 'q' }], {
      code: 'CRUD_ERR_NOT_FOUND',
      pointers: ['/0/id'],
    })
  })

  test('PUT makes each record what its body says', async () => {
    const { rows } = (
      await service.put('/api/item', [
        { ...b, price: 9 },
        { id: a?.id, code: 'A', makerId: makers[0]?.id },
      ])
    ).body
    expect(rows).toMatchObject([
      { ...b, price: 9 },
      { id: a?.id, code: 'A', title: null, price: 0 },
    ])
    await service.refuse('PUT', '/api/item', [{ ...b, code: undefined }], {
      code: 'CRUD_ERR_INVALID',
      pointers: ['/0/code'],
    })
  })

  test('PUT removes what the records own no more', async () => {
    const shelves = (
      await service.add(
        '/api/shelf',
        ['s', 't'].map((name) => ({ name, boxes: [{ label: 'x' }] })),
      )
    ).rows
    const { rows } = (
      await service.put(
        '/api/shelf',
        shelves.map((one: JsonBody) => ({ ...one, boxes: [] })),
      )
    ).body
    expect(rows).toMatchObject([{ boxes: [] }, { boxes: [] }])
    expect((await service.snapshot()).box).toEqual([])
  })

  test('`If-Match: *` is met by records that are there, `If-None-Match: *` is not', async () => {
    const bodies = [{ id: a?.id, price: 1 }]
    expect((await service.request('PATCH', '/api/item', bodies, { 'if-match': '*' })).status).toBe(200)
    const refused = await service.request('PATCH', '/api/item', bodies, { 'if-none-match': '*' })
    expectProblem(refused, { code: 'CRUD_ERR_PRECONDITION', status: 412 })
    const tagged = await service.request('PATCH', '/api/item', bodies, { 'if-match': '"x"' })
    expectProblem(tagged, { code: 'CRUD_ERR_INVALID', parameters: ['If-Match'] })
  })
})
