import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildApp, type TestApp } from '../../../../test/support/app.ts'
import { describeOnDatabases } from '../../../../test/support/describe-on-databases.ts'
import { expectProblem } from '../../../../test/support/problem.ts'
import { missingId } from '../../../../test/support/test-ids.ts'
import { product } from './models/product.ts'

describeOnDatabases('an error that nobody foresaw', (database) => {
  let service: TestApp
  const log: string[] = []

  beforeAll(async () => {
    const stream = { write: (line: string) => void log.push(line) }
    service = await buildApp(database, product, { fastify: { logger: { level: 'trace', stream } } })
    await sql`alter table product rename to gone`.execute(service.db)
  })
  afterAll(() => service.close())

  const requests: [string, string, unknown][] = [
    ['GET', '/api/product', undefined],
    ['GET', `/api/product/${missingId('product')}`, undefined],
    ['POST', '/api/product', { name: 'secret' }],
    ['PUT', `/api/product/${missingId('product')}`, { name: 'secret' }],
    ['PATCH', `/api/product/${missingId('product')}`, { name: 'secret' }],
    ['DELETE', `/api/product/${missingId('product')}`, undefined],
  ]
  for (const [method, path, body] of requests) {
    test(`answered without a word of SQL, table or driver: ${method} ${path}`, async () => {
      const answer = await service.request(method, path, body)
      expectProblem(answer, { code: 'CRUD_ERR_INTERNAL' })
      const text = JSON.stringify(answer.body)
      expect(text).not.toMatch(
        /sqlite|postgres|kysely|\bpg\b|select|insert|update|delete|table|relation|column|secret/i,
      )
    })
  }

  test('logged in full', async () => {
    log.length = 0
    await service.get(`/api/product/${missingId('product')}`)
    const errors = log.map((line) => JSON.parse(line)).filter((entry) => entry.level >= 50)
    expect(errors).toHaveLength(1)
    expect(JSON.stringify(errors)).toMatch(/no such table|does not exist/)
    expect(errors[0].err.stack).toMatch(/\n/)
  })
})
