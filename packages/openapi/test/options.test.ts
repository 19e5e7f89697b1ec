import { Type } from '@sinclair/typebox'
import { describe, expect, it } from 'vitest'
import { defineResources } from '../../core/src/model/define/define-resources.ts'
import { knows } from '../../core/src/model/descriptors/relations.ts'
import { openApiOf } from '../src/document/openapi-of.ts'
import type { OpenApiOptions } from '../src/openapi-options.ts'
import { library } from './library.ts'

const textOf = (options: OpenApiOptions) => JSON.stringify(openApiOf(library, options))

describe('an option', () => {
  it('leaves HEAD out', () => {
    expect(Object.values(openApiOf(library).paths).some(({ head }) => head !== undefined)).toBe(true)
    const { paths, components } = openApiOf(library, { head: false })
    expect(Object.values(paths).some(({ head }) => head !== undefined)).toBe(false)
    expect(components.responses).not.toHaveProperty('Head')
  })

  it('leaves the addresses of links out', () => {
    const linked = Object.keys(openApiOf(library).paths).filter((path) => path.startsWith('/api/book/{id}/'))
    expect(linked).toEqual([
      '/api/book/{id}/authors',
      '/api/book/{id}/authors/{author_id}',
      '/api/book/{id}/tags',
      '/api/book/{id}/tags/{tag_id}',
    ])
    const paths = Object.keys(openApiOf(library, { links: false }).paths)
    expect(paths.filter((path) => /\{id\}\//.test(path))).toEqual([])
  })

  it('leaves the examples of schemas out', () => {
    const withExamples = Object.values(openApiOf(library, { examples: false }).components.schemas).filter(
      ({ examples }) => examples !== undefined,
    )
    expect(withExamples).toEqual([])
    expect(textOf({}).length).toBeGreaterThan(textOf({ examples: false }).length)
  })

  it.each<[option: object, message: RegExp]>([
    [{ head: 'no' }, /^options\.head: must be true or false/],
    [{ examples: 1 }, /^options\.examples: must be true or false/],
    [{ partial: null }, /^options\.partial: must be true or false/],
    [{ filters: 'some' }, /^options\.filters: there is no 'some'; there are few, common, all/],
    [{ describes: ['list'] }, /^options\.describes: must be a function/],
  ])('is refused where it makes no sense: %j', (option, message) => {
    expect(() => openApiOf(library, option as OpenApiOptions)).toThrow(message)
  })
})

describe('a component', () => {
  it('is called by a word, as generated code names types after it', () => {
    const { responses, parameters, headers } = openApiOf(library, { responses: { 401: 'No token.' } }).components
    for (const name of Object.keys({ ...responses, ...parameters, ...headers })) expect(name).toMatch(/^[A-Za-z]/)
    expect(Object.keys(responses)).toEqual(
      expect.arrayContaining(['Invalid', 'InvalidBody', 'NotFound', 'NotModified', 'NoContent', 'Error', 'Status401']),
    )
  })
})

describe('a document of more than 100 resources', () => {
  const resources = defineResources(
    Object.fromEntries(
      Array.from({ length: 101 }, (_, n) => [
        `r${n}`,
        { fields: { name: Type.String(), size: Type.Integer() }, relations: { links: knows.many('r0') } },
      ]),
    ),
  )

  it('says less: no HEAD, no addresses of links, no examples, few filters', () => {
    const { paths, components } = openApiOf(resources)
    expect(paths).not.toHaveProperty(['/api/r1/{id}/links'])
    expect(paths['/api/r1']).not.toHaveProperty('head')
    expect(components.schemas['r1.record']).not.toHaveProperty('examples')
    const filters = Object.keys(components.parameters).filter((name) => name.startsWith('filter'))
    expect(filters).toEqual(['filter.id', 'filter.id.in', 'filter.name', 'filter.size'])
  })

  it('says as much as a smaller one if it is told to', () => {
    const { paths, components } = openApiOf(resources, { head: true, links: true, examples: true, filters: 'common' })
    expect(paths['/api/r1/{id}/links']).toHaveProperty('head')
    expect(paths['/api/r1']).toHaveProperty('head')
    expect(components.schemas['r1.record']).toHaveProperty('examples')
    expect(components.parameters).toHaveProperty(['filter.size.gte'])
  })
})
