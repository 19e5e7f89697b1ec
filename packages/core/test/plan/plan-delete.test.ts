import { planDelete } from '@fastify-crud/core'
import { type Link, type Reference, resourceOf } from '@fastify-crud/core/internal'
import { expect, test } from 'vitest'
import { book, inLines, library } from './library.ts'

test('links go first, then what knows is let go, then descendants, children and the record', () => {
  expect(inLines(planDelete(library, 'book', { record: book }))).toMatchInlineSnapshot(`
    [
      "unlinkAll book.authors from 1",
      "unlinkAll book.tags from 1",
      "clear book.favourite 12,11,10",
      "delete note 20",
      "delete chapter 12,11,10",
      "delete cover 8",
      "delete book 1",
    ]
  `)
})

test('what another record still needs is refused, with how many', () => {
  const author = resourceOf(library, 'author')
  const [byNotes] = author.referencedBy
  const [byBooks] = author.linkedBy
  if (byNotes === undefined || byBooks === undefined) expect.unreachable()
  const needing = new Map<Reference | Link, ReadonlyMap<number, number>>([
    [byNotes, new Map([[5, 2]])],
    [byBooks, new Map([[5, 1]])],
  ])
  const facts = { existing: new Map(), holders: new Map(), linkHolders: new Map(), needing }
  expect(planDelete(library, 'author', { record: { id: 5, name: 'A' }, facts })).toEqual({
    refusal: {
      code: 'CRUD_ERR_STILL_NEEDED',
      detail: 'author 5 is still needed by 2 note records; author 5 is still needed by 1 book record',
      errors: [],
    },
  })
})
