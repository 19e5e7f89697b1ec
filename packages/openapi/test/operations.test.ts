import { Type } from '@sinclair/typebox'
import { describe, expect, it } from 'vitest'
import { defineResources } from '../../core/src/model/define/define-resources.ts'
import type { OpenApiOperation } from '../src/components/openapi-document.ts'
import { openApiOf } from '../src/document/openapi-of.ts'
import type { OpenApiOptions, ServiceOptions } from '../src/openapi-options.ts'
import { EFFECTS_MEDIA_TYPE } from '../src/schemas/effects-schema.ts'
import { library } from './library.ts'
import { validatorOf } from './validator.ts'

type Options = OpenApiOptions & ServiceOptions

function documentOf(options: Options = {}) {
  return openApiOf(library, { guarded: false, ...options })
}

/** All operations by name, such as `book.chapters.list`. */
function operationsOf(options: Options = {}): ReadonlyMap<string, OpenApiOperation> {
  const operations = Object.values(documentOf(options).paths).flatMap(({ parameters, ...item }) => Object.values(item))
  return new Map(operations.map((operation) => [operation.operationId, operation]))
}

function at(name: string, options: Options = {}): OpenApiOperation {
  const operation = operationsOf(options).get(name)
  if (operation === undefined) throw new TypeError(`no operation '${name}'`)
  return operation
}

const statuses = (name: string, options?: Options) => Object.keys(at(name, options).responses)

/** The response of an operation, as its component says. */
function responseOf(name: string, status: number | 'default', options: Options = {}) {
  const $ref = at(name, options).responses[status]?.$ref ?? ''
  return documentOf(options).components.responses[$ref.replace('#/components/responses/', '')]
}

describe('the name of an operation', () => {
  it('is the path of resource and relations, and the operation', () => {
    const names = [...operationsOf().keys()]
    for (const name of [
      'book.list',
      'book.chapters.create',
      'book.chapters.picture.replaceWithId',
      'book.findOneHead',
    ]) {
      expect(names).toContain(name)
    }
    expect(operationsOf({ idPrefix: 'v1.' }).has('v1.person.homes.delete')).toBe(true)
  })

  it('is that of the relation and what is done, for the addresses of links', () => {
    for (const name of ['book.tags.list', 'book.tags.listHead', 'book.tags.add', 'book.authors.remove']) at(name)
  })

  it('is given once', () => {
    const { paths } = documentOf()
    const operations = Object.values(paths).flatMap(({ parameters, ...item }) => Object.values(item))
    expect(operationsOf().size).toBe(operations.length)
  })
})

describe('what an operation takes', () => {
  it('list, findOne: their queries, which stand with GET only', () => {
    const [limit, fields] = ['limit', 'fields'].map((name) => ({ $ref: `#/components/parameters/${name}` }))
    expect(at('book.list').parameters).toEqual(expect.arrayContaining([limit, fields]))
    expect(at('book.findOne').parameters).toContainEqual(fields)
    expect(at('book.findOne').parameters).not.toContainEqual(limit)
    for (const name of ['book.listHead', 'book.findOneHead', 'book.create', 'book.delete']) {
      expect(at(name)).not.toHaveProperty('parameters')
    }
  })

  it('the body that belongs to it', () => {
    const bodyOf = (name: string, options?: Options) =>
      at(name, options).requestBody?.content['application/json']?.schema
    const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })
    expect(bodyOf('book.create')).toEqual(ref('book.create'))
    expect(bodyOf('book.createWithId')).toEqual(ref('book.create'))
    expect(bodyOf('book.replace')).toEqual(ref('book.replace'))
    expect(bodyOf('book.replaceWithId')).toEqual(ref('book.replaceWithId'))
    expect(bodyOf('v1.book.chapters.patch', { idPrefix: 'v1.' })).toEqual(ref('v1.chapter.patch'))
    for (const name of ['book.list', 'book.findOne', 'book.delete']) expect(at(name)).not.toHaveProperty('requestBody')
  })
})

