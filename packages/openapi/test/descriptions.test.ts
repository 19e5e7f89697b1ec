import { expect, it } from 'vitest'
import { openApiOf } from '../src/document/openapi-of.ts'
import { library } from './library.ts'

const operations = Object.values(openApiOf(library).paths).flatMap(({ parameters, ...item }) => Object.values(item))

function at(name: string) {
  const found = operations.find(({ operationId }) => operationId === name)
  if (found === undefined) throw new TypeError(`no operation '${name}'`)
  return found
}

it('the summary says what is done to what', () => {
  expect(at('book.list').summary).toBe('List book records')
  expect(at('book.listHead').summary).toBe('List book records, headers only')
  expect(at('book.chapters.create').summary).toBe('Create one chapter record of one book')
  expect(at('person.homes.patch').summary).toBe('Change one address record of one person (homes)')
  expect(at('book.chapters.list').tags).toEqual(['chapter'])
})

it('the description of DELETE says what happens to related records', () => {
  expect(at('book.delete').description).toBe(
    'Deletes the record and everything that it owns, to any depth: `cover`, `contract`, `chapter`, `note`, `picture`. ' +
      'Refused with 409 as long as another record needs any of them: `review.chapter`. ' +
      'Foreign keys to any of them become null: `book.sequel`. ' +
      'Links to any of them are removed: `shelf.favourites`.',
  )
  expect(at('author.delete').description).toBe(
    'Refused with 409 as long as another record needs it: `picture.artist`, `book.authors`.',
  )
  expect(at('category.delete').description).toBe(
    'Deletes the record and everything that it owns, to any depth: `category`.',
  )
  expect(at('book.contract.delete').description).toBe('Refused with 409, as a book record cannot be without it.')
})

it('the description of a write says what happens to related records', () => {
  expect(at('book.create').description).toBe(
    'Creates the record and its owned records: `cover`, `contract`, `chapters`. ' +
      'The body must name the existing records that it needs: `publisher`, `authors`.',
  )
  expect(at('book.cover.create').description).toBe('Refused with 409 if the book has one already.')
  expect(at('book.replace').description).toBe(
    'Properties that are left out become their default or null, or are 400. ' +
      'An owned record is replaced, created or removed as the body says: `cover`, `contract`. ' +
      'Owned records with `id` are replaced, those without are created, and all others are removed: `chapters`. ' +
      'Links are set to exactly the listed records: `authors`, `tags`. ' +
      'Refused with 409 if it removes a record that is still needed by `review.chapter`.',
  )
  expect(at('book.patch').description).toBe(
    'Changes only the properties in the body. ' +
      'An owned record is changed, or created if there is none: `cover`, `contract`. ' +
      'Owned records with `id` are changed, those without are created: `chapters`. ' +
      'Links to the listed records are added: `authors`, `tags`.',
  )
})

it('the description of GET says what a record includes', () => {
  expect(at('book.findOne').description).toBe(
    'Includes all records that it owns: `cover`, `contract`, `chapters`. ' +
      'Includes the id and the fields of records that it needs or knows: `publisher`, `series`, `sequel`, `authors`, `tags`.',
  )
})

it('every operation has a summary, and a description unless the summary says it all', () => {
  for (const { operationId, summary, description = 'None.' } of operations) {
    expect(`${summary}|${description}`, operationId).toMatch(/^[A-Z].*[^.]\|[A-Z].*\.$/)
  }
  for (const name of [
    'author.list',
    'review.delete',
    'author.create',
    'author.findOne',
    'book.cover.createWithId',
    'book.findOneHead',
  ]) {
    expect(at(name)).not.toHaveProperty('description')
  }
})
