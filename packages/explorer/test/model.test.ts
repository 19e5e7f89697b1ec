import { expect, test } from 'vitest'
import { choicesOf, isNullable, kindOf } from '../page/model/field-kinds.ts'
import { conditionsIn, filterPathAt, filterPaths, operatorsOf, withConditions } from '../page/model/filters.ts'
import type { ModelDocument, Schema } from '../page/model/model.ts'
import { defaultColumns, incomingOf, labelOf, spotAt } from '../page/model/names.ts'
import { columnsIn, nextSort, requestOf, sortIn, valueAt } from '../page/records/list-query.ts'

const text: Schema = { type: 'string', maxLength: 40 }
const model: ModelDocument = {
  model: 1,
  hash: 'x',
  limits: { defaultPage: 20, maxPage: 100 },
  resources: {
    book: {
      paths: ['/book'],
      id: { kind: 'integer', schema: { type: 'integer' }, assignedBy: 'database' },
      fields: {
        isbn: { schema: { ...text, pattern: '^9' } },
        title: { schema: text, required: true },
        size: { schema: { type: 'object', properties: { width: { type: 'integer' }, tags: { type: 'array' } } } },
        secret: { schema: text, writeOnly: true },
      },
      relations: {
        publisher: { kind: 'needs.one', target: 'publisher', foreignKey: 'publisherId', inverse: 'books' },
        chapters: { kind: 'owns.many', target: 'chapter', inverse: 'book', path: 'chapter' },
      },
      defaultInclude: [],
      operations: { list: true },
    },
    chapter: {
      paths: ['/book/{book_id}/chapter'],
      fields: { heading: { schema: text, required: true } },
      relations: {
        book: { kind: 'ownedBy', target: 'book', inverse: 'chapters', foreignKey: 'bookId' },
        artist: { kind: 'knows.one', target: 'publisher', foreignKey: 'artistId' },
      },
      defaultInclude: [],
      operations: { list: true },
    },
    publisher: {
      paths: ['/publisher'],
      fields: { name: { schema: text } },
      relations: {},
      defaultInclude: [],
      operations: {},
    },
  },
}

test.each<[Schema, string, boolean]>([
  [{ type: 'string' }, 'long', false],
  [{ type: 'string', maxLength: 100 }, 'text', false],
  [{ type: ['string', 'null'], format: 'date' }, 'date', true],
  [{ anyOf: [{ type: 'string', format: 'decimal' }, { type: 'null' }] }, 'decimal', true],
  [{ type: ['integer', 'null'] }, 'integer', true],
  [{ enum: ['a', 'b', null] }, 'enum', true],
  [
    {
      anyOf: [
        { const: 'a', type: 'string' },
        { const: 'b', type: 'string' },
      ],
    },
    'enum',
    false,
  ],
  [{ type: 'string', contentEncoding: 'base64' }, 'bytes', false],
  [{ type: 'array', items: { type: 'string' } }, 'json', false],
  [{}, 'json', false],
])('%j is %s', (schema, kind, isNull) => {
  expect([kindOf(schema), isNullable(schema)]).toEqual([kind, isNull])
})

test('a field of a few values has choices, without null', () => {
  expect(choicesOf({ enum: ['a', null] })).toEqual(['a'])
  expect(choicesOf({ anyOf: [{ const: 1 }, { const: 2 }, { type: 'null' }] })).toEqual([1, 2])
  expect(choicesOf({ type: 'string' })).toBeUndefined()
})

test('each kind of values has its operators, and null those that have a null', () => {
  expect(operatorsOf('boolean', {})).toEqual(['eq'])
  expect(operatorsOf('json', { items: {} })).toEqual(['has'])
  expect(operatorsOf('date', { type: ['string', 'null'] })).toEqual([
    'eq',
    'ne',
    'lt',
    'lte',
    'gt',
    'gte',
    'in',
    'nin',
    'null',
  ])
  expect(operatorsOf('text', {})).toHaveLength(14)
})

