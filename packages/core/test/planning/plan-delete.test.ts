import { defineResources, type Fact, ownedBy, owns, planDelete } from '@fastify-crud/core'
import { expect, test } from 'vitest'
import { book, inLines, library } from './library.ts'
import { undisturbed } from './undisturbed.ts'

test('links go first, then what knows is let go, then descendants, children and the record', () => {
  expect(inLines(undisturbed('delete', library, 'book', { record: book }))).toMatchInlineSnapshot(`
    [
      "unlinkAll book.authors from 1",
      "unlinkAll book.tags from 1",
      "clear book.favourite 10,11,12",
      "delete note 20",
      "delete chapter 10,11,12",
      "delete cover 8",
      "delete book 1",
    ]
  `)
})

test('what another record still needs is refused, with how many', () => {
  const needing = (resource: string, relation: string, count: number): Fact => ({
    lookup: 'needing',
    relation: { resource, relation },
    targets: [5],
    except: [],
    found: [{ target: 5, count }],
  })
  const facts = [needing('note', 'about', 2), needing('book', 'authors', 1)]
  expect(planDelete(library, 'author', { record: { id: 5, name: 'A' }, facts })).toEqual({
    refusal: {
      code: 'CRUD_ERR_STILL_NEEDED',
      detail: 'author 5 is still needed by 2 note records; author 5 is still needed by 1 book record',
      errors: [],
      blockers: [
        { resource: 'note', relation: 'about', count: 2 },
        { resource: 'book', relation: 'authors', count: 1 },
      ],
    },
  })
})

test('a child that its owner must have goes with the owner only', () => {
  const resources = defineResources({
    shop: { relations: { sign: owns.one('sign', { required: true }) } },
    sign: { relations: { shop: ownedBy('shop') } },
  })
  const owner = { relation: 'shop', id: 1 }
  expect(planDelete(resources, 'sign', { record: { id: 2 }, owner })).toMatchObject({
    refusal: {
      code: 'CRUD_ERR_STILL_NEEDED',
      detail: 'shop 1 must have its sign',
      blockers: [{ resource: 'shop', relation: 'sign', count: 1 }],
    },
  })
  expect(inLines(planDelete(resources, 'shop', { record: { id: 1, sign: { id: 2 } } }))).toEqual([
    'delete sign 2',
    'delete shop 1',
  ])
})
