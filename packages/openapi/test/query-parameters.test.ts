import { Type } from '@sinclair/typebox'
import { describe, expect, it } from 'vitest'
import { defineResources } from '../../core/src/model/define/define-resources.ts'
import { knows, neededBy, needs, ownedBy, owns } from '../../core/src/model/descriptors/relations.ts'
import type { Model } from '../../core/src/model/model.ts'
import type { JsonSchema } from '../../core/src/model/values/schema-facts.ts'
import { openApiOf } from '../src/document/openapi-of.ts'
import type { OpenApiOptions } from '../src/openapi-options.ts'
import { library } from './library.ts'
import { componentOf, validatorOf } from './validator.ts'

/** The parameters of a list, by name. */
function parametersOf(model: Model, path: string, options?: OpenApiOptions): Record<string, JsonSchema> {
  const { paths, components } = openApiOf(model, options)
  const resolved = (paths[path]?.get?.parameters ?? []).map((parameter): JsonSchema => {
    if (!('$ref' in parameter)) return parameter
    return components.parameters[String(parameter.$ref).replace('#/components/parameters/', '')] ?? {}
  })
  return Object.fromEntries(resolved.map((parameter) => [parameter.name, parameter]))
}

const text = Type.String()
const shop = defineResources({
  maker: { fields: { name: text }, relations: { items: neededBy.many('item') }, search: { fields: ['name'] } },
  label: { fields: { word: text } },
  item: {
    fields: {
      title: Type.String({ minLength: 3 }),
      kind: Type.Union([Type.Literal('a'), Type.Literal('b')]),
      count: Type.Integer({ minimum: 0 }),
      weight: Type.Optional(Type.Number()),
      price: Type.String({ format: 'decimal' }),
      soldAt: Type.Optional(Type.String({ format: 'date-time' })),
      madeOn: Type.Optional(Type.String({ format: 'date' })),
      isNew: Type.Boolean(),
      size: Type.Object({ width: Type.Number() }),
      pin: Type.Optional(Type.String({ writeOnly: true })),
      cost: Type.Optional(Type.Number({ access: { View: ['staff'] } })),
      inner: Type.Optional(Type.Number({ access: { View: [] } })),
      'odd name': Type.Optional(text),
    },
    relations: {
      maker: needs.one('maker'),
      labels: knows.many('label'),
      series: knows.one('item'),
      parts: owns.many('part'),
      cover: owns.one('cover'),
    },
  },
  part: { fields: { title: text }, relations: { item: ownedBy('item') } },
  cover: { fields: { title: text }, relations: { item: ownedBy('item') } },
})

const text3 = ['gte', 'lte', 'in', 'icontains']
const COMMON: Readonly<Record<string, readonly string[]>> = {
  title: text3,
  kind: text3,
  'odd name': text3,
  isNew: ['in'],
  size: [],
}
/** JSON has no value to compare with. */
const equal = (name: string): readonly string[] => (name === 'size' ? [] : [`filter[${name}]`])
const nested = (name: string): readonly string[] => ['limit', 'sort', 'filter'].map((one) => `nested[${name}][${one}]`)

