import { expect, test } from 'vitest'
import { withArticle } from '../../src/errors.ts'

test('a resource is named with the article of its sound', () => {
  const names = ['book', 'author', 'user', 'unit', 'union', 'umbrella', 'order', 'oneOff', 'euro', 'Item', 'utility']
  expect(names.map(withArticle)).toEqual([
    'a book',
    'an author',
    'a user',
    'a unit',
    'a union',
    'an umbrella',
    'an order',
    'a oneOff',
    'a euro',
    'an Item',
    'a utility',
  ])
})
