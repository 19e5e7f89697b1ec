import { Type } from '@sinclair/typebox'
import type { Generated, Insertable, Kysely, Selectable, Updateable } from 'kysely'
import * as typebox1 from 'typebox'
import { describe, expectTypeOf, test } from 'vitest'
import { defineResources, knows, type Model, needs, ownedBy, owns, type ResourceDescriptor } from '../../src/index.ts'
import type { TablesOf } from '../../src/model/types/tables-of.ts'
import type { bookshop } from './bookshop.ts'

type Sqlite = TablesOf<typeof bookshop, 'sqlite'>
type Postgres = TablesOf<typeof bookshop, 'postgres'>
type Either = TablesOf<typeof bookshop>

describe('The tables of a model', () => {
  test('are called as the descriptors say, link tables included', () => {
    expectTypeOf<keyof Sqlite>().toEqualTypeOf<
      | 'books'
      | 'publisher'
      | 'author'
      | 'series'
      | 'tag'
      | 'cover'
      | 'blurb'
      | 'chapter'
      | 'paragraph'
      | 'category'
      | 'person'
      | 'address'
      | 'book_authors'
      | 'book_tags'
    >()
    expectTypeOf<keyof Postgres>().toEqualTypeOf<keyof Sqlite>()
  })

  test('have an id that the database gives, the fields, and the foreign keys of all relations', () => {
    expectTypeOf<Sqlite['author']>().toEqualTypeOf<{ id: Generated<number>; name: string; born: string | null }>()
    expectTypeOf<Sqlite['tag']>().toEqualTypeOf<{ id: Generated<number> }>()
    expectTypeOf<Sqlite['chapter']>().toEqualTypeOf<{
      id: Generated<number>
      title: string
      partOf: number
      drawnBy: number
    }>()
    expectTypeOf<Selectable<Sqlite['books']>>().toEqualTypeOf<{
      id: number
      title: string
      price: number | null
      binding: 'soft' | 'hard'
      notes: string | null
      size: string | null
      edition: number
      pages: number
      publisherId: number
      translatedBy: number | null
      seriesId: number | null
    }>()
  })

  test('have two columns where they are of links', () => {
    expectTypeOf<Sqlite['book_authors']>().toEqualTypeOf<{ bookId: number; authorId: number }>()
    expectTypeOf<Postgres['book_tags']>().toEqualTypeOf<{ bookId: number; tagId: number }>()
  })

  test('have foreign keys that may be null where a record may be a root, or has several owners', () => {
    expectTypeOf<Sqlite['category']['parentId']>().toEqualTypeOf<number | null>()
    expectTypeOf<Selectable<Sqlite['address']>>().toEqualTypeOf<{
      id: number
      city: string
      homeOfId: number | null
      workOfId: number | null
    }>()
  })
})

const renamed = defineResources({
  person: {
    table: 'shop.people',
    columns: { id: 'person_id', name: 'full_name', bossId: 'boss_id', teamId: 'team_id' },
    fields: { name: Type.String() },
    relations: {
      boss: knows.one('person'),
      team: ownedBy('team'),
      friends: knows.many('person'),
      mentors: knows.many('person', { through: 'mentoring', from: 'pupil', to: 'mentor' }),
      clubs: needs.many('club', { through: 'membership' }),
    },
  },
  team: { relations: { people: owns.many('person') } },
  club: {},
})

test('Names that a descriptor chooses are those of the tables and columns', () => {
  type Tables = TablesOf<typeof renamed, 'postgres'>
  expectTypeOf<Tables>().toEqualTypeOf<{
    'shop.people': { person_id: Generated<number>; full_name: string; boss_id: number | null; team_id: number }
    team: { id: Generated<number> }
    club: { id: Generated<number> }
    person_friends: { personId: number; friendsId: number }
    mentoring: { pupil: number; mentor: number }
    membership: { personId: number; clubId: number }
  }>()
})

const kinds = defineResources({
  typebox: {
    fields: {
      flag: Type.Boolean(),
      perhaps: Type.Optional(Type.Boolean()),
      any: Type.Any(),
      list: Type.Array(Type.String()),
      maybe: Type.Union([Type.Object({ a: Type.Number() }), Type.Null()]),
      choice: Type.Union([Type.Literal(1), Type.Literal(2)]),
      unsafe: Type.Unsafe<'x' | 'y'>({ type: 'string', enum: ['x', 'y'] }),
    },
  },
  newer: {
    fields: {
      flag: typebox1.Type.Boolean(),
      any: typebox1.Type.Any(),
      list: typebox1.Type.Optional(typebox1.Type.Array(typebox1.Type.String())),
    },
  },
  plain: {
    fields: {
      flag: { type: ['boolean', 'null'] },
      on: { type: 'string', format: 'date' },
      size: { enum: ['s', 'm'] },
      bytes: { type: ['string', 'null'], contentEncoding: 'base64' },
      any: {},
    },
  },
})