describe('the parameters of a list', () => {
  it('are its page, its order, filters by the id, each field that callers see and each foreign key, and its contents', () => {
    const names = ['id', 'title', 'kind', 'count', 'weight', 'price', 'soldAt', 'madeOn', 'isNew', 'size', 'cost']
    expect(Object.keys(parametersOf(shop, '/api/item'))).toEqual([
      ...['limit', 'after', 'offset', 'count', 'sort', 'filter'],
      ...[...names, 'odd name', 'makerId', 'seriesId'].flatMap((name) =>
        equal(name).concat((COMMON[name] ?? ['gte', 'lte', 'in']).map((one) => `filter[${name}][${one}]`)),
      ),
      ...['fields', 'include', ...nested('parts'), ...nested('labels')],
    ])
  })

  it('are about the records of a nested list there', () => {
    expect(parametersOf(library, '/api/book/{book_id}/chapter')).toHaveProperty(['filter[pages]'])
    const ofPart = [
      'limit',
      'after',
      'offset',
      'count',
      'sort',
      'filter',
      'filter[id]',
      'filter[id][gte]',
      'filter[id][lte]',
      'filter[id][in]',
      'filter[title]',
      'filter[title][gte]',
      'filter[title][lte]',
      'filter[title][in]',
      'filter[title][icontains]',
      'fields',
      'include',
    ]
    expect(Object.keys(parametersOf(shop, '/api/item/{item_id}/part'))).toEqual(ofPart)
  })

  it('have a search where the descriptor has one', () => {
    const { search } = parametersOf(shop, '/api/maker')
    expect(search).toMatchObject({ in: 'query', schema: { type: 'string', pattern: '\\S' } })
    expect(Object.keys(parametersOf(shop, '/api/maker/{id}'))).not.toContain('search')
  })

  it('are the same in a write of all records that match', () => {
    const { paths } = openApiOf(shop)
    const filters = (method: 'get' | 'patch' | 'delete') =>
      (paths['/api/item']?.[method]?.parameters ?? []).filter((one) =>
        /filter/.test(String('name' in one ? one.name : one.$ref)),
      )
    const ofList = filters('get').filter((one) => !/nested/.test(JSON.stringify(one)))
    expect(ofList.length).toBeGreaterThan(20)
    expect(filters('patch')).toEqual(ofList)
    expect(filters('delete')).toEqual(ofList)
  })

  it('are shared by all resources where a name has one type', () => {
    const { paths, components } = openApiOf(shop)
    const title = { $ref: '#/components/parameters/filter.title' }
    for (const path of ['/api/item', '/api/item/{item_id}/part', '/api/item/{item_id}/cover']) {
      expect(paths[path]?.get?.parameters).toContainEqual(title)
    }
    expect(components.parameters).toHaveProperty(['filter.odd-20-name', 'name'], 'filter[odd name]')
  })

  it('have the types of the values, whatever the bounds of the field', () => {
    const types = Object.values(parametersOf(shop, '/api/item'))
      .filter(({ name }) => /^filter\[[^\]]*\]$/.test(String(name)))
      .map(({ name, schema }) => `${name} ${Object.values(Object(schema)).join(' ')}`)
    expect(types).toEqual([
      'filter[id] integer',
      'filter[title] string',
      'filter[kind] string',
      'filter[count] integer',
      'filter[weight] number',
      'filter[price] string decimal',
      'filter[soldAt] string date-time',
      'filter[madeOn] string date',
      'filter[isNew] boolean',
      'filter[cost] number',
      'filter[odd name] string',
      'filter[makerId] integer',
      'filter[seriesId] integer',
    ])
  })

  it('repeat their name for each value of `in`', () => {
    expect(parametersOf(shop, '/api/item')['filter[count][in]']).toEqual({
      name: 'filter[count][in]',
      in: 'query',
      style: 'form',
      explode: true,
      schema: { type: 'array', items: { type: 'integer' }, maxItems: 500 },
    })
  })

  it('have the filter in JSON as a text, with the schema of what is in it', () => {
    expect(parametersOf(shop, '/api/item').filter?.schema).toEqual({
      type: 'string',
      contentMediaType: 'application/json',
      contentSchema: { $ref: '#/components/schemas/item.filter' },
    })
  })

  it('have all operators, or few of them, if the options say so', () => {
    const all = Object.keys(parametersOf(shop, '/api/item', { filters: 'all' }))
    expect(all).toEqual(
      expect.arrayContaining(['filter[weight][null]', 'filter[title][startsWith]', 'filter[size][null]']),
    )
    const few = Object.keys(parametersOf(shop, '/api/maker', { filters: 'few' }))
    const own = ['filter[id]', 'filter[id][in]', 'filter[name]']
    expect(few).toEqual(['limit', 'after', 'offset', 'count', 'sort', 'filter', 'search', ...own, 'fields', 'include'])
  })

  it('have a name of their own where a field of one name has two types', () => {
    const twoTypes = defineResources({ a: { fields: { size: Type.Number() } }, b: { fields: { size: Type.String() } } })
    expect(parametersOf(twoTypes, '/api/a')['filter[size][gte]']?.schema).toEqual({ type: 'number' })
    expect(parametersOf(twoTypes, '/api/b')['filter[size][gte]']?.schema).toEqual({ type: 'string' })
  })

  it('have no contents where the document is about whole records only', () => {
    const names = Object.keys(parametersOf(shop, '/api/item', { partial: false }))
    expect(names.filter((name) => /^(?:fields|include|nested)/.test(name))).toEqual([])
    expect(openApiOf(shop, { partial: false }).components.schemas).not.toHaveProperty(['item.partial'])
  })
})

describe('the parameters of a record', () => {
  it('are its contents', () => {
    expect(Object.keys(parametersOf(shop, '/api/item/{id}'))).toEqual([
      'fields',
      'include',
      ...nested('parts'),
      ...nested('labels'),
    ])
  })

  it('say which records its arrays have, by relations from either side', () => {
    const { 'nested[items][limit]': limit, 'nested[items][filter]': filter } = parametersOf(shop, '/api/maker')
    expect(limit?.schema).toEqual({ type: 'integer', minimum: 1, maximum: 1000 })
    expect(filter?.schema).toEqual({ type: 'string', contentMediaType: 'application/json' })
    const fewer = parametersOf(shop, '/api/maker', { limits: { maxNested: 30 } } as OpenApiOptions)
    expect(fewer['nested[items][limit]']).toHaveProperty('schema.maximum', 30)
  })
})

