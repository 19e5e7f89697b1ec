import { defineResources, knows, ownedBy, owns } from '@fastify-crud/core'
import { expect, test } from 'vitest'
import { constraintNames } from '../src/create/constraint-names.ts'
import type { TableLayout } from '../src/layout/table-layout.ts'
import { tableLayout } from '../src/layout/tables-of-model.ts'
import { library } from './library.ts'

const layout = new Map(tableLayout(library).map((table) => [table.key, table]))

function table(key: string): TableLayout {
  const found = layout.get(key)
  if (found === undefined) throw new Error(`no table '${key}'`)
  return found
}

test('a table has the id, the fields, the owners and the references, under the names of their columns', () => {
  const columns = (key: string) => table(key).columns.map(({ name, kind, nullable }) => [name, kind, nullable])
  expect(columns('books')).toEqual([
    ['id', 'id', false],
    ['book_title', 'string', false],
    ['isbn', 'string', true],
    ['pages', 'integer', false],
    ['price', 'number', true],
    ['available', 'boolean', false],
    ['data', 'json', true],
    ['house', 'foreignKey', false],
    ['seriesId', 'foreignKey', true],
    ['sequelId', 'foreignKey', true],
  ])
  expect(columns('chapter')).toEqual([
    ['id', 'id', false],
    ['name', 'string', false],
    ['bookId', 'foreignKey', false],
  ])
})

test('a foreign key that may be null is that of an optional owner, one of several owners, and knows.one', () => {
  const nullable = [...layout.values()].flatMap(({ key, columns }) =>
    columns.filter((column) => column.kind === 'foreignKey' && column.nullable).map(({ name }) => `${key}.${name}`),
  )
  expect(nullable.sort()).toEqual([
    'address.homeOfId',
    'address.workOfId',
    'books.sequelId',
    'books.seriesId',
    'category.parentId',
    'series.firstId',
  ])
})

test('every foreign key that may not be null names an earlier table, or its own', () => {
  const seen = new Set<string>()
  for (const { key, columns, foreignKeys } of layout.values()) {
    seen.add(key)
    for (const { column, target } of foreignKeys) {
      if (columns.some(({ name, nullable }) => name === column && !nullable)) expect(seen).toContain(target)
    }
  }
})

test('what becomes of a row when the one goes that it names depends on the relation', () => {
  const fates = (key: string) =>
    Object.fromEntries(table(key).foreignKeys.map((one) => [one.column, one.whenTargetGoes]))
  expect(fates('books')).toEqual({ house: 'refuse', seriesId: 'clear', sequelId: 'clear' })
  expect(fates('chapter')).toEqual({ bookId: 'delete' })
  expect(fates('book_authors')).toEqual({ bookId: 'delete', authorId: 'refuse' })
  expect(fates('book_tag')).toEqual({ bookId: 'delete', tagId: 'delete' })
})

const uniques = (key: string) => table(key).uniques.map(({ columns }) => columns)

test('unique keys over the same columns are one, in whatever order they are named', () => {
  expect(uniques('books')).toEqual([['isbn'], ['book_title', 'house']])
})

test('a unique key is deferrable where it has a required reference or a boolean, which have no temporary values', () => {
  expect(table('books').uniques.map(({ needsDeferral }) => needsDeferral)).toEqual([false, true])
  expect(table('cover').uniques.map(({ needsDeferral }) => needsDeferral)).toEqual([false])
})

test('a record that has one owner of a kind is unique for it', () => {
  expect(uniques('cover')).toEqual([['bookId']])
  expect(uniques('imprint')).toEqual([['publisherId']])
  expect(uniques('book_editors')).toEqual([['editorId']])
})

test('a foreign key has an index of its own unless it leads the primary key or a unique key', () => {
  expect(table('books').indexes).toEqual([['house'], ['seriesId'], ['sequelId']])
  expect(table('chapter').indexes).toEqual([])
  expect(table('book_tag').indexes).toEqual([['tagId']])
  expect(table('book_editors').indexes).toEqual([])
})

test('only records with several owners have a check, and roots may have none', () => {
  expect(table('address').owners).toEqual({ columns: ['homeOfId', 'workOfId'], optional: false })
  expect([...layout.values()].filter(({ owners }) => owners !== undefined)).toHaveLength(1)
  const [, place] = tableLayout(
    defineResources({
      country: { relations: { places: owns.many('place') } },
      place: {
        relations: {
          country: ownedBy('country'),
          within: ownedBy('place', { optional: true }),
          places: owns.many('place'),
        },
      },
    }),
  )
  expect(place?.owners).toEqual({ columns: ['countryId', 'withinId'], optional: true })
})

test('names of constraints are plain, or have a part of a hash where they would be too long or the same', () => {
  const long = 'ü'.repeat(30)
  const tables = tableLayout(
    defineResources({
      a_b: { relations: { c: knows.one('c') } },
      a: { relations: { c: knows.one('c', { foreignKey: 'b_cId' }), d: knows.one('c') } },
      c: { relations: { c: knows.one('c', { foreignKey: long }) } },
    }),
  )
  const nameOf = constraintNames(tables)
  const names = tables.flatMap((one) => one.foreignKeys.map(({ column }) => nameOf(one, 'idx', [column])))
  expect(names).toEqual([
    expect.stringMatching(/^a_b_cId_[0-9a-f]{8}_idx$/),
    expect.stringMatching(/^a_b_cId_[0-9a-f]{8}_idx$/),
    'a_dId_idx',
    expect.stringMatching(/^c_ü{24}_[0-9a-f]{8}_idx$/),
  ])
  expect(new Set(names).size).toBe(4)
  expect(names.map((name) => Buffer.byteLength(name)).every((bytes) => bytes <= 63)).toBe(true)
  expect(tables.flatMap((one) => one.foreignKeys.map(({ column }) => nameOf(one, 'idx', [column])))).toEqual(names)
})
