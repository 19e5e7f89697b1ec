import swagger, { type FastifyDynamicSwaggerOptions } from '@fastify/swagger'
import { Validator } from '@seriousme/openapi-schema-validator'
import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import Fastify, { type FastifyInstance, type RouteOptions } from 'fastify'
import { afterEach, describe, expect, it } from 'vitest'
import type { Model } from '../../src/model/model.ts'
import { mountsOf } from '../../src/schema/mount.ts'
import { routeSchema } from '../../src/schema/route-schema.ts'
import { schemasOf } from '../../src/schema/schemas-of.ts'
import { library } from './library.ts'
import { kinds, methods, urlOf } from './routes.ts'
import { validatorOf } from './validator.ts'

type Compilers = Pick<RouteOptions, 'validatorCompiler' | 'serializerCompiler'>

/** How an application documents requests that something else validates. */
const documentOnly: Compilers = {
  validatorCompiler: () => () => true,
  serializerCompiler: () => (data) => JSON.stringify(data),
}

const apps: FastifyInstance[] = []
afterEach(async () => {
  await Promise.all(apps.splice(0).map((app) => app.close()))
})

async function appOf(
  models: Readonly<Record<string, Model>>,
  options: FastifyDynamicSwaggerOptions = {},
  compilers: Compilers = documentOnly,
): Promise<FastifyInstance> {
  const app = Fastify()
  apps.push(app)
  await app.register(swagger, { openapi: { openapi: '3.1.0', info: { title: 'library', version: '1' } }, ...options })
  for (const [idPrefix, model] of Object.entries(models)) {
    await app.register(async (scope) => {
      for (const schema of schemasOf(model, { idPrefix })) scope.addSchema(schema)
      for (const mount of mountsOf(model)) {
        for (const kind of kinds) {
          const schema = routeSchema(kind, mount, { idPrefix, defaultPage: 20, maxPage: 100, guarded: true })
          const method = methods[kind]
          const url = `/${idPrefix}${urlOf(kind, mount)}`.replace('//', '/')
          scope.route({ ...compilers, method, url, schema, handler: async () => ({}) })
        }
      }
    })
  }
  await app.ready()
  return app
}

interface Operation {
  readonly operationId: string
  readonly parameters: readonly object[]
  readonly responses: Readonly<Record<string, { readonly content?: object }>>
}

interface Component {
  readonly examples?: readonly unknown[]
  readonly properties: Readonly<Record<string, { readonly items?: object }>>
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly schemas: Readonly<Record<string, Component>> }
}

function documentOf(app: FastifyInstance): Document {
  return JSON.parse(JSON.stringify(app.swagger()))
}

function operationOf(document: Document, url: string, method: string): Operation {
  const operation = document.paths[url]?.[method]
  if (operation === undefined) throw new TypeError(`no ${method} ${url}`)
  return operation
}

async function problemsOf(document: Document): Promise<unknown> {
  const { valid, errors } = await new Validator().validate({ ...document })
  return valid ? [] : errors
}

function refsIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return []
  const own = '$ref' in value && typeof value.$ref === 'string' ? [value.$ref] : []
  return [...own, ...Object.values(value).flatMap(refsIn)]
}
const byId: FastifyDynamicSwaggerOptions = {
  refResolver: { buildLocalReference: (schema) => String(schema.$id) },
}

