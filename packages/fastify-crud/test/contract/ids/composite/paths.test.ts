import { beforeEach, expect, test } from 'vitest'
import { useApp } from '../../../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../../../test/support/json-body.ts'
import { expectProblem } from '../../../../../../test/support/problem.ts'
import { addShop, shop } from './models.ts'

const onCollection = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']
const onRecord = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']
const all = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE']

describeOnBoth('paths of records whose ids have several parts', (database) => {
  const service = useApp(database, shop)
  const failed = { code: 'CRUD_ERR_PRECONDITION', status: 412 } as const
  let order: JsonBody
  let path: string
  let seat: JsonBody
  let seatPath: string

  beforeEach(async () => {
    ;({ order, path, seat, seatPath } = await addShop(service))
  })

  test('have other methods refused with 405 and `Allow`, before anything is read', async () => {
    for (const [url, allowed] of [
      [`${path}/line`, onCollection],
      [`${path}/line/a`, onRecord],
      ['/api/order/0/line/~9,', onRecord],
      ['/api/seat', onCollection],
      [seatPath, onRecord],
      ['/api/seat/x', onRecord],
    ] as const) {
      for (const method of all.filter((one) => !allowed.includes(one))) {
        const answer = await service.request(method, url)
        expectProblem(answer, { code: 'CRUD_ERR_METHOD' })
        expect(
          String(answer.headers.allow)
            .split(/\s*,\s*/)
            .sort(),
        ).toEqual([...allowed].sort())
      }
    }
    for (const nothing of [
      '/api/line',
      '/api/line/a',
      '/api/seat/h/A/1',
      `${path}/line/a/product`,
      `${seatPath}/hall`,
    ]) {
      await service.refuse('GET', nothing, undefined, { code: 'CRUD_ERR_NOT_FOUND' })
    }
  })

  test('answer HEAD as GET, also where that is an error', async () => {
    for (const url of [
      `${path}/line`,
      `${path}/line/a`,
      seatPath,
      '/api/seat',
      '/api/seat/x',
      '/api/seat/h,A,2',
      `${path}/line/x`,
    ]) {
      const get = await service.get(url)
      const head = await service.request('HEAD', url)
      expect([url, head.status, head.body]).toEqual([url, get.status, undefined])
      expect(head.headers.etag).toBe(get.headers.etag)
      expect(head.headers['content-type']).toBe(get.headers['content-type'])
    }
  })

  test('have an ETag, for `If-None-Match` and `If-Match`', async () => {
    for (const [url, change] of [
      [`${path}/line/a`, { quantity: 9 }],
      [seatPath, { guest: 'g' }],
    ] as const) {
      const tag = String((await service.get(url)).headers.etag)
      const send = (method: string, body: unknown, headers: Record<string, string>) =>
        service.request(method, url, body, headers)
      expect(await send('GET', undefined, { 'if-none-match': tag })).toMatchObject({ status: 304, body: undefined })
      expect((await send('HEAD', undefined, { 'if-none-match': tag })).status).toBe(304)
      for (const method of ['PUT', 'PATCH']) {
        const before = await service.snapshot()
        expectProblem(await send(method, change, { 'if-match': '"other"' }), failed)
        expect(await service.snapshot()).toEqual(before)
      }
      const changed = await send('PATCH', change, { 'if-match': tag })
      expect(changed.status).toBe(200)
      expect(changed.headers.etag).not.toBe(tag)
      expect((await service.get(url)).headers.etag).toBe(changed.headers.etag)
      expectProblem(await send('DELETE', undefined, { 'if-match': tag }), failed)
      expectProblem(await send('POST', change, { 'if-none-match': '*' }), failed)
      expect((await send('DELETE', undefined, { 'if-match': String(changed.headers.etag) })).status).toBe(204)
      expectProblem(await send('DELETE', undefined, { 'if-match': '*' }), { code: 'CRUD_ERR_NOT_FOUND' })
    }
  })

  test('of an owner have another ETag when a child changes', async () => {
    const tag = String((await service.get(path)).headers.etag)
    expect((await service.patch(`${path}/line/b`, { quantity: 50 })).status).toBe(200)
    expectProblem(await service.request('PATCH', path, { name: 'x' }, { 'if-match': tag }), failed)
    expect((await service.request('GET', path, undefined, { 'if-none-match': tag })).status).toBe(200)
  })

  test('take no unknown query keys', async () => {
    const invalid = { code: 'CRUD_ERR_INVALID', parameters: ['dryRun'] } as const
    for (const [method, url, body] of [
      ['GET', seatPath],
      ['GET', `${path}/line`],
      ['POST', `${path}/line`, { productId: 'd', quantity: 1 }],
      ['PUT', seatPath, seat],
      ['PATCH', `${path}/line/a`, {}],
      ['DELETE', `${path}/line/a`],
      ['DELETE', seatPath],
    ] as const) {
      await service.refuse(method, `${url}?dryRun=true`, body, invalid)
    }
    expect(await service.read(path)).toEqual(order)
  })
})