describe('what an operation answers', () => {
  it('each status of its own, and what any operation can answer as default', () => {
    expect(statuses('book.list')).toEqual(['200', '304', '400', 'default'])
    expect(statuses('book.chapters.list')).toEqual(['200', '304', '400', '404', 'default'])
    expect(statuses('book.findOne')).toEqual(['200', '304', '400', '404', 'default'])
    expect(statuses('book.create')).toEqual(['201', '400', '409', 'default'])
    expect(statuses('book.chapters.createWithId')).toEqual(['201', '400', '404', '409', 'default'])
    for (const kind of ['replace', 'replaceWithId', 'patch']) {
      expect(statuses(`book.${kind}`)).toEqual(['200', '204', '400', '404', '409', 'default'])
    }
    for (const status of [403, 412, 413, 415, 422, 500, 503]) {
      expect(responseOf('book.create', 'default', { guarded: true })?.description).toContain(`${status}:`)
    }
    expect(responseOf('book.create', 'default')?.description).not.toContain('403:')
  })

  it('delete: 409, as a trigger can refuse it where nothing else does', () => {
    for (const path of ['book', 'book.contract', 'book.cover', 'series']) {
      expect(statuses(`${path}.delete`)).toEqual(['200', '204', '400', '404', '409', 'default'])
    }
  })

  it('a write: what it does in place of no body, but not as another body, which types would have to tell apart', () => {
    expect(responseOf('book.delete', 200)?.content).toEqual({
      [EFFECTS_MEDIA_TYPE]: { schema: { $ref: '#/components/schemas/effects' } },
    })
    for (const [name, status] of [
      ['book.create', 201],
      ['book.patch', 200],
    ] as const) {
      expect(Object.keys(responseOf(name, status)?.content ?? {})).toEqual(['application/json'])
    }
  })

  it('HEAD: no body, whatever the status', () => {
    for (const name of ['book.listHead', 'book.findOneHead']) {
      expect(statuses(name)).toEqual(['default'])
      expect(responseOf(name, 'default')).not.toHaveProperty('content')
    }
  })

  it('problems as application/problem+json, each with an example of its status', () => {
    const wrong = validatorOf(library)
    for (const status of [400, 409]) {
      const content = responseOf('book.create', status)?.content?.['application/problem+json']
      expect(content).toMatchObject({ schema: { $ref: '#/components/schemas/problem' }, example: { status } })
      expect(wrong('problem', content?.example)).toEqual([])
    }
    expect(responseOf('book.create', 'default')).toHaveProperty('headers.Retry-After')
  })

  it('the record, the page, or nothing', () => {
    const json = (name: string) => ({
      content: { 'application/json': { schema: { $ref: `#/components/schemas/${name}` } } },
    })
    expect(responseOf('book.list', 200)).toMatchObject(json('book.page'))
    const either = { anyOf: ['book.record', 'book.partial'].map((name) => ({ $ref: `#/components/schemas/${name}` })) }
    const found = { content: { 'application/json': { schema: either } } }
    expect(responseOf('book.findOne', 200)).toMatchObject(found)
    expect(responseOf('book.findOne', 200, { partial: false })).toMatchObject(json('book.record'))
    expect(responseOf('book.create', 201)).toMatchObject(json('book.record'))
    expect(responseOf('book.create', 201)).toHaveProperty('headers.Location')
    const reading: Options = { describes: (_, operation) => operation !== 'create' }
    expect(responseOf('book.findOne', 200, reading)).not.toHaveProperty('headers.Location')
    expect(responseOf('book.patch', 200)).toMatchObject(json('book.record'))
    expect(responseOf('book.delete', 204)).not.toHaveProperty('content')
    expect(responseOf('book.patch', 204)).not.toHaveProperty('content')
    expect(responseOf('book.findOne', 304)).not.toHaveProperty('content')
  })

  it('an ETag with every single record', () => {
    for (const name of ['book.findOne', 'book.replace', 'book.patch']) {
      expect(responseOf(name, 200)).toHaveProperty('headers.ETag')
    }
    expect(responseOf('book.create', 201)).toHaveProperty('headers.ETag')
    expect(responseOf('book.list', 200)).not.toHaveProperty('headers')
  })

  it('428 where the descriptor asks for `If-Match`, which is required there', () => {
    const { paths, components } = openApiOf(
      defineResources({ account: { fields: { total: Type.Integer() }, ifMatch: 'required' } }),
    )
    const item = paths['/api/account/{id}']
    const required = [{ $ref: '#/components/parameters/IfMatchRequired' }]
    for (const operation of [item?.put, item?.patch, item?.delete, paths['/api/account']?.put]) {
      expect(operation?.parameters).toEqual(required)
      expect(operation?.responses).toHaveProperty('428')
    }
    expect(components.parameters.IfMatchRequired).toMatchObject({ name: 'If-Match', in: 'header', required: true })
    for (const operation of [item?.get, item?.post]) {
      expect(operation?.parameters ?? []).not.toContainEqual(required[0])
      expect(operation?.responses).not.toHaveProperty('428')
    }
  })

  it('statuses that the application adds: with a problem, unless it says otherwise', () => {
    const options: Options = {
      responses: {
        401: 'There is no valid token.',
        429: { description: 'Too many requests.', headers: { 'Retry-After': {} }, content: { 'text/plain': {} } },
        402: { description: 'Not paid.', methods: ['POST'] },
      },
    }
    expect(statuses('book.list', options)).toEqual(['200', '304', '400', '401', '429', 'default'])
    expect(statuses('book.create', options)).toEqual(['201', '400', '401', '402', '409', '429', 'default'])
    expect(responseOf('book.list', 401, options)).toEqual({
      description: 'There is no valid token.',
      content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/applicationProblem' } } },
    })
    expect(responseOf('book.list', 429, options)).toEqual({
      description: 'Too many requests.',
      headers: { 'Retry-After': {} },
      content: { 'text/plain': {} },
    })
  })

  it('a status that both have: either answer', () => {
    const added = { description: 'The shop is closed.', content: { 'text/plain': {} } }
    const response = responseOf('book.create', 409, { responses: { 409: added } })
    expect(response?.description).toMatch(/^The id is taken, or the owner .* Or: The shop is closed\.$/)
    expect(Object.keys(response?.content ?? {})).toEqual(['text/plain', 'application/problem+json'])
    expect(statuses('book.list', { responses: { 409: added } })).toContain('409')
    expect(Object.keys(responseOf('book.list', 409, { responses: { 409: added } })?.content ?? {})).toEqual([
      'text/plain',
    ])
    for (const status of [403, 503]) {
      const content = responseOf('book.list', status, { responses: { [status]: added } })?.content
      expect(Object.keys(content ?? {})).toEqual(['text/plain', 'application/problem+json'])
    }
  })
})

