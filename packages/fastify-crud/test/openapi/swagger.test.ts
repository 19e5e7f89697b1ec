import swagger from '@fastify/swagger'
import { Validator } from '@seriousme/openapi-schema-validator'
import type { FastifyInstance } from 'fastify'
import { type OpenApiDocument, openApiOf } from 'fastify-crud'
import { describe, expect, test } from 'vitest'
import { resources } from '../../../../examples/bookshop/src/resources.ts'
import { openApp } from './open-app.ts'

const openapi = { openapi: '3.1.0', info: { title: 'Bookshop', version: '1.0.0' } } as const

function documentOf(app: FastifyInstance): OpenApiDocument {
  return structuredClone(app.swagger()) as unknown as OpenApiDocument
}

async function problemsOf(document: OpenApiDocument): Promise<unknown> {
  const { valid, errors } = await new Validator().validate({ ...structuredClone(document) })
  return valid ? [] : errors
}

describe('the document of @fastify/swagger', () => {
  test('is valid, and has the paths and the components of the model, and nothing else of the plugin', async () => {
    const { app, serve, warnings } = openApp()
    await app.register(swagger, { openapi })
    await serve({ openapi: { path: '/openapi.json' } })
    await app.ready()
    const document = documentOf(app)
    expect(await problemsOf(document)).toEqual([])
    const { paths, components } = openApiOf(resources, { guarded: false })
    expect(document.paths).toEqual(paths)
    expect(document.components).toEqual(components)
    expect(document.info).toEqual(openapi.info)
    expect(document['x-crud-models']).toEqual(['/api/$model'])
    expect(warnings).toEqual([])
  })

  test('keeps what is the application’s own', async () => {
    const { app, serve } = openApp()
    const servers = [{ url: 'https://books.example/' }]
    const tags = [{ name: 'book', description: 'My books.' }, { name: 'health' }]
    const gone = { description: 'Gone.' }
    const own = { type: 'object', properties: { up: { type: 'boolean' } } }
    await app.register(swagger, { openapi: { ...openapi, servers, tags, components: { responses: { gone } } } })
    app.get('/health', { schema: { tags: ['health'], response: { 200: own } } }, async () => ({ up: true }))
    app.addSchema({ $id: 'address', type: 'string' })
    await serve()
    await app.ready()
    const document = documentOf(app)
    expect(Object.keys(document.paths)).toEqual(expect.arrayContaining(['/health', '/api/book', '/api/book/{id}']))
    expect(document).toMatchObject({ servers, components: { responses: { gone } } })
    expect(document.tags.slice(0, 2)).toEqual(tags)
    expect(document.tags.filter(({ name }) => name === 'book')).toHaveLength(1)
    expect(document.tags).toContainEqual(expect.objectContaining({ name: 'publisher' }))
    expect(document.components.schemas).toHaveProperty(['def-0', 'type'], 'string')
  })

  test('may be in OpenAPI 3.0', async () => {
    const { app, serve } = openApp()
    await app.register(swagger, { openapi: {} })
    await serve()
    await app.ready()
    const document = documentOf(app)
    expect(document.openapi).toMatch(/^3\.0/)
    expect(await problemsOf(document)).toEqual([])
    expect(document.components.schemas['book.record']).toHaveProperty('example')
  })

  test('has a model that is registered twice, under names of their own', async () => {
    const { app, serve } = openApp()
    await app.register(swagger, { openapi })
    await serve()
    await serve({ prefix: '/v2' })
    await app.ready()
    const document = documentOf(app)
    expect(await problemsOf(document)).toEqual([])
    const names = Object.values(document.paths).flatMap(({ parameters, ...item }) =>
      Object.values(item).map(({ operationId }) => operationId),
    )
    expect(names).toEqual(expect.arrayContaining(['book.list', 'v2.book.list']))
    expect(document['x-crud-models']).toEqual(['/api/$model', '/v2/$model'])
    expect(new Set(names).size).toBe(names.length)
  })

  test('says of these operations only what they need of security, and what the application adds', async () => {
    const { app, serve } = openApp()
    await app.register(swagger, { openapi })
    app.get('/health', async () => ({}))
    const security = [{ token: [] }]
    const securitySchemes = { token: { type: 'http', scheme: 'bearer' } }
    await serve({ authorize: () => true, openapi: { security, securitySchemes, responses: { 401: 'No token.' } } })
    await app.ready()
    const { paths, components } = documentOf(app)
    expect(paths['/api/book']?.get).toMatchObject({ security })
    expect(Object.keys(paths['/api/book']?.get?.responses ?? {})).toEqual(['200', '304', '400', '401', 'default'])
    expect(paths['/health']?.get).not.toHaveProperty('security')
    expect(components.securitySchemes).toEqual(securitySchemes)
  })

  test('has no paths of the servers in its own paths, as @fastify/swagger takes them off', async () => {
    const { app, serve } = openApp()
    const variables = { version: { default: 'v1' } }
    await app.register(swagger, {
      openapi: { ...openapi, servers: [{ url: 'https://x.example/{version}', variables }] },
    })
    app.get('/v1/health', async () => ({}))
    await serve({ prefix: '/v1' })
    await app.ready()
    expect(Object.keys(documentOf(app).paths)).toEqual(expect.arrayContaining(['/health', '/book', '/book/{id}']))
  })

  test('is refused where a component of the application has the same name', async () => {
    const { app, serve } = openApp()
    await app.register(swagger, { openapi: { ...openapi, components: { schemas: { problem: { type: 'string' } } } } })
    await serve()
    await app.ready()
    expect(() => app.swagger()).toThrow(
      "the OpenAPI document has other components/schemas named problem: set the plugin's option openapi.idPrefix",
    )
  })

  test('has both components under an idPrefix', async () => {
    const { app, serve } = openApp()
    await app.register(swagger, { openapi: { ...openapi, components: { schemas: { problem: { type: 'string' } } } } })
    await serve({ openapi: { idPrefix: 'shop.' } })
    await app.ready()
    const { schemas } = documentOf(app).components
    expect(Object.keys(schemas)).toEqual(expect.arrayContaining(['problem', 'shop.problem', 'shop.book.record']))
  })

  test('of another name has the paths, too', async () => {
    const { app, serve } = openApp()
    await app.register(swagger, { openapi, decorator: 'publicApi' as 'swagger' })
    await serve()
    await app.ready()
    const { publicApi } = app as unknown as { publicApi(): OpenApiDocument }
    expect(Object.keys(publicApi().paths)).toContain('/api/book')
  })
})

describe('the log warns', () => {
  test('of @fastify/swagger that is registered after the plugin', async () => {
    const { app, serve, warnings } = openApp()
    await serve()
    await app.register(swagger, { openapi })
    await app.ready()
    expect(warnings).toContain(
      'fastify-crud: its routes are not in the document of @fastify/swagger; register @fastify/swagger before it',
    )
  })

  test('of a document in Swagger 2', async () => {
    const { app, serve, warnings } = openApp()
    await app.register(swagger)
    await serve()
    await app.ready()
    app.swagger()
    expect(warnings).toEqual([
      "fastify-crud: its routes are not in the document of @fastify/swagger, which is Swagger 2; register that with { openapi: { openapi: '3.1.0' } }",
    ])
  })
})