test('filters lead into related records and into JSON, and never to what nobody may read', () => {
  const paths = filterPaths(model, 'book').map(({ path }) => path)
  expect(paths).toEqual(
    expect.arrayContaining(['title', 'size.width', 'id', 'publisher.name', 'chapters.heading', 'chapters.artist.name']),
  )
  expect(paths.filter((path) => /secret|tags/.test(path))).toEqual([])
  expect(filterPathAt(model, 'book', 'chapters.artist.name')).toMatchObject({ kind: 'text' })
  expect(filterPathAt(model, 'book', 'chapters.colour')).toBeUndefined()
})

test('conditions are in the address as the service takes them', () => {
  const query = new URLSearchParams(
    'sort=title&filter[size.width][gte]=8&filter[title]=Ink&filter[id][in]=1&filter[id][in]=2',
  )
  const conditions = conditionsIn(query)
  expect(conditions).toEqual([
    { path: 'size.width', operator: 'gte', values: ['8'] },
    { path: 'title', operator: 'eq', values: ['Ink'] },
    { path: 'id', operator: 'in', values: ['1', '2'] },
  ])
  expect([...withConditions(query, conditions)]).toEqual([...query])
  expect(withConditions(query, []).toString()).toBe('sort=title')
})

test('a heading sorts up, down and not at all, with Shift beside others', () => {
  expect(nextSort(sortIn(new URLSearchParams('')), 'title', false)).toBe('title')
  expect(nextSort(sortIn(new URLSearchParams('sort=title')), 'title', false)).toBe('-title')
  expect(nextSort(sortIn(new URLSearchParams('sort=-title')), 'title', false)).toBe('')
  expect(nextSort(sortIn(new URLSearchParams('sort=-title')), 'isbn', true)).toBe('-title,isbn')
})

test('a list asks for its columns, and its first page for a count that costs little', () => {
  const query = new URLSearchParams('search=ink')
  const columns = columnsIn(model, 'book', query)
  expect(columns).toEqual(['title', 'publisher.name', 'isbn'])
  expect(requestOf(query, columns, 100, undefined)).toBe(
    'search=ink&fields=title%2Cpublisher.name%2Cisbn&limit=100&count=1000',
  )
  expect(requestOf(query, columns, 100, 'x')).toBe('search=ink&fields=title%2Cpublisher.name%2Cisbn&limit=100&after=x')
  expect(valueAt({ publisher: { name: 'Quill' } }, 'publisher.name')).toBe('Quill')
  expect(valueAt({ publisher: null }, 'publisher.name')).toBeUndefined()
  expect(valueAt({ 'count(chapters)': 3 }, 'count(chapters)')).toBe(3)
})

test('a path leads to a list or a record, with all owners on the way', () => {
  expect(spotAt(model, '/book')).toMatchObject({ resource: 'book', collection: '/book' })
  expect(spotAt(model, '/book/7/chapter/a%2Fb')).toEqual({
    resource: 'chapter',
    collection: '/book/7/chapter',
    id: 'a/b',
    chain: [
      { resource: 'book', collection: '/book', id: '7' },
      { resource: 'chapter', collection: '/book/7/chapter', id: 'a/b' },
    ],
  })
  expect(spotAt(model, '/soap/7')).toBeUndefined()
})

test('records are called by the field that people know', () => {
  expect(labelOf(model.resources.book as never)).toBe('title')
  expect(labelOf(model.resources.chapter as never)).toBe('heading')
  expect(defaultColumns(model, 'publisher')).toEqual(['name'])
})

test('records that refer to one are listed where they are, or by their owners', () => {
  expect(incomingOf(model, 'publisher')).toEqual([
    {
      resource: 'book',
      relation: 'publisher',
      kind: 'needs.one',
      list: { resource: 'book', path: '/book', filter: 'publisherId' },
    },
    {
      resource: 'chapter',
      relation: 'artist',
      kind: 'knows.one',
      list: { resource: 'book', path: '/book', filter: 'chapters.artistId' },
    },
  ])
})