describe('records that nobody writes', () => {
  const readOnly = defineResources({ sale: { writable: false, fields: { books: Type.Integer() } } })
  const { paths, components } = openApiOf(readOnly, { guarded: false })

  it('have the operations that read', () => {
    expect(Object.fromEntries(Object.entries(paths).map(([path, item]) => [path, Object.keys(item)]))).toEqual({
      '/api/sale': ['parameters', 'get', 'head'],
      '/api/sale/$list': ['parameters', 'post'],
      '/api/sale/{id}': ['parameters', 'get', 'head'],
    })
  })

  it('have no schemas of bodies', () => {
    const names = Object.keys(components.schemas).filter((name) => name.startsWith('sale.'))
    expect(names).toEqual(['sale.record', 'sale.page', 'sale.partial', 'sale.filter'])
  })
})

describe('records without ids', () => {
  const log = defineResources({ log: { id: false, fields: { text: Type.String() } } })
  const { paths, components } = openApiOf(log, { guarded: false, filters: 'all' })

  it('have a list, and nothing else', () => {
    expect(Object.keys(paths)).toEqual(['/api/log', '/api/log/$list'])
    expect(Object.keys(paths['/api/log'] ?? {})).toEqual(['parameters', 'get', 'head'])
  })

  it('have no id in schemas, parameters and examples', () => {
    expect(components.schemas['log.record']).toMatchObject({ properties: { text: {} }, required: ['text'] })
    expect(JSON.stringify(components)).not.toMatch(/"id"|\[id\]/)
    expect(components.schemas['log.partial']).toMatchObject({ required: [] })
  })
})
