import { defineResources, knows, ModelError, neededBy, needs, ownedBy, owns } from '@fastify-crud/core'
import { resourceOf } from '@fastify-crud/core/internal'
import { Type } from '@sinclair/typebox'
import { expect, test } from 'vitest'

/** The problems of descriptors that a compiler would refuse, too. */
function problemsOf(descriptors: object): string[] {
  try {
    defineResources(descriptors as never)
  } catch (error) {
    if (error instanceof ModelError) return error.problems.map(({ place, message }) => `${place}: ${message}`)
    throw error
  }
  return []
}

const name = { name: Type.String() }

test('one error lists every problem of a model with its place', () => {
  const descriptors = {
    book: {
      feilds: {},
      fields: { id: Type.String(), title: Type.Date(), pages: Type.Integer({ default: 'x' }) },
      relations: { authors: needs.many('auhtor'), cover: owns.one('cover'), publisher: needs.one('publisher') },
      unique: [['titel']],
    },
    author: { fields: name },
    cover: { fields: name },
    publisher: { fields: name, relations: { books: neededBy.one('book') } },
  }
  expect(problemsOf(descriptors)).toEqual([
    "book.feilds: a resource has no 'feilds'; did you mean 'fields'?",
    "book.fields.id: a field cannot be called 'id': every record has one",
    "book.fields.title: the type 'Date' is not JSON and cannot be stored",
    'book.fields.pages: its default must be integer',
    "book.relations.authors: no resource 'auhtor'; did you mean 'author'?",
    "book.relations.cover: cover has no matching relation ownedBy('book'); 'owns' and 'ownedBy' come in pairs",
    "publisher.relations.books: neededBy.one requires needs.one('publisher', { unique: true }) at book.relations.publisher",
    "book.unique[0]: no field or relation with a foreign key 'titel'",
  ])
  expect(() => defineResources(descriptors as never)).toThrow(
    /The resource descriptors have 8 problems:\n {2}book\.feilds: /,
  )
})

