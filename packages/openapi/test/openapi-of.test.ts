import { Validator } from '@seriousme/openapi-schema-validator'
import { Type } from '@sinclair/typebox'
import { describe, expect, it } from 'vitest'
import { defineResources } from '../../core/src/model/define/define-resources.ts'
import { knows, needs, ownedBy, owns } from '../../core/src/model/descriptors/relations.ts'
import { openApiOf } from '../src/document/openapi-of.ts'
import { library } from './library.ts'

async function problemsOf(document: object): Promise<unknown> {
  const { valid, errors } = await new Validator().validate(structuredClone({ ...document }))
  return valid ? [] : errors
}

function refsIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return []
  const own = '$ref' in value && typeof value.$ref === 'string' ? [value.$ref] : []
  return [...own, ...Object.values(value).flatMap(refsIn)]
}

function componentsIn(document: { components: object }): string[] {
  return Object.entries(document.components).flatMap(([section, all]) =>
    Object.keys(all).map((name) => `#/components/${section}/${name}`),
  )
}

/** References to parameters that are headers. */
const headersOf = (...names: string[]) => names.map((name) => ({ $ref: `#/components/parameters/${name}` }))

describe('the document', () => {
  it.each([
    {},
    { idPrefix: 'v1.' },
    { describes: (_: string, operation: string) => operation === 'list' },
    { responses: { 401: 'Who are you?' } },
  ])('is valid, and has exactly the components that it refers to: %j', async (options) => {
    const document = openApiOf(library, options)
    expect(await problemsOf(document)).toEqual([])
    const refs = new Set(refsIn(document))
    const components = new Set(componentsIn(document))
    expect([...refs].filter(($ref) => !components.has($ref))).toEqual([])
    expect([...components].filter(($ref) => !refs.has($ref))).toEqual([])
  })

  it('says where the service describes itself, unless it does not', () => {
    expect(openApiOf(library)).toMatchObject({ 'x-crud-models': ['/api/$model'] })
    expect(openApiOf(library, { describesItself: false })).not.toHaveProperty('x-crud-models')
  })

  it('has no writes of what all tenants share, which are always refused', () => {
    const resources = defineResources(
      {
        org: { fields: { name: Type.String() } },
        country: { id: 'text', fields: { name: Type.String() }, tenant: false, public: true },
      },
      { tenant: { resource: 'org' } },
    )
    const { paths } = openApiOf(resources)
    const methodsOf = (path: string) => Object.keys(paths[path] ?? {}).filter((name) => name !== 'parameters')
    expect(methodsOf('/api/country')).toEqual(['get', 'head'])
    expect(methodsOf('/api/country/{id}')).toEqual(['get', 'head'])
    expect(methodsOf('/api/org/{id}')).toEqual(['get', 'head', 'put', 'patch', 'delete'])
  })

  it('has every path with its parameters, and HEAD beside GET', () => {
    const { paths } = openApiOf(library)
    expect(Object.keys(paths)).toEqual(
      expect.arrayContaining(['/api/book', '/api/book/{id}', '/api/book/{book_id}/chapter/{chapter_id}/note/{id}']),
    )
    expect(Object.keys(paths['/api/book'] ?? {})).toEqual([
      'parameters',
      'get',
      'head',
      'post',
      'put',
      'patch',
      'delete',
    ])
    expect(paths['/api/book/{book_id}/chapter/{id}']?.parameters).toEqual([
      { $ref: '#/components/parameters/book_id' },
      { $ref: '#/components/parameters/id.integer' },
      ...headersOf('IfMatch', 'Prefer', 'EffectsMatch', 'IdempotencyKey', 'IfNoneMatch'),
    ])
    expect(paths['/api/book']?.parameters).toEqual(headersOf('IfMatch', 'Prefer', 'EffectsMatch', 'IdempotencyKey'))
    expect(Object.keys(paths['/api/book/{id}'] ?? {})).toEqual([
      'parameters',
      'get',
      'head',
      'post',
      'put',
      'patch',
      'delete',
    ])
  })

  it('has an example for each id in a path', () => {
    const { parameters } = openApiOf(library).components
    expect(parameters.book_id).toMatchObject({ name: 'book_id', in: 'path', example: 1 })
    expect(parameters['id.integer']).toMatchObject({ name: 'id', in: 'path', example: 1 })
  })

  it('has a path below the prefix, as it stands in a URL', () => {
    const model = defineResources({ a: { route: 'a-z.1', fields: { name: Type.String() } } })
    expect(Object.keys(openApiOf(model, { prefix: '/v 2/{x}/' }).paths)[0]).toBe('/v%202/%7Bx%7D/a-z.1')
    expect(Object.keys(openApiOf(model, { prefix: '' }).paths)[0]).toBe('/a-z.1')
  })

  it('has the parameters of the prefix', async () => {
    const document = openApiOf(library, { prefix: '/:tenant(^[a-z]+$)/api' })
    expect(await problemsOf(document)).toEqual([])
    expect(document.paths['/{tenant}/api/book/{id}']?.parameters).toEqual([
      { $ref: '#/components/parameters/prefix.tenant' },
      { $ref: '#/components/parameters/id.integer' },
      ...headersOf('IfMatch', 'Prefer', 'EffectsMatch', 'IdempotencyKey', 'IfNoneMatch'),
    ])
    expect(document.components.parameters['prefix.tenant']).toMatchObject({ name: 'tenant', in: 'path' })
    expect(document['x-crud-models']).toEqual(['/{tenant}/api/$model'])
  })

  it('has the title, the servers, the security and the tags that it is given', () => {
    const given = {
      info: { title: 'Library', version: '2.1.0', license: { name: 'MIT' } },
      servers: [{ url: 'https://library.example' }],
      security: [{ token: [] }],
    }
    const document = openApiOf(library, {
      ...given,
      securitySchemes: { token: { type: 'http', scheme: 'bearer' } },
      tags: [{ name: 'book', description: 'All books.' }, { name: 'other' }],
    })
    expect(document).toMatchObject({ openapi: '3.1.0', ...given })
    expect(document.components.securitySchemes).toEqual({ token: { type: 'http', scheme: 'bearer' } })
    expect(document.tags).toContainEqual({ name: 'book', description: 'All books.' })
    expect(document.tags).toContainEqual({ name: 'publisher', description: 'Who prints books.' })
    expect(document.tags).toContainEqual({ name: 'tag' })
    expect(document.tags.at(-1)).toEqual({ name: 'other' })
  })

  it('shows the pages of lists as they are limited', () => {
    const { parameters } = openApiOf(library, { limits: { defaultPage: 5, maxPage: 50 } }).components
    expect(parameters.limit).toMatchObject({ in: 'query', schema: { minimum: 1, maximum: 50, default: 5 } })
    expect(parameters.offset).toMatchObject({ in: 'query', schema: { minimum: 0, default: 0 } })
  })

  it('has the operations that it is asked for', () => {
    const readOnly = openApiOf(library, { describes: (key, operation) => key === 'book' && operation === 'findOne' })
    expect(Object.entries(readOnly.paths).map(([path, item]) => [path, ...Object.keys(item)])).toEqual([
      ['/api/book/{id}', 'parameters', 'get', 'head'],
    ])
    expect(Object.keys(readOnly.components.schemas)).not.toContain('book.create')
  })

  it('marks nothing in a body as `readOnly`', () => {
    expect(JSON.stringify(openApiOf(library))).not.toContain('"readOnly"')
  })
})