describe('The values of columns', () => {
  test('on SQLite are 0 and 1 for booleans, and text for JSON', () => {
    type Tables = TablesOf<typeof kinds, 'sqlite'>
    expectTypeOf<Selectable<Tables['typebox']>>().toEqualTypeOf<{
      id: number
      flag: 0 | 1
      perhaps: 0 | 1 | null
      any: string
      list: string
      maybe: string | null
      choice: 1 | 2
      unsafe: 'x' | 'y'
    }>()
    expectTypeOf<Selectable<Tables['newer']>>().toEqualTypeOf<{
      id: number
      flag: 0 | 1
      any: string
      list: string | null
    }>()
    expectTypeOf<Selectable<Tables['plain']>>().toEqualTypeOf<{
      id: number
      flag: 0 | 1 | null
      on: string
      size: 's' | 'm'
      bytes: Uint8Array | null
      any: string
    }>()
  })

  test('on PostgreSQL are booleans, and JSON as it is parsed, which is written as text', () => {
    type Tables = TablesOf<typeof kinds, 'postgres'>
    expectTypeOf<Selectable<Tables['typebox']>>().toEqualTypeOf<{
      id: number
      flag: boolean
      perhaps: boolean | null
      // biome-ignore lint/suspicious/noExplicitAny: what TypeBox calls any
      any: any
      list: string[]
      maybe: { a: number } | null
      choice: 1 | 2
      unsafe: 'x' | 'y'
    }>()
    expectTypeOf<{ flag: boolean; any: string }>().toExtend<Insertable<Tables['newer']>>()
    expectTypeOf<{ flag: boolean; any: string[] }>().not.toExtend<Insertable<Tables['newer']>>()
    expectTypeOf<Insertable<Tables['newer']>['list']>().toEqualTypeOf<string | null | undefined>()
    expectTypeOf<Updateable<Tables['plain']>['on']>().toEqualTypeOf<string | undefined>()
  })

  test('are those of either database where none is named', () => {
    type Tables = TablesOf<typeof kinds>
    expectTypeOf<Selectable<Tables['typebox']>['flag']>().toEqualTypeOf<0 | 1 | boolean>()
    expectTypeOf<Selectable<Either['books']>['size']>().toEqualTypeOf<
      string | { width: number; height?: number } | null
    >()
  })
})

test('What is misspelt is a compile error', () => {
  // Not to be called: this is for the compiler.
  const queries = (db: Kysely<Sqlite>) => [
    db.selectFrom('books').select(['id', 'title', 'publisherId']),
    db.insertInto('author').values({ name: 'Ada' }),
    db.insertInto('book_tags').values({ bookId: 1, tagId: 2 }),
    // @ts-expect-error no such column
    db.selectFrom('books').select('titel'),
    // @ts-expect-error the resource's key is not its table
    db.selectFrom('book'),
    // @ts-expect-error a required column is missing
    db.insertInto('books').values({ title: 'Plans' }),
    // @ts-expect-error a relation is not a column
    db.selectFrom('books').select('publisher'),
  ]
  expectTypeOf(queries).toBeFunction()
})

test('A model that is not known at compile time has tables of any name', () => {
  expectTypeOf<TablesOf<Model, 'sqlite'>>().toEqualTypeOf<Record<string, Record<string, unknown>>>()
})

test('A descriptor in a file of its own keeps the names that it gives', () => {
  const album = {
    table: 'albums',
    columns: { title: 'album_title' },
    fields: { title: Type.String() },
  } satisfies ResourceDescriptor
  const resources = defineResources({ album })
  expectTypeOf<TablesOf<typeof resources>>().toEqualTypeOf<{
    albums: { id: Generated<number>; album_title: string }
  }>()
})

test('Resources that share a table give it all of their columns, and the constants', () => {
  const resources = defineResources({
    admin: { table: 'person', where: { type: 'Admin' }, fields: { name: Type.String(), level: Type.Integer() } },
    member: { table: 'person', where: { type: 'Member' }, fields: { name: Type.String() } },
    file: { where: { isFolder: false } },
  })
  expectTypeOf<TablesOf<typeof resources, 'sqlite'>>().toEqualTypeOf<{
    person: { id: Generated<number>; name: string; type: 'Admin' | 'Member'; level: number | null }
    file: { id: Generated<number>; isFolder: number }
  }>()
})

test('A name that is any string is left out', () => {
  const table: string = 'albums'
  const resources = defineResources({ album: { table, fields: { title: Type.String() } }, artist: {} })
  expectTypeOf<keyof TablesOf<typeof resources>>().toEqualTypeOf<'artist'>()
})