test.each<[string, object, string[]]>([
  ['no resource at all', {}, ['resources: there is no resource']],
  [
    'a key that is no name',
    { 'a-b': { fields: name } },
    ['a-b: a resource key has letters, digits and _ only and does not start with a digit'],
  ],
  ['a route of several segments', { a: { route: 'x/y', fields: name } }, ["a.route: 'x/y' is not one path segment"]],
  [
    'a relation among the fields',
    { a: { fields: { ...name, others: knows.many('a') } } },
    ["a.fields.others: is a relation: declare it under 'relations'"],
  ],
  [
    'fields and relations that are not under their names',
    { a: { ...name, kind: { enum: ['x'] }, others: knows.many('a'), extra: {} } },
    [
      "a.name: a resource has no 'name'; declare a field under 'fields'",
      "a.kind: a resource has no 'kind'; declare a field under 'fields'",
      "a.others: a resource has no 'others'; declare a relation under 'relations'",
      "a.extra: a resource has no 'extra'",
    ],
  ],
  [
    'the schema of a whole record as a descriptor',
    { a: Type.Object(name) },
    ['a: a descriptor is not a schema: list each field by its name, as in fields: { title: Type.String() }'],
  ],
  [
    'the schema of a whole record as its fields',
    { a: { fields: Type.Object(name) } },
    ["a.fields: 'fields' is not a schema: list each field by its name, as in fields: { title: Type.String() }"],
  ],
  [
    'a misspelt option',
    {
      a: { relations: { b: { relation: 'owns.one', target: 'b', options: { requird: true } } } },
      b: { relations: { a: ownedBy('a') } },
    },
    ["a.relations.b: owns.one has no option 'requird'; did you mean 'required'?"],
  ],
  [
    'an option of another type',
    { a: { relations: { b: knows.one('b', { constraint: 'no' as never }) } }, b: {} },
    ["a.relations.b: 'constraint' must be true or false"],
  ],
  [
    'a column for a field that is not there',
    { a: { fields: name, columns: { nmae: 'x' } } },
    ["a.columns.nmae: no field or foreign key 'nmae'; did you mean 'name'?"],
  ],
  [
    'two fields in one column',
    { a: { fields: { x: Type.String(), y: Type.String() }, columns: { y: 'X' } } },
    ["a.y: its column 'X' is already that of 'x'"],
  ],
  [
    'a relation and a field of one name',
    { a: { fields: { b: Type.String() }, relations: { b: knows.one('a') } } },
    ["a.relations.b: a has a field or relation 'b' already"],
  ],
  [
    'an owner without its owned side',
    { a: { fields: name }, b: { relations: { a: ownedBy('a') } } },
    ["b.relations.a: a has no matching 'owns' relation; 'owns' and 'ownedBy' come in pairs"],
  ],
  [
    'two owned sides and nothing that says which',
    {
      a: { relations: { x: owns.many('b'), y: owns.many('b') } },
      b: { relations: { a: ownedBy('a'), c: ownedBy('a') } },
    },
    [
      "a.relations.x: a owns b several times; name the matching ownedBy relation with 'inverse'",
      "a.relations.y: a owns b several times; name the matching ownedBy relation with 'inverse'",
      "b.relations.a: a has no matching 'owns' relation; 'owns' and 'ownedBy' come in pairs",
      "b.relations.c: a has no matching 'owns' relation; 'owns' and 'ownedBy' come in pairs",
    ],
  ],
  [
    'neededBy.many facing a unique needs.one',
    { a: { relations: { b: needs.one('b', { unique: true }) } }, b: { relations: { as: neededBy.many('a') } } },
    ['b.relations.as: a.relations.b is unique, so at most one record needs each b: use neededBy.one'],
  ],
  [
    'two resources of one table',
    { a: { table: 't', fields: name }, b: { table: 'T', fields: name } },
    ["b.table: 'T' is the table of a already: give b a 'where' that tells their rows apart"],
  ],
  [
    'records that need each other',
    { a: { relations: { b: needs.one('b') } }, b: { relations: { a: needs.many('a') } } },
    [
      'a.relations: a first a can never be inserted: it needs b, which cannot exist before it',
      'b.relations: a first b can never be inserted: it needs a, which cannot exist before it',
    ],
  ],
  [
    'a record that needs its own child',
    { a: { relations: { best: needs.one('b'), bs: owns.many('b') } }, b: { relations: { a: ownedBy('a') } } },
    [
      'a.relations: a first a can never be inserted: it needs b, which cannot exist before it',
      'b.relations: a first b can never be inserted: its owner can never exist',
    ],
  ],
  [
    'a tree without a root',
    { a: { relations: { kids: owns.many('a'), up: ownedBy('a') } } },
    [
      "a.relations.up: a first a can never be inserted: its owner can never exist; with ownedBy('a', { optional: true }) a record without an owner is a root",
    ],
  ],
  [
    'an optional owner of another kind',
    { a: { relations: { bs: owns.many('b') } }, b: { relations: { a: ownedBy('a', { optional: true }) } } },
    ["b.relations.a: 'optional' is for a resource that owns itself; other owned records have an owner"],
  ],
  [
    'a circle of owners',
    {
      a: { relations: { bs: owns.many('b'), b: ownedBy('b', { optional: true }) } },
      b: { relations: { a: ownedBy('a'), as: owns.many('a') } },
    },
    ["a.relations.b: 'optional' is for a resource that owns itself; other owned records have an owner"],
  ],
  [
    'a circle of three owners',
    {
      a: { relations: { bs: owns.many('b'), c: ownedBy('c') } },
      b: { relations: { cs: owns.many('c'), a: ownedBy('a') } },
      c: { relations: { as: owns.many('a'), b: ownedBy('b') } },
    },
    ['a.relations: a owns b owns c owns a: a resource may own itself, but a longer circle of owners is not supported'],
  ],
  [
    'a child of its own kind that each record must have',
    { a: { relations: { kid: owns.one('a', { required: true }), up: ownedBy('a', { optional: true }) } } },
    ["a.relations.kid: 'required' is not possible here: each record would need another one below it, without end"],
  ],
  [
    "relations and foreign keys called 'id'",
    {
      a: { relations: { id: knows.one('c'), c: needs.one('c', { foreignKey: 'id' }), bs: owns.many('b') } },
      b: { relations: { a: ownedBy('a', { foreignKey: 'id' }) } },
      c: {},
    },
    [
      "a.relations.id: a relation cannot be called 'id': every record has one",
      "b.relations.a: a foreign key cannot be called 'id': every record has one",
      "a.relations.c: a foreign key cannot be called 'id': every record has one",
      "a.id: its column 'id' is already that of 'id'",
      "b.id: its column 'id' is already that of 'id'",
    ],
  ],
  [
    'a unique key over JSON',
    { a: { fields: { data: Type.Any() }, unique: [['data']] } },
    ["a.unique[0]: 'data' is JSON and cannot be part of a unique key"],
  ],
  [
    'a field of several types',
    { a: { fields: { x: Type.Union([Type.String(), Type.Number()]) } } },
    ['a.fields.x: a field is stored as one type, not as string or number; for any JSON value use Type.Any()'],
  ],
])('%s is refused', (_, descriptors, expected) => {
  expect(problemsOf(descriptors)).toEqual(expected)
})

test('the model is frozen', () => {
  const model = defineResources({ a: { fields: name } })
  expect(Object.isFrozen(model)).toBe(true)
  expect(Object.isFrozen(resourceOf(model, 'a'))).toBe(true)
  expect(Object.isFrozen(resourceOf(model, 'a').fields)).toBe(true)
})

test('the defaults of a descriptor are names made of the key and the relation', () => {
  const model = defineResources({
    book: {
      fields: name,
      relations: { tags: knows.many('tag'), next: knows.one('book'), related: knows.many('book') },
    },
    tag: { fields: name },
  })
  const { table, route, links, references } = resourceOf(model, 'book')
  expect({ table, route }).toEqual({ table: 'book', route: 'book' })
  expect(references.map((one) => [one.foreignKey, one.column])).toEqual([['nextId', 'nextId']])
  expect(links.map((one) => [one.table, one.fromColumn, one.toColumn])).toEqual([
    ['book_tags', 'bookId', 'tagId'],
    ['book_related', 'bookId', 'relatedId'],
  ])
})
