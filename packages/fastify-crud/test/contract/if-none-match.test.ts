import { beforeEach, expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import { expectProblem } from '../../../../test/support/problem.ts'
import { chosenId, missingId } from '../../../../test/support/test-ids.ts'
import { product } from './models/product.ts'

const failed = { code: 'CRUD_ERR_PRECONDITION', status: 412 } as const

describeOnBoth('`If-None-Match`', (database) => {
  const service = useApp(database, product, { plugin: { caller: () => ({ id: 1 }) } })
  let path: string
  let tag: string
  const send = (method: string, url: string, condition: string, body?: unknown) =>
    service.request(method, url, body, { 'if-none-match': condition })

  beforeEach(async () => {
    const { headers } = await service.post('/api/product', { name: 'a' })
    path = String(headers.location)
    tag = String(headers.etag)
  })

  test('with the ETag of the record has GET and HEAD answer 304, without a body and with the headers of a 200', async () => {
    for (const method of ['GET', 'HEAD']) {
      const answer = await send(method, path, tag)
      expect(answer).toMatchObject({ status: 304, body: undefined })
      expect(answer.headers).toMatchObject({ etag: tag, 'cache-control': 'private, no-cache' })
      expect(answer.headers).not.toHaveProperty('content-type')
    }
  })

  test('takes lists, `*`, and weak tags as good as strong ones', async () => {
    const matching = ['*', ` ${tag} `, `"a", ${tag}`, `"a,b",${tag},"c"`, `W/${tag}`, `,"", , W/"x" ,\t${tag} ,`]
    for (const condition of matching) expect((await send('GET', path, condition)).status, condition).toBe(304)
    for (const condition of ['"other"', `"x${tag.slice(1)}`, 'W/"a", "b"', '""']) {
      expect((await send('GET', path, condition)).status, condition).toBe(200)
    }
  })

  test('has GET answer in full when the record has changed', async () => {
    await service.patch(path, { name: 'b' })
    expect(await send('GET', path, tag)).toMatchObject({ status: 200, body: { name: 'b' } })
  })

  test('does not make a record of what is not there', async () => {
    expectProblem(await send('GET', `/api/product/${missingId('product')}`, '*'), { code: 'CRUD_ERR_NOT_FOUND' })
  })

  test('with a tag matches no list, as lists have none; `*` does', async () => {
    expect((await send('GET', '/api/product', tag)).status).toBe(200)
    expect((await send('GET', '/api/product', '*')).status).toBe(304)
  })

  test('of a write is 412 if it names the state of the record, and nothing is done', async () => {
    const writes: [string, string, unknown][] = [
      ['PUT', path, { name: 'b' }],
      ['PATCH', path, { name: 'b' }],
      ['PATCH', path, {}],
      ['DELETE', path, undefined],
      ['POST', path, { name: 'b' }],
    ]
    const before = await service.snapshot()
    for (const [method, url, body] of writes) {
      expectProblem(await send(method, url, '*', body), failed)
      expectProblem(await send(method, url, `W/${tag}`, body), failed)
    }
    expect(await service.snapshot()).toEqual(before)
    expect((await send('PUT', path, '"other"', { name: 'b' })).status).toBe(200)
  })

  test('`*` of a POST creates a record that is not there yet', async () => {
    const chosen = `/api/product/${chosenId('product')}`
    expect((await send('POST', chosen, '*', { name: 'b' })).status).toBe(201)
    expectProblem(await send('POST', chosen, '*', { name: 'c' }), failed)
    expect((await send('POST', '/api/product', '*', { name: 'd' })).status).toBe(201)
    expect((await service.read(chosen)).name).toBe('b')
  })

  test('of another form is 400, which names the header and the other problems of the request', async () => {
    for (const condition of [
      'abc',
      '"a',
      'W/',
      "'a'",
      '"a" "b"',
      '*, "a"',
      'w/"a"',
      '',
      ',',
      `"a"${' '.repeat(9_000)}x`,
    ]) {
      const answer = await send('PATCH', `${path}?x=1`, condition, { nme: 'b' })
      expectProblem(answer, { code: 'CRUD_ERR_INVALID', pointers: ['/nme'], parameters: ['If-None-Match', 'x'] })
      expect(answer.body.errors[0].message).toMatch(/^the header If-None-Match must be/)
      expectProblem(await send('GET', path, condition), { code: 'CRUD_ERR_INVALID' })
      const { errors } = (await send('GET', '/api/product?limit=0', condition)).body
      expect(errors).toHaveLength(2)
    }
  })
})
