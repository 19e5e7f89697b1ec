import { Type } from '@sinclair/typebox'
import { describe, expect, it } from 'vitest'
import { defineResources } from '../../src/model/define-resources.ts'
import type { JsonSchema } from '../../src/model/json-schema.ts'
import type { Model } from '../../src/model/model.ts'
import { knows, neededBy, needs, ownedBy, owns } from '../../src/model/relations.ts'
import { openApiOf } from '../../src/schema/openapi-of.ts'
import { library } from './library.ts'
import { componentOf, validatorOf } from './validator.ts'

/** The parameters of a list, by name. */
function parametersOf(model: Model, path: string): Record<string, JsonSchema> {
  const { paths, components } = openApiOf(model)
  const resolved = (paths[path]?.get?.parameters ?? []).map((parameter): JsonSchema => {
    if (!('$ref' in parameter)) return parameter
    return components.parameters[String(parameter.$ref).replace('#/components/parameters/', '')] ?? {}
  })
  return Object.fromEntries(resolved.map((parameter) => [parameter.name, parameter]))
}

const text = Type.String()
const shop = defineResources({
  maker: { fields: { name: text }, relations: { items: neededBy.many('item') } },
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

describe('the parameters of a list', () => {
  it('are its page, its order, filters by the id, each field that callers see and each foreign key, and its contents', () => {
    const names = ['id', 'title', 'kind', 'count', 'weight', 'price', 'soldAt', 'madeOn', 'isNew', 'size', 'cost']
    expect(Object.keys(parametersOf(shop, '/api/item'))).toEqual([
      ...['limit', 'offset', 'after', 'count', 'sort', 'filter'],
      ...[...names, 'odd name', 'makerId', 'seriesId'].map((name) => `filter[${name}]`),
      ...['fields', 'include', 'nested[parts]', 'nested[labels]'],
    ])
  })

  it('are about the records of a nested list there', () => {
    expect(parametersOf(library, '/api/book/{book_id}/chapter')).toHaveProperty(['filter[pages]'])
    const ofPart = [
      'limit',
      'offset',
      'after',
      'count',
      'sort',
      'filter',
      'filter[id]',
      'filter[title]',
      'fields',
      'include',
    ]
    expect(Object.keys(parametersOf(shop, '/api/item/{item_id}/part'))).toEqual(ofPart)
  })

  it('are shared by all resources where a name has one type', () => {
    const { paths, components } = openApiOf(shop)
    const title = { $ref: '#/components/parameters/filter.title.string' }
    for (const path of ['/api/item', '/api/item/{item_id}/part', '/api/item/{item_id}/cover']) {
      expect(paths[path]?.get?.parameters).toContainEqual(title)
    }
    expect(components.parameters).toHaveProperty(['filter.odd-20-name.string', 'name'], 'filter[odd name]')
  })

  it('have the types of the values, whatever the bounds of the field', () => {
    const types = Object.values(parametersOf(shop, '/api/item'))
      .filter(({ name }) => String(name).startsWith('filter['))
      .map(({ name, schema }) => `${name} ${(schema as { $ref: string }).$ref.replace('#/components/schemas/', '')}`)
    expect(types).toEqual([
      'filter[id] filter.integer',
      'filter[title] filter.string',
      'filter[kind] filter.string',
      'filter[count] filter.integer',
      'filter[weight] filter.number',
      'filter[price] filter.decimal',
      'filter[soldAt] filter.date-time',
      'filter[madeOn] filter.date',
      'filter[isNew] filter.boolean',
      'filter[size] filter.json',
      'filter[cost] filter.number',
      'filter[odd name] filter.string',
      'filter[makerId] filter.integer',
      'filter[seriesId] filter.integer',
    ])
  })
})

describe('the parameters of a record', () => {
  it('are its contents', () => {
    expect(Object.keys(parametersOf(shop, '/api/item/{id}'))).toEqual([
      'fields',
      'include',
      'nested[parts]',
      'nested[labels]',
    ])
  })

  it('say which records its arrays have, by relations from either side', () => {
    expect(parametersOf(shop, '/api/maker')).toHaveProperty(['nested[items]'])
    const ofParts = parametersOf(shop, '/api/item/{id}')['nested[parts]']
    expect(ofParts).toMatchObject({ style: 'deepObject', schema: { $ref: '#/components/schemas/nested' } })
    expect(componentOf(shop, 'nested')).toHaveProperty('properties.limit.maximum', 1000)
    expect(openApiOf(shop, { limits: { maxNested: 30 } }).components.schemas.nested).toHaveProperty(
      'properties.limit.maximum',
      30,
    )
    expect(wrong('nested', { limit: 5, sort: '-title', filter: '{"title":"a"}' })).toEqual([])
    for (const rows of [{}, { limit: 0 }, { offset: 1 }, { sort: ['title'] }]) {
      expect(wrong('nested', rows)).not.toEqual([])
    }
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
    expect(parameter).toMatchObject({ style: 'form', explode: false, schema: { minItems: 1, uniqueItems: true } })
  }
})

it('a sort key is a field, a path, lower(…) or count(…), with or without a minus', () => {
  const { sort } = parametersOf(shop, '/api/item')
  expect(sort).toMatchObject({ in: 'query', style: 'form', explode: false, schema: { maxItems: 5 } })
  const { items } = Object(sort).schema as { items: { pattern: string } }
  for (const key of ['title', '-title', 'maker.name', '-lower(title)', 'count(parts)'])
    expect(key).toMatch(new RegExp(items.pattern))
  for (const key of ['', 'title,count']) expect(key).not.toMatch(new RegExp(items.pattern))
})
