import { beforeEach, expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import { expectProblem } from '../../../../test/support/problem.ts'
import { ownsMany } from './models/owns-many.ts'

describeOnBoth('`caller`', (database) => {
  let made = 0
  let make: () => unknown
  let callers: unknown[] = []
  const service = useApp(database, ownsMany, {
    plugin: {
      openapi: { responses: { 401: { description: 'No token.' } } },
      caller(request) {
        expect(request.url).toMatch(/^\/api\//)
        made += 1
        return make() as object
      },
      authorize(_request, { caller }) {
        callers.push(caller)
        return true
      },
    },
  })
  beforeEach(() => {
    made = 0
    callers = []
    make = () => ({ id: 7 })
  })

  test('is asked once for each request, and all questions carry the same frozen object', async () => {
    const { id } = await service.add('/api/parent', { name: 'a', children: [{ name: 'c' }] })
    expect(made).toBe(1)
    expect(callers.length).toBeGreaterThan(1)
    expect(new Set(callers)).toEqual(new Set([{ id: 7 }]))
    expect(Object.isFrozen(callers[0])).toBe(true)
    await service.get(`/api/parent/${id}`)
    expect(made).toBe(2)
  })

  test('may answer late', async () => {
    make = async () => ({ id: 8 })
    expect((await service.get('/api/parent')).status).toBe(200)
    expect(new Set(callers)).toEqual(new Set([{ id: 8 }]))
  })

  test('refuses a request by an error, ahead of everything that is asked of the path and the body', async () => {
    make = () => {
      throw Object.assign(new Error('no token'), { statusCode: 401 })
    }
    for (const [method, path] of [
      ['GET', '/api/parent/x'],
      ['PUT', '/api/parent/1'],
      ['POST', '/api/parent?x=1'],
    ] as const) {
      expect((await service.request(method, path, method === 'GET' ? undefined : { nome: 1 })).status).toBe(401)
    }
    expect(callers).toEqual([])
  })

  test('that returns no object is a mistake of the application', async () => {
    for (const other of [undefined, null, 'ada', 7]) {
      make = () => other
      expectProblem(await service.get('/api/parent'), { code: 'CRUD_ERR_INTERNAL' })
    }
  })
})
