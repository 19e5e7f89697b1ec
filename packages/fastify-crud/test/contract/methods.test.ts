import { expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import { expectProblem } from '../../../../test/support/problem.ts'
import { missingId } from '../../../../test/support/test-ids.ts'
import { ownsMany } from './models/owns-many.ts'
import { threeLevels } from './models/three-levels.ts'

const onCollection = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']
const onRecord = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']
const all = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE']

describeOnBoth('HEAD', (database) => {
  const service = useApp(database, ownsMany)

  test('answers wherever GET does', async () => {
    const { id, children } = await service.add('/api/parent', { name: 'a', children: [{ name: 'c' }] })
    for (const path of [
      '/api/parent',
      `/api/parent/${id}`,
      `/api/parent/${id}/child`,
      `/api/parent/${id}/child/${children[0].id}`,
    ]) {
      const get = await service.get(path)
      const head = await service.request('HEAD', path)
      expect(head.status).toBe(200)
      expect(head.body).toBeUndefined()
      expect(head.headers['content-type']).toBe(get.headers['content-type'])
    }
  })

  test('answers as GET does, also where that is an error', async () => {
    for (const path of [
      `/api/parent/${missingId('parent')}`,
      '/api/parent/x',
      '/api/parent?limit=0',
      `/api/parent/${missingId('parent')}/child`,
    ]) {
      const { status } = await service.get(path)
      expect((await service.request('HEAD', path)).status).toBe(status)
    }
  })
})

describeOnBoth('a method that a path does not have', (database) => {
  const service = useApp(database, threeLevels)
  const paths: [string, string[]][] = [
    ['/api/a', onCollection],
    ['/api/a/1', onRecord],
    ['/api/a/1/b', onCollection],
    ['/api/a/1/b/2', onRecord],
    ['/api/a/1/b/2/c', onCollection],
    ['/api/a/1/b/2/c/3', onRecord],
    ['/api/a/1/only', onCollection],
    ['/api/a/1/only/2', onRecord],
  ]

  for (const [path, allowed] of paths) {
    for (const method of all.filter((name) => !allowed.includes(name))) {
      test(`gets 405 with Allow: ${method} ${path}`, async () => {
        const answer = await service.request(method, path)
        expectProblem(answer, { code: 'CRUD_ERR_METHOD' })
        const allow = String(answer.headers.allow).split(/\s*,\s*/)
        expect(allow.sort()).toEqual([...allowed].sort())
        expect(answer.body.detail).toBe(`${method} is not allowed here (allowed: ${allowed.join(', ')})`)
      })
    }
  }

  test('gets 405 whatever body it brings', async () => {
    const answer = await service.request('OPTIONS', '/api/a', { name: 'x' })
    expectProblem(answer, { code: 'CRUD_ERR_METHOD' })
    expectProblem(await service.raw('OPTIONS', '/api/a', '{', 'application/json'), { code: 'CRUD_ERR_METHOD' })
  })
})

describeOnBoth('a path that is not there', (database) => {
  const service = useApp(database, threeLevels)

  for (const path of [
    '/api/',
    '/api/nothing',
    '/api/a/1/nothing',
    '/api/a/1/b/2/c/3/d',
    '/api/__proto__',
    '/api/constructor',
  ]) {
    test(`is 404 as problem+json: ${path}`, () =>
      service.refuse('GET', path, undefined, { code: 'CRUD_ERR_NOT_FOUND' }))
  }

  for (const path of ['/api/b', '/api/b/1', '/api/c', '/api/only', '/api/leaf/1', '/api/a/1/c', '/api/a/1/leaf']) {
    test(`an owned resource is mounted below its owner only: ${path}`, () =>
      service.refuse('GET', path, undefined, { code: 'CRUD_ERR_NOT_FOUND' }))
  }
})
