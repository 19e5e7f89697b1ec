import { beforeEach, expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../test/support/json-body.ts'
import { expectProblem } from '../../../../test/support/problem.ts'
import { chosenId, missingId } from '../../../../test/support/test-ids.ts'
import { ownsMany } from './models/owns-many.ts'

describeOnBoth('`authorize` that does not allow', (database) => {
  let answer: unknown = true
  const service = useApp(database, ownsMany, { plugin: { authorize: () => answer as boolean } })
  let parent: JsonBody

  beforeEach(async () => {
    answer = true
    parent = await service.add('/api/parent', { name: 'a', children: [{ name: 'c' }] })
    answer = false
  })

  const requests = (id: number | string, childId: number | string): [string, string, unknown][] => [
    ['GET', '/api/parent', undefined],
    ['GET', `/api/parent/${id}`, undefined],
    ['POST', '/api/parent', { name: 'b' }],
    ['POST', `/api/parent/${chosenId('parent')}`, { name: 'b' }],
    ['PUT', `/api/parent/${id}`, { name: 'b' }],
    ['PUT', '/api/parent', { id, name: 'b' }],
    ['PATCH', `/api/parent/${id}`, { name: 'b' }],
    ['DELETE', `/api/parent/${id}`, undefined],
    ['GET', `/api/parent/${id}/child`, undefined],
    ['GET', `/api/parent/${id}/child/${childId}`, undefined],
    ['POST', `/api/parent/${id}/child`, { name: 'b' }],
    ['PUT', `/api/parent/${id}/child/${childId}`, { name: 'b' }],
    ['PATCH', `/api/parent/${id}/child/${childId}`, { name: 'b' }],
    ['DELETE', `/api/parent/${id}/child/${childId}`, undefined],
  ]

  test('false is 403, and nothing is changed', async () => {
    for (const [method, path, body] of requests(parent.id, parent.children[0].id)) {
      await service.refuse(method, path, body, { code: 'CRUD_ERR_FORBIDDEN' })
    }
    expect((await service.request('HEAD', `/api/parent/${parent.id}`)).status).toBe(403)
  })

  test('is asked before anything is read', async () => {
    const statements = await service.statements(async () => {
      for (const [method, path, body] of requests(parent.id, parent.children[0].id)) {
        await service.request(method, path, body)
      }
    })
    expect(statements).toEqual([])
  })

  test('403 comes before 404 and before 400', async () => {
    for (const [method, path, body] of requests(missingId('parent'), missingId('child'))) {
      await service.refuse(method, path, body, { code: 'CRUD_ERR_FORBIDDEN' })
    }
    for (const [method, path] of [
      ['POST', '/api/parent'],
      ['PUT', `/api/parent/${parent.id}`],
      ['PATCH', `/api/parent/${parent.id}`],
    ] as const) {
      await service.refuse(method, path, { x: 1, name: 5 }, { code: 'CRUD_ERR_FORBIDDEN' })
    }
  })

  for (const value of [undefined, null, 0, 1, '', 'yes', {}, [], Promise.resolve(false), Promise.resolve(1)]) {
    test(`only \`true\` allows: ${value instanceof Promise ? 'a promise of something else' : JSON.stringify(value)}`, async () => {
      answer = value
      await service.refuse('DELETE', `/api/parent/${parent.id}`, undefined, { code: 'CRUD_ERR_FORBIDDEN' })
      await service.refuse('GET', `/api/parent/${parent.id}`, undefined, { code: 'CRUD_ERR_FORBIDDEN' })
    })
  }

  test('a promise of true allows', async () => {
    answer = Promise.resolve(true)
    expect(await service.read(`/api/parent/${parent.id}`)).toEqual(parent)
  })
})

describeOnBoth('`authorize` that throws', (database) => {
  const log: string[] = []
  const stream = { write: (line: string) => void log.push(line) }
  const service = useApp(database, ownsMany, {
    fastify: { logger: { level: 'error', stream } },
    plugin: {
      authorize() {
        throw new Error('the directory of users is down')
      },
    },
  })

  test('is 500, and tells the client nothing', async () => {
    const statements = await service.statements(async () => {
      const answer = await service.post('/api/parent', { name: 'a' })
      expectProblem(answer, { code: 'CRUD_ERR_INTERNAL' })
      expect(JSON.stringify(answer.body)).not.toContain('directory')
    })
    expect(statements).toEqual([])
  })
})

describeOnBoth('without `authorize`', (database) => {
  const log: string[] = []
  const stream = { write: (line: string) => void log.push(line) }
  const service = useApp(database, ownsMany, { fastify: { logger: { level: 'info', stream } } })

  test('the routes are open, and the plugin logs that once at start', async () => {
    await service.add('/api/parent', { name: 'a' })
    expect(log.filter((line) => /authorize/i.test(line))).toHaveLength(1)
  })
})

describeOnBoth('with `policies` and without `authorize`', (database) => {
  const log: string[] = []
  const stream = { write: (line: string) => void log.push(line) }
  const plugin = { policies: { parent: { View: true } } }
  const service = useApp(database, ownsMany, { plugin, fastify: { logger: { level: 'info', stream } } })

  test('the log does not say that the routes are open', async () => {
    await service.refuse('POST', '/api/parent', { name: 'a' }, { code: 'CRUD_ERR_FORBIDDEN' })
    expect(log.filter((line) => /open to everybody/.test(line))).toEqual([])
  })
})