const wrong = validatorOf(shop)

describe('a value that filters compare', () => {
  it.each<[schema: string, operators: readonly string[]]>([
    ['filter.boolean', ['eq', 'ne', 'in', 'nin', 'null']],
    ['filter.integer', ['eq', 'ne', 'in', 'nin', 'null', 'lt', 'lte', 'gt', 'gte']],
    ['filter.json', ['null']],
  ])('has the operators of its type: %s', (name, operators) => {
    const schema = componentOf(shop, name)
    const [, ofOperators = schema] = (schema.anyOf ?? []) as JsonSchema[]
    expect(Object.keys(Object(ofOperators.properties))).toEqual(operators)
  })

  it.each<[schema: string, good: readonly unknown[], bad: readonly unknown[]]>([
    [
      'filter.string',
      ['', { startsWith: 'a', ne: 'b' }, { in: [] }, { null: true }],
      [1, null, {}, { in: 'a' }, { like: 'a' }],
    ],
    ['filter.integer', [-1, { lt: 5 }, { nin: [1, 2] }], ['1', 1.5, { contains: 1 }, { null: 1 }]],
    ['filter.number', [1.5, { gte: -0.5 }], [true, { in: [null] }]],
    ['filter.decimal', ['12.50', { lte: '1' }], [12.5, 'x']],
    ['filter.date-time', ['2026-01-01T12:00:00Z'], ['2026-01-01']],
    ['filter.date', [{ gt: '2026-01-01' }], ['2026-02-30']],
    ['filter.boolean', [true, { ne: false }], ['true', { gt: true }]],
    ['filter.json', [{ null: false }], [{ eq: 1 }, 'x', {}]],
  ])('is as the service takes it: %s', (name, good, bad) => {
    for (const value of good) expect(wrong(name, value), JSON.stringify(value)).toEqual([])
    for (const value of bad) expect(wrong(name, value), JSON.stringify(value)).not.toEqual([])
  })
})

describe('a filter in JSON', () => {
  it.each([
    {},
    { title: 'a', price: { gte: '5' } },
    { or: [{ title: 'a' }, { not: { makerId: 1 } }], and: [] },
    { 'maker.name': 'a', 'size.width': { gte: 1 }, 'series.labels': { none: {} } },
    { labels: { some: { word: 'a' }, none: { word: { contains: 'b' } } }, parts: { every: { 'item.title': 'a' } } },
  ])('may be %j', (filter) => {
    expect(wrong('item.filter', filter)).toEqual([])
  })

  it.each([
    { titel: 'a' },
    { pin: 'a' },
    { title: 1 },
    { maker: { name: 'a' } },
    { series: { some: {} } },
    { or: { title: 'a' } },
    { not: [] },
    { labels: {} },
    { labels: { word: 'a' } },
    { labels: { some: { word: 1 } } },
    [],
  ])('may not be %j', (filter) => {
    expect(wrong('item.filter', filter)).not.toEqual([])
  })

  it('reaches the records of either side of a relation, and of a tree', () => {
    expect(wrong('maker.filter', { items: { some: { title: 'a' } } })).toEqual([])
    expect(wrong('maker.filter', { items: { some: { title: 1 } } })).not.toEqual([])
    const wrongInLibrary = validatorOf(library)
    const tree = { categories: { some: { categories: { none: { name: 'a' } } } } }
    expect(wrongInLibrary('category.filter', tree)).toEqual([])
    expect(wrongInLibrary('person.filter', { homes: { some: { street: 'a' } }, works: { none: {} } })).toEqual([])
  })
})

it('fields and relations are names, joined by commas', () => {
  const { fields, include } = parametersOf(shop, '/api/item')
  for (const parameter of [fields, include]) {
    const { type, pattern } = Object(parameter?.schema)
    expect(type).toBe('string')
    for (const names of ['parts', 'parts,labels', 'count(parts)']) expect(names).toMatch(new RegExp(pattern))
    for (const names of ['', 'parts,', ',parts']) expect(names).not.toMatch(new RegExp(pattern))
  }
})

it('a sort key is a field, a path, lower(…) or count(…), with or without a minus', () => {
  const { sort } = parametersOf(shop, '/api/item')
  const { type, pattern } = Object(sort?.schema)
  expect(type).toBe('string')
  for (const keys of ['title', '-title', 'maker.name', '-lower(title)', 'count(parts)', 'a,-b,c,d,-e'])
    expect(keys).toMatch(new RegExp(pattern))
  for (const keys of ['', 'a,', 'a,b,c,d,e,f']) expect(keys).not.toMatch(new RegExp(pattern))
})
