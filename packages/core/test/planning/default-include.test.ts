import { defineResources, knows, ownedBy, owns, planDelete, planReplace } from '@fastify-crud/core'
import { Type } from '@sinclair/typebox'
import { expect, test } from 'vitest'
import { inLines } from './library.ts'
import { undisturbed } from './undisturbed.ts'

const name = Type.String()
const library = defineResources({
  library: {
    fields: { name },
    relations: { shelves: owns.many('shelf'), tags: knows.many('tag') },
    defaultInclude: ['shelves'],
  },
  shelf: { fields: { name }, relations: { library: ownedBy('library'), books: owns.many('book') }, defaultInclude: [] },
  book: { fields: { name }, relations: { shelf: ownedBy('shelf') } },
  tag: { fields: { name } },
})

const shelf = { id: 2, name: 's', books: [{ id: 3, name: 'b' }] }
const record = { id: 1, name: 'l', shelves: [shelf] }

test('PUT leaves alone what a record does not carry and the body does not name', () => {
  const body = { name: 'l', shelves: [{ id: 2, name: 's' }] }
  expect(inLines(undisturbed('replace', library, 'library', { record }, body))).toEqual([])
})

test('PUT removes what a removed record owns, carried or not', () => {
  const body = { name: 'l', shelves: [] }
  expect(inLines(undisturbed('replace', library, 'library', { record }, body))).toEqual([
    'delete book 3',
    'delete shelf 2',
  ])
})

test('a record that lacks what the plan needs is a mistake of the calling code, which is named', () => {
  const lacking = { ...record, shelves: [{ id: 2, name: 's' }] }
  expect(() => planReplace(library, 'library', { record: lacking }, record)).toThrow(
    "record.shelves[0] lacks 'books'; give the shelf with it",
  )
  expect(() => planReplace(library, 'library', { record }, { ...record, tags: [] })).toThrow("record lacks 'tags'")
  expect(planReplace(library, 'library', { record: { ...record, tags: [] } }, { ...record, tags: [] })).toHaveProperty(
    'plan',
  )
  expect(() => planDelete(library, 'library', { record: lacking })).toThrow("record.shelves[0] lacks 'books'")
})
