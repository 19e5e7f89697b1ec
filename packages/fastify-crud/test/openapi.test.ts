import swagger from '@fastify/swagger'
import { Validator } from '@seriousme/openapi-schema-validator'
import Fastify, { type FastifyInstance } from 'fastify'
import { crudPlugin, type Model } from 'fastify-crud'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { resources } from '../../../examples/bookshop/src/resources.ts'
import { databases, type OpenDatabase } from '../../../test/support/databases.ts'

interface Operation {
  readonly operationId: string
  readonly tags: readonly string[]
  readonly description: string
  readonly responses: Readonly<Record<string, object>>
}
interface Document {
  readonly openapi: string
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
}

let database: OpenDatabase
const apps: FastifyInstance[] = []

beforeAll(async () => {
  database = await (databases[0] as (typeof databases)[number]).open()
})
afterAll(async () => {
  for (const app of apps) await app.close()
  await database.close()
})

async function documentOf(model: Model, prefixes: readonly string[]): Promise<Document> {
  const app = Fastify()
  apps.push(app)
  await app.register(swagger, { openapi: { openapi: '3.1.0', info: { title: 'Bookshop', version: '1.0.0' } } })
  for (const prefix of prefixes)
    await app.register(crudPlugin, { db: database.db, resources: model, prefix, decorator: false })
  await app.ready()
  return app.swagger() as unknown as Document
}

function operationsOf(document: Document): [path: string, method: string, operation: Operation][] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): [string, string, Operation] => [path, method, operation]),
  )
}

test('the document of a whole application is valid OpenAPI 3.1', async () => {
  const document = await documentOf(resources, ['/api'])
  expect(document.openapi).toBe('3.1.0')
  const result = await new Validator().validate(structuredClone(document) as unknown as Record<string, unknown>)
  expect(result).toMatchObject({ valid: true })
})

test('every route is in it, with an operationId of its own, a tag, a description and its answers', async () => {
  const operations = operationsOf(await documentOf(resources, ['/api']))
  const methods = operations.map(([path, method]) => `${method} ${path}`)
  expect(methods).toEqual(
    expect.arrayContaining([
      'get /api/book',
      'post /api/book',
      'put /api/book',
      'get /api/book/{id}',
      'post /api/book/{id}',
      'put /api/book/{id}',
      'patch /api/book/{id}',
      'delete /api/book/{id}',
      'patch /api/book/{book_id}/chapter/{id}',
    ]),
  )
  expect(new Set(operations.map(([, , { operationId }]) => operationId)).size).toBe(operations.length)
  for (const [path, method, operation] of operations) {
    expect(['get', 'post', 'put', 'patch', 'delete'], `${method} ${path}`).toContain(method)
    expect(operation.tags).toHaveLength(1)
    expect(operation.description).not.toBe('')
    expect(Object.keys(operation.responses)).toContain('500')
  }
})

test('a model that is registered twice is documented twice', async () => {
  const document = await documentOf(resources, ['/api', '/v2'])
  const operations = operationsOf(document)
  expect(Object.keys(document.paths)).toEqual(expect.arrayContaining(['/api/book', '/v2/book']))
  expect(new Set(operations.map(([, , { operationId }]) => operationId)).size).toBe(operations.length)
  const result = await new Validator().validate(structuredClone(document) as unknown as Record<string, unknown>)
  expect(result).toMatchObject({ valid: true })
})
