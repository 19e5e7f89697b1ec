import { Type } from '@sinclair/typebox'
import { field, needs, type ResourceDescriptor } from 'fastify-crud'
import { money, oneOf, shortText } from '../fields.ts'

/** One to one: it needs a book that no other contract has. */
export const contract = {
  description: 'What was agreed about a book.',
  fields: {
    signedOn: Type.String({ format: 'date', examples: ['2023-02-14'] }),
    royalty: Type.Number({ minimum: 0, maximum: 100, description: 'Per cent of the price.', examples: [7.5] }),
    advance: money({ examples: ['12000.00'] }),
    currency: field(oneOf(['GBP', 'EUR', 'USD']), { default: 'GBP' }),
    terms: Type.Optional(
      Type.Any({ description: 'Whatever was agreed besides: any JSON.', examples: [{ film: 'shared' }] }),
    ),
  },
  relations: {
    book: needs.one('book', { unique: true }),
  },
  history: true,
} satisfies ResourceDescriptor

/** Needs several books, and no other box set may have one of them (`book.boxSet` is `neededBy.one`). */
export const boxSet = {
  route: 'box-set',
  description: 'Several books that are sold in one box.',
  fields: {
    title: shortText({ examples: ['Two for the train'] }),
    price: money({ examples: ['49.00'] }),
    limited: field(Type.Boolean({ description: 'A limited edition.' }), { default: false }),
  },
  relations: {
    volumes: needs.many('book'),
  },
  unique: [['title']],
} satisfies ResourceDescriptor
