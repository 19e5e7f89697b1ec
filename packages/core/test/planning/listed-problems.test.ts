import { defineResources, type Fact, needs, type Outcome, ownedBy, owns, planCreate } from '@fastify-crud/core'
import { Type } from '@sinclair/typebox'
import { expect, test } from 'vitest'

const model = defineResources({
  shelf: { relations: { books: owns.many('book') } },
  book: {
    fields: { title: Type.String() },
    relations: { shelf: ownedBy('shelf'), author: needs.one('author') },
    unique: [['shelf', 'title']],
  },
  author: {},
})

const MANY = 1_500
const numbers = Array.from({ length: MANY }, (_, index) => index + 1)
const books = (title: (number: number) => unknown) =>
  numbers.map((number) => ({ title: title(number), authorId: number }))
const authors = (found: readonly number[]): Fact => ({ lookup: 'existing', resource: 'author', ids: numbers, found })

const notValid = planCreate(model, 'shelf', {}, { books: books(() => 5) })
const unknown = planCreate(model, 'shelf', { facts: [authors([])] }, { books: books(String) })
const twice = planCreate(model, 'shelf', { facts: [authors(numbers)] }, { books: books(() => 'same') })

test.each<[string, Outcome]>([
  ['values that are not valid', notValid],
  ['records that do not exist', unknown],
  ['values that are not unique', twice],
])('no more than 1,000 problems are listed: %s', (_, outcome) => {
  if (!('refusal' in outcome)) expect.unreachable()
  expect((outcome as { refusal: { errors: readonly unknown[] } }).refusal.errors).toHaveLength(1_000)
})
