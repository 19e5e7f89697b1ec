import { Type } from '@sinclair/typebox'
import { field, knows, neededBy, needs, ownedBy, owns, type ResourceDescriptor } from 'fastify-crud'
import { money, oneOf, shortText } from '../fields.ts'

/** Has every kind of relation: start here. */
export const book = {
  table: 'books',
  description: 'An edition of a book, with everything that is printed in it.',
  fields: {
    title: shortText({ examples: ['The Lamplighter’s Index'] }),
    subtitle: Type.Optional(shortText({ examples: ['A novel in nine lists'] })),
    isbn: Type.String({ pattern: '^97[89][0-9]{10}$', description: 'Thirteen digits.', examples: ['9781901020016'] }),
    format: oneOf(['hardback', 'paperback', 'ebook', 'audiobook']),
    price: money({ description: 'In pounds.' }),
    pages: Type.Optional(Type.Integer({ minimum: 1, examples: [312] })),
    publishedOn: Type.Optional(Type.String({ format: 'date', examples: ['2024-09-12'] })),
    inPrint: field(Type.Boolean(), { default: true }),
    rating: Type.Optional(
      Type.Number({ minimum: 0, maximum: 5, description: 'Of the readers, in stars.', examples: [4.3] }),
    ),
    dimensions: Type.Optional(
      Type.Object(
        { width: Type.Integer(), height: Type.Integer(), depth: Type.Integer() },
        {
          additionalProperties: false,
          description: 'In millimetres.',
          examples: [{ width: 129, height: 198, depth: 24 }],
        },
      ),
    ),
    languages: field(Type.Array(Type.String({ pattern: '^[a-z]{2}$' }), { examples: [['en', 'cy']] }), {
      default: ['en'],
    }),
  },
  relations: {
    publisher: needs.one('publisher'), // a publisher with books cannot be deleted
    authors: needs.many('author'), // at least one
    cover: owns.one('cover', { required: true }), // written, replaced and deleted with the book
    chapters: owns.many('chapter'), // which own footnotes in turn
    series: knows.one('series'), // may be missing; is null when the series goes
    category: knows.one('category'), // any node of a tree
    tags: knows.many('tag'), // links that come and go
    related: knows.many('book', { through: 'related_books', from: 'bookId', to: 'relatedId' }), // its own kind
    contract: neededBy.one('contract'), // one to one: a book has at most one contract
    boxSet: neededBy.one('boxSet'), // exclusive: a book is in at most one box
    lines: neededBy.many('line'), // a book that was sold cannot be deleted
  },
  unique: [['isbn'], ['publisher', 'title']],
  search: { fields: ['title', 'subtitle', 'isbn', 'authors.name'] }, // GET /api/book?search=thorne+index
  groups: true, // GET /api/book/$group?by=format&values=count(),avg(price)
  history: true, // GET /api/book/1/$history, with its cover, chapters and footnotes
} satisfies ResourceDescriptor

export const cover = {
  description: 'What a book looks like.',
  fields: {
    image: Type.String({ format: 'uri', examples: ['https://covers.example/the-lamplighters-index.jpg'] }),
    artist: Type.Optional(shortText({ examples: ['Petra Holm'] })),
    finish: field(oneOf(['matt', 'gloss', 'linen']), { default: 'matt' }),
  },
  relations: { book: ownedBy('book') },
} satisfies ResourceDescriptor

/** Numbers are unique within a book; one PUT of the book may swap them. */
export const chapter = {
  description: 'A chapter of a book.',
  fields: {
    number: Type.Integer({ minimum: 1, examples: [1] }),
    title: shortText({ examples: ['Wicks'] }),
    firstPage: Type.Optional(Type.Integer({ minimum: 1, examples: [7] })),
  },
  relations: {
    book: ownedBy('book'),
    footnotes: owns.many('footnote'),
  },
  unique: [['book', 'number']],
} satisfies ResourceDescriptor

export const footnote = {
  description: 'A note at the foot of a page: the third level of a book.',
  fields: {
    mark: Type.String({ minLength: 1, maxLength: 3, examples: ['*'] }),
    text: Type.String({ minLength: 1, examples: ['The parish paid for oil until 1888.'] }),
  },
  relations: { chapter: ownedBy('chapter') },
  unique: [['chapter', 'mark']],
} satisfies ResourceDescriptor
