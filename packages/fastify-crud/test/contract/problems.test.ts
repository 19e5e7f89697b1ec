import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import { expectProblem } from '../../../../test/support/problem.ts'
import { missingId, withAssignedIds } from '../../../../test/support/test-ids.ts'
import { needsOne } from './models/needs-one.ts'
import { product } from './models/product.ts'

describeOnBoth("one shape for every error, the framework's own included", (database) => {
  const service = useApp(database, withAssignedIds(product))
  const writes = [
    ['POST', '/api/product'],
    ['PUT', '/api/product'],
    ['PUT', '/api/product/1'],
    ['PATCH', '/api/product/1'],
  ] as const

  for (const [method, path] of writes) {
    test(`broken JSON is 400: ${method} ${path}`, async () => {
      for (const text of [
        '{',
        '{"name":"a"',
        "{'name':'a'}",
        '{"name":"a",}',
        '{"name":undefined}',
        '',
        '{"name":"a"}x',
        '\u0000',
      ]) {
        expectProblem(await service.raw(method, path, text), { code: 'CRUD_ERR_INVALID' })
      }
      expect((await service.read('/api/product')).count).toBe(0)
    })

    test(`another media type is 415: ${method} ${path}`, async () => {
      for (const type of [
        'text/plain',
        'application/x-www-form-urlencoded',
        'application/xml',
        'multipart/form-data; boundary=x',
        '',
      ]) {
        const answer = await service.raw(method, path, '{"name":"a"}', type)
        expectProblem(answer, { code: 'CRUD_ERR_BODY', status: 415 })
        expect(answer.body.detail).toBe(`a body must be application/json in UTF-8, not '${type}'`)
      }
      expect((await service.read('/api/product')).count).toBe(0)
    })

    test(`a body without a media type is 415: ${method} ${path}`, async () => {
      const answer = await service.fastify.inject({ method, url: path, payload: '{"name":"a"}' })
      expectProblem(
        { status: answer.statusCode, headers: answer.headers, body: answer.json() },
        { code: 'CRUD_ERR_BODY', status: 415, detail: /^a body must have the content-type application\/json$/ },
      )
      expect((await service.read('/api/product')).count).toBe(0)
    })

    test(`a body of more than 1 MiB is 413 if it does not say its length, too: ${method} ${path}`, async () => {
      const headers = { 'content-type': 'application/json' }
      const payload = Readable.from(['{"name":"a","note":"', 'x'.repeat(1024 * 1024), '"}'])
      const answer = await service.fastify.inject({ method, url: path, headers, payload })
      expectProblem(
        { status: answer.statusCode, headers: answer.headers, body: answer.json() },
        { code: 'CRUD_ERR_BODY', status: 413, detail: /^Request body is too large$/ },
      )
      expect((await service.read('/api/product')).count).toBe(0)
    })

    test(`a body of more than 1 MiB is 413: ${method} ${path}`, async () => {
      const text = JSON.stringify({ name: 'a', note: 'x'.repeat(1024 * 1024) })
      expectProblem(await service.raw(method, path, text), { code: 'CRUD_ERR_BODY', status: 413 })
      expect((await service.read('/api/product')).count).toBe(0)
    })
  }

  test('a body of just under 1 MiB is fine', async () => {
    const { id } = await service.add('/api/product', { name: 'a', note: 'x'.repeat(1024 * 1024 - 100) })
    expect((await service.read(`/api/product/${id}`)).note).toHaveLength(1024 * 1024 - 100)
  })

  test('JSON with a charset is JSON', async () => {
    const answer = await service.raw('POST', '/api/product', '{"name":"ä"}', 'application/json; charset=utf-8')
    expect(answer.status).toBe(201)
    expect(answer.body.name).toBe('ä')
  })

  test('a body that has a key twice is 400, with a pointer to it', async () => {
    const answer = await service.raw('POST', '/api/product', '{"name":"a","name":"b"}')
    expectProblem(answer, { code: 'CRUD_ERR_INVALID', pointers: ['/name'] })
    expect((await service.read('/api/product')).count).toBe(0)
  })

  test('a problem carries type, title, status, code, detail and errors', async () => {
    const problem = await service.refuse('GET', `/api/product/${missingId('product')}`, undefined, {
      code: 'CRUD_ERR_NOT_FOUND',
    })
    expect(problem).toMatchObject({ title: 'Not Found', status: 404, code: 'CRUD_ERR_NOT_FOUND' })
    const invalid = await service.refuse('POST', '/api/product', {}, { code: 'CRUD_ERR_INVALID' })
    expect(invalid).toMatchObject({ title: 'Bad Request', status: 400 })
  })

  test('a path that cannot be decoded is 400 by fastify itself: it reaches no route', async () => {
    expect(await service.get('/api/product/%zz')).toMatchObject({ status: 400, body: { code: 'FST_ERR_BAD_URL' } })
  })
})

describeOnBoth('a delete that is blocked', (database) => {
  const service = useApp(database, needsOne)

  test('says by what and how many', async () => {
    const parent = await service.add('/api/parent', { name: 'p' })
    for (const name of ['c', 'd']) await service.add('/api/child', { name, parentId: parent.id })
    const problem = await service.refuse('DELETE', `/api/parent/${parent.id}`, undefined, {
      code: 'CRUD_ERR_STILL_NEEDED',
    })
    expect(problem).toMatchObject({ type: 'urn:fastify-crud:still-needed', title: 'Conflict', status: 409 })
    expect(problem.detail).toMatch(new RegExp(`parent ${parent.id}\\b.*\\b2\\b.*child`))
  })
})
