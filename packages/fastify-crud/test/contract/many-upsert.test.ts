import { beforeEach, expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnDrivers } from '../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../test/support/json-body.ts'
import { expectProblem } from '../../../../test/support/problem.ts'
import { anyId } from '../../../../test/support/test-ids.ts'
import { shopFloor } from './models/shop-floor.ts'

describeOnDrivers('PUT with `by`', (database) => {
  const service = useApp(database, shopFloor)
  let maker: JsonBody
  let a: JsonBody

  beforeEach(async () => {
    maker = await service.add('/api/maker', { name: 'm' })
    a = await service.add('/api/item', { code: 'a', title: 't', price: 1, makerId: maker.id })
  })

  test('replaces the record with these values: 200, with its ETag', async () => {
    const answer = await service.put('/api/item?by=code', { code: 'a', price: 2, makerId: maker.id })
    expect(answer).toMatchObject({ status: 200, body: { id: a.id, code: 'a', title: null, price: 2 } })
    const read = await service.get(`/api/item/${a.id}`)
    expect(answer.body).toEqual(read.body)
    expect(answer.headers.etag).toBe(read.headers.etag)
    expect(answer.headers).not.toHaveProperty('location')
  })

  test('creates the record where there is none: 201, with its path', async () => {
    const answer = await service.put('/api/item?by=code', { code: 'b', makerId: maker.id })
    expect(answer).toMatchObject({ status: 201, body: { id: anyId, code: 'b', title: null, price: 0 } })
    expect(await service.read(String(answer.headers.location))).toEqual(answer.body)
    expect((await service.read('/api/item')).count).toBe(2)
  })

  test('takes several members of a key, in any order', async () => {
    const body = { code: 'x', title: 't', makerId: maker.id }
    for (const by of ['maker,title', 'title,maker']) {
      expect(await service.put(`/api/item?by=${by}`, body)).toMatchObject({
        status: 200,
        body: { id: a.id, code: 'x' },
      })
    }
    expect((await service.put('/api/item?by=maker,title', { ...body, code: 'y', title: 'u' })).status).toBe(201)
  })

  test('an array replaces and creates, and answers in the order of the body', async () => {
    const bodies = ['b', 'a', 'c'].map((code) => ({ code, makerId: maker.id, price: 5 }))
    const answer = await service.put('/api/item?by=code', bodies)
    expect(answer).toMatchObject({ status: 200, body: { rows: bodies } })
    expect(answer.body.rows[1].id).toBe(a.id)
    expect((await service.put('/api/item?by=code', bodies)).body).toEqual(answer.body)
  })

  test('an array may give the values of a record to another one', async () => {
    const b = await service.add('/api/item', { code: 'b', title: 'u', makerId: maker.id })
    const bodies = [
      { code: 'a', title: 'u', makerId: maker.id },
      { code: 'b', title: 't', makerId: maker.id },
    ]
    const { rows } = (await service.put('/api/item?by=code', bodies)).body
    expect(rows).toMatchObject([
      { id: a.id, title: 'u' },
      { id: b.id, title: 't' },
    ])
  })

  test('replaces what the record owns', async () => {
    const shelf = await service.add('/api/shelf', { name: 's', boxes: [{ label: 'x', parts: [{ name: 'p' }] }] })
    const path = `/api/shelf/${shelf.id}/box?by=shelf,label`
    const [box] = shelf.boxes
    expect(await service.put(path, { label: 'x', parts: [{ name: 'q' }] })).toMatchObject({
      status: 200,
      body: { id: box.id, label: 'x', parts: [{ name: 'q' }] },
    })
    expect(await service.put(path, { label: 'y' })).toMatchObject({ status: 201 })
  })

  test('the same values with another owner are others', async () => {
    const [one, two] = (
      await service.add(
        '/api/shelf',
        ['s', 't'].map((name) => ({ name, boxes: [{ label: 'x' }] })),
      )
    ).rows
    const answer = await service.put(`/api/shelf/${two.id}/box?by=shelf,label`, { label: 'x', size: 7 })
    expect(answer).toMatchObject({ status: 200, body: { id: two.boxes[0].id, size: 7 } })
    expect((await service.read(`/api/shelf/${one.id}`)).boxes).toEqual(one.boxes)
  })

  test('a value that is missing, null or none at all is 400', async () => {
    const invalid = (pointers: string[]) => ({ code: 'CRUD_ERR_INVALID', pointers }) as const
    await service.refuse('PUT', '/api/item?by=code', { makerId: maker.id }, invalid(['/code']))
    await service.refuse('PUT', '/api/item?by=code', [{ code: 1, makerId: maker.id }], invalid(['/0/code']))
    const untitled = { code: 'x', makerId: maker.id, title: null }
    await service.refuse('PUT', '/api/item?by=maker,title', [untitled], invalid(['/0']))
  })

  test.each([
    ['a text', 'x'],
    ['an empty text', ''],
    ['a fraction', 1.5],
    ['a boolean', true],
    ['an array', []],
    ['an object', {}],
    ['a character that no text may have', '\u0000'],
    ['half a character', '\ud800'],
    ['a large number', 1e300],
  ])('%s in a key of another type is 400, and tells the value alone', async (_, value) => {
    const invalid = (pointers: string[]) => ({ code: 'CRUD_ERR_INVALID', pointers }) as const
    const text = typeof value === 'string' && /^x?$/.test(value) ? 7 : value
    const item = { code: 'x', title: 't', makerId: maker.id }
    await service.refuse('PUT', '/api/item?by=code', { ...item, code: text }, invalid(['/code']))
    await service.refuse('PUT', '/api/item?by=maker,title', { ...item, makerId: [value] }, invalid(['/makerId']))
    await service.refuse('PUT', '/api/item?by=code', [item, { ...item, code: text }], invalid(['/1/code']))
    await service.refuse('PUT', '/api/slot?by=number', { number: value }, invalid(['/number']))
    await service.refuse('PUT', '/api/slot?by=number', [{ number: 1 }, { number: value }], invalid(['/1/number']))
    const shelf = await service.add('/api/shelf', { name: 's' })
    const boxes = `/api/shelf/${shelf.id}/box?by=shelf,label`
    await service.refuse('PUT', boxes, { label: text }, invalid(['/label']))
    expect((await service.read('/api/slot')).count).toBe(0)
  })

  test('a body that is no object is 400, with one problem', async () => {
    for (const by of ['code', 'maker,title'])
      await service.refuse('PUT', `/api/item?by=${by}`, [null], { code: 'CRUD_ERR_INVALID', pointers: ['/0'] })
  })

  test('names that are no unique key are 400', async () => {
    for (const by of ['title', 'nothing', '', 'code,title']) {
      await service.refuse(
        'PUT',
        `/api/item?by=${by}`,
        { code: 'a', makerId: maker.id },
        {
          code: 'CRUD_ERR_INVALID',
          parameters: ['by'],
        },
      )
    }
  })

  test('two bodies with the same values are 409, or 400 if their record is there', async () => {
    const twice = (code: string) => [1, 2].map((price) => ({ code, price, makerId: maker.id }))
    await service.refuse('PUT', '/api/item?by=code', twice('b'), {
      code: 'CRUD_ERR_NOT_UNIQUE',
      pointers: ['/0/code', '/1/code'],
    })
    await service.refuse('PUT', '/api/item?by=code', twice('a'), { code: 'CRUD_ERR_INVALID', pointers: ['/1/code'] })
  })

  test('another unique value that is taken is 409', async () => {
    await service.refuse(
      'PUT',
      '/api/item?by=code',
      { code: 'b', title: 't', makerId: maker.id },
      {
        code: 'CRUD_ERR_NOT_UNIQUE',
      },
    )
  })

  test('an id in the body must be that of the record', async () => {
    const body = { code: 'a', makerId: maker.id }
    expect((await service.put('/api/item?by=code', { ...body, id: a.id })).status).toBe(200)
    const b = await service.add('/api/item', { code: 'b', makerId: maker.id })
    await service.refuse(
      'PUT',
      '/api/item?by=code',
      { ...body, id: b.id },
      {
        code: 'CRUD_ERR_INVALID',
        pointers: ['/id'],
      },
    )
  })

  test('`If-Match: *` only replaces, `If-None-Match: *` only creates', async () => {
    const put = (code: string, header: string) =>
      service.request('PUT', '/api/item?by=code', { code, makerId: maker.id }, { [header]: '*' })
    expect((await put('a', 'if-match')).status).toBe(200)
    expectProblem(await put('b', 'if-match'), { code: 'CRUD_ERR_PRECONDITION', status: 412 })
    expectProblem(await put('a', 'if-none-match'), { code: 'CRUD_ERR_PRECONDITION', status: 412 })
    expect((await put('b', 'if-none-match')).status).toBe(201)
  })
})