it.each([{}, undefined, library.descriptors])('the model is refused where it is none: %j', (model) => {
  const call = () => openApiOf(model as never)
  expect(call).toThrow(TypeError)
  expect(call).toThrow('resources: must be what defineResources returned')
})

describe('the options', () => {
  it.each<[options: object, message: string]>([
    [{ idPrefix: 'a/' }, "options.idPrefix: must be of letters, digits, '.', '_' and '-' only, not 'a/'"],
    [{ title: 'Books' }, 'options.title: there is no such option; there are info, servers, tags, '],
    [{ info: { title: 'Books' } }, 'options.info: must have a title and a version'],
    [{ security: [{ token: [] }] }, "options.security: there is no 'token' among the securitySchemes"],
    [{ responses: { '4xx': 'No' } }, 'options.responses.4xx: must be an HTTP status, such as 401'],
    [{ responses: { 401: {} } }, 'options.responses.401.description: must be a text'],
    [
      { responses: { 401: { description: 'No', methods: ['LIST'] } } },
      'options.responses.401.methods: there is no LIST',
    ],
  ])('are refused where they are wrong: %j', (options, message) => {
    expect(() => openApiOf(library, options)).toThrow(TypeError)
    expect(() => openApiOf(library, options)).toThrow(message)
  })
})

/** Resources that are like those of an application, in groups of four. */
function largeModel(groups: number) {
  const descriptors = Array.from({ length: groups }, (_, n) => ({
    [`customer${n}`]: {
      fields: { name: Type.String({ minLength: 1 }), email: Type.Optional(Type.String()), since: Type.String() },
      relations: {
        ...(n > 0 && { friend: knows.one(`customer${n - 1}`) }),
        wishes: knows.many(`product${n}`),
      },
    },
    [`order${n}`]: {
      fields: { number: Type.Integer(), paid: Type.Optional(Type.Boolean()), note: Type.Optional(Type.String()) },
      relations: { customer: needs.one(`customer${n}`), lines: owns.many(`line${n}`) },
    },
    [`line${n}`]: {
      fields: { quantity: Type.Integer(), price: Type.Number(), options: Type.Optional(Type.Array(Type.String())) },
      relations: { order: ownedBy(`order${n}`), product: needs.one(`product${n}`) },
    },
    [`product${n}`]: {
      fields: { title: Type.String(), kind: Type.String(), weight: Type.Optional(Type.Number()) },
      relations: { related: knows.many(`product${n}`) },
    },
  }))
  return defineResources(Object.assign({}, ...descriptors))
}

describe('the document of a large model', () => {
  it('has a little more than 3 MB for 300 resources', () => {
    expect(JSON.stringify(openApiOf(largeModel(75))).length).toBeLessThan(3_250_000)
  })

  it('grows with the model', () => {
    const [small, large] = [10, 40].map((groups) => {
      const document = openApiOf(largeModel(groups))
      return { components: componentsIn(document).length, characters: JSON.stringify(document).length }
    })
    if (small === undefined || large === undefined) expect.unreachable()
    expect(large.components / small.components).toBeLessThan(4)
    expect(large.characters / small.characters).toBeLessThan(4.1)
  })
})