describe('the OpenAPI document', () => {
  it('is valid, and every reference leads to a component', async () => {
    for (const options of [{}, byId]) {
      const document = documentOf(await appOf({ '': library }, options))
      expect(await problemsOf(document)).toEqual([])
      const known = new Set(Object.keys(document.components.schemas).map((name) => `#/components/schemas/${name}`))
      expect(known.size).toBe(schemasOf(library).length)
      expect(refsIn(document).filter(($ref) => !known.has($ref))).toEqual([])
    }
  })

  it('says the same of bodies and records as the components do', async () => {
    const ajv = new Ajv2020({ strict: false })
    formats.default(ajv)
    ajv.addSchema(documentOf(await appOf({ '': library }, byId)), 'document')
    const wrong = validatorOf(library)
    const tree = (leaf: object) => ({ id: 1, name: 'a', categories: [{ id: 2, name: 'b', categories: [leaf] }] })
    for (const kind of ['record', 'create', 'replace', 'patch']) {
      const validate = ajv.getSchema(`document#/components/schemas/category.${kind}`)
      for (const body of [
        tree({}),
        tree({ name: 'c' }),
        tree({ id: 3, name: 'c', categories: [] }),
        { name: 'a' },
        1,
      ]) {
        expect(validate?.(body), kind).toBe(wrong(`category.${kind}`, body).length === 0)
      }
    }
  })

  it('has every operation once, by its name', async () => {
    const document = documentOf(await appOf({ '': library }))
    const ids = Object.values(document.paths).flatMap((path) =>
      Object.values(path).map((operation) => operation.operationId),
    )
    expect(ids.length).toBe(mountsOf(library).length * kinds.length)
    expect(new Set(ids).size).toBe(ids.length)
  })

  it('shows content types, headers and examples as they were meant', async () => {
    const document = documentOf(await appOf({ '': library }, byId))
    const post = operationOf(document, '/api/book/{book_id}/chapter', 'post')
    expect(post).toMatchObject({
      operationId: 'book.chapters.create',
      tags: ['chapter'],
      parameters: [{ name: 'book_id', in: 'path', required: true, description: "The book's id." }],
      requestBody: {
        required: true,
        content: { 'application/json': { schema: { $ref: '#/components/schemas/chapter.create' } } },
      },
    })
    expect(post.responses[201]).toEqual({
      description: 'The new record.',
      headers: { Location: { schema: { type: 'string', format: 'uri-reference' }, description: expect.any(String) } },
      content: { 'application/json': { schema: { $ref: '#/components/schemas/chapter.record' } } },
    })
    expect(post.responses[409]?.content).toEqual({
      'application/problem+json': {
        schema: { $ref: '#/components/schemas/problem' },
        example: expect.objectContaining({ status: 409, code: 'CRUD_ERR_EXISTS' }),
      },
    })
    expect(operationOf(document, '/api/book/{id}', 'delete').responses[204]).toEqual({
      description: 'The record is gone.',
    })
    const [limit] = operationOf(document, '/api/book', 'get').parameters
    expect(limit).toMatchObject({ name: 'limit', in: 'query', required: false, schema: { default: 20, maximum: 100 } })
    expect(document.components.schemas['chapter.create']?.examples).toHaveLength(1)
  })

  it('keeps null, references and descriptions in the components', async () => {
    const { schemas } = documentOf(await appOf({ '': library }, byId)).components
    expect(schemas['book.record']?.properties).toMatchObject({
      price: { type: ['number', 'null'], description: 'In euros.' },
      cover: { anyOf: [{ $ref: '#/components/schemas/cover.record' }, { type: 'null' }] },
    })
    expect(schemas['category.patch']?.properties.categories?.items).toEqual({
      oneOf: [{ $ref: '#/components/schemas/category.patchWithId' }, { $ref: '#/components/schemas/category.create' }],
    })
    expect(schemas['book.replace']?.properties.publisher).toMatchObject({
      allOf: [{ $ref: '#/components/schemas/publisher.nested' }],
      readOnly: true,
    })
  })

  it('has room for a second model under a prefix', async () => {
    const document = documentOf(await appOf({ 'a.': library, 'b.': library }, byId))
    expect(await problemsOf(document)).toEqual([])
    expect(Object.keys(document.components.schemas)).toHaveLength(2 * schemasOf(library).length)
  })

  it('is valid as OpenAPI 3.0 too', async () => {
    const openapi = { openapi: '3.0.3', info: { title: 'library', version: '1' } }
    expect(await problemsOf(documentOf(await appOf({ '': library }, { openapi })))).toEqual([])
  })
})

describe('Fastify', () => {
  it('resolves the references with its own validator and serializer, recursive ones too', async () => {
    const app = await appOf({ '': library }, {}, {})
    const tree = { name: 'a', categories: [{ name: 'b', categories: [{ name: 'c' }] }] }
    const good = await app.inject({ method: 'POST', url: '/api/category', body: tree })
    expect(good.statusCode).not.toBe(400)
    const wrong = { name: 'a', categories: [{ name: 'b', categories: [{}] }] }
    const bad = await app.inject({ method: 'POST', url: '/api/category', body: wrong })
    expect(bad.statusCode).toBe(400)
  })
})
