import { beforeEach, expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnDrivers } from '../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../test/support/json-body.ts'
import { expectProblem } from '../../../../test/support/problem.ts'
import { anyId, missingId } from '../../../../test/support/test-ids.ts'
import { shopFloor } from './models/shop-floor.ts'

describeOnDrivers('POST of an array', (database) => {
  const service = useApp(database, shopFloor)
  let maker: JsonBody

  beforeEach(async () => {
    maker = await service.add('/api/maker', { name: 'm' })
  })

  const item = (code: string, others: object = {}) => ({ code, makerId: maker.id, ...others })

  test('creates all records, and answers 201 with them in the order of the body', async () => {
    const bodies = ['c', 'a', 'b'].map((code) => item(code, { title: `t${code}` }))
    const answer = await service.post('/api/item', bodies)
    expect(answer.status).toBe(201)
    expect(answer.headers).not.toHaveProperty('location')
    expect(answer.headers).not.toHaveProperty('etag')
    expect(Object.keys(answer.body)).toEqual(['rows'])
    expect(answer.body.rows).toMatchObject(bodies.map((body) => ({ ...body, id: anyId, price: 0, tags: [] })))
    for (const row of answer.body.rows) expect(await service.read(`/api/item/${row.id}`)).toEqual(row)
    expect((await service.read('/api/item')).count).toBe(3)
  })

  test('creates what the records own, and their links', async () => {
    const tag = await service.add('/api/tag', { name: 't' })
    const shelves = ['a', 'b'].map((name) => ({
      name,
      boxes: [{ label: 'x', parts: [{ name: 'p' }, { name: 'q' }] }, { label: 'y' }],
      lamp: { watts: 5 },
    }))
    const made = await service.add('/api/shelf', shelves)
    expect(made.rows).toMatchObject(shelves)
    const { rows } = await service.add('/api/item', [item('a', { tags: [{ id: tag.id }] }), item('b')])
    expect(rows).toMatchObject([{ tags: [{ id: tag.id, name: 't' }] }, { tags: [] }])
  })

  test('of one and of none', async () => {
    expect((await service.post('/api/tag', [{ name: 't' }])).body).toMatchObject({ rows: [{ id: anyId, name: 't' }] })
    expect(await service.post('/api/tag', [])).toMatchObject({ status: 201, body: { rows: [] } })
  })

  test('below an owner, which has to be there', async () => {
    const shelf = await service.add('/api/shelf', { name: 's' })
    const { rows } = await service.add(`/api/shelf/${shelf.id}/box`, [
      { label: 'a' },
      { label: 'b', parts: [{ name: 'p' }] },
    ])
    expect((await service.read(`/api/shelf/${shelf.id}`)).boxes).toEqual(rows)
    const missing = `/api/shelf/${missingId('shelf')}/box`
    await service.refuse('POST', missing, [{ label: 'a' }], { code: 'CRUD_ERR_NOT_FOUND' })
  })

  test('of two records for the place of one is 409', async () => {
    const shelf = await service.add('/api/shelf', { name: 's' })
    const path = `/api/shelf/${shelf.id}/lamp`
    await service.refuse('POST', path, [{ watts: 1 }, { watts: 2 }], { code: 'CRUD_ERR_EXISTS', pointers: ['/1'] })
    expect((await service.add(path, [{ watts: 1 }])).rows).toMatchObject([{ watts: 1 }])
    await service.refuse('POST', path, [{ watts: 2 }], { code: 'CRUD_ERR_EXISTS' })
  })

  test('names each fault by its index, and does nothing', async () => {
    await service.refuse('POST', '/api/item', [item('a'), { code: 1, makerId: maker.id, x: 1 }, 'no'], {
      code: 'CRUD_ERR_INVALID',
      pointers: ['/1/code', '/1/x', '/2'],
    })
    await service.refuse('POST', '/api/item', [item('a'), item('b', { makerId: missingId('maker') })], {
      code: 'CRUD_ERR_UNKNOWN_REFERENCE',
      pointers: ['/1/makerId'],
    })
    await service.refuse('POST', '/api/shelf', [{ name: 'a' }, { name: 'b', boxes: [{ label: 'x' }, { size: 'x' }] }], {
      code: 'CRUD_ERR_INVALID',
      pointers: ['/1/boxes/1/label', '/1/boxes/1/size'],
    })
  })

  test('with a unique value twice, or one that is taken, is 409', async () => {
    await service.add('/api/item', item('a'))
    await service.refuse('POST', '/api/item', [item('b'), item('a')], {
      code: 'CRUD_ERR_NOT_UNIQUE',
      pointers: ['/1/code'],
    })
    await service.refuse('POST', '/api/item', [item('b'), item('c'), item('b')], {
      code: 'CRUD_ERR_NOT_UNIQUE',
      pointers: ['/0/code', '/2/code'],
    })
  })

  test('with `return=minimal` has no body, with `tx=rollback` leaves nothing', async () => {
    const minimal = await service.request('POST', '/api/tag', [{ name: 'a' }], { prefer: 'return=minimal' })
    expect(minimal).toMatchObject({ status: 201, body: undefined, headers: { 'preference-applied': 'return=minimal' } })
    const before = await service.snapshot()
    const undone = await service.request('POST', '/api/tag', [{ name: 'b' }, { name: 'c' }], { prefer: 'tx=rollback' })
    expect(undone).toMatchObject({ status: 201, body: { rows: [{ name: 'b' }, { name: 'c' }] } })
    expect(await service.snapshot()).toEqual(before)
  })

  test('counts all records for `max-affected`', async () => {
    const bodies = [{ name: 'a', boxes: [{ label: 'x' }] }, { name: 'b' }]
    const before = await service.snapshot()
    expectProblem(await service.request('POST', '/api/shelf', bodies, { prefer: 'max-affected=2' }), {
      code: 'CRUD_ERR_TOO_LARGE',
    })
    expect(await service.snapshot()).toEqual(before)
    expect((await service.request('POST', '/api/shelf', bodies, { prefer: 'max-affected=3' })).status).toBe(201)
  })

  test('takes no ETag, as that is one of a record', async () => {
    for (const name of ['if-match', 'if-none-match']) {
      const answer = await service.request('POST', '/api/tag', [{ name: 'a' }], { [name]: '"abc"' })
      expectProblem(answer, { code: 'CRUD_ERR_INVALID' })
    }
  })
})
