import { Type } from '@sinclair/typebox'
import { field, neededBy, ownedBy, owns, type ResourceDescriptor } from 'fastify-crud'
import { shortText } from '../fields.ts'

/** Owns one record that may be missing, and is needed by books: an author of a book cannot be deleted. */
export const author = {
  description: 'Somebody who writes, draws or translates.',
  fields: {
    name: shortText({ examples: ['Agnes Thorne'] }),
    bornOn: Type.Optional(Type.String({ format: 'date', examples: ['1968-11-23'] })),
    biography: Type.Optional(Type.String({ maxLength: 4000 })),
    awards: field(
      Type.Array(
        Type.Object({ name: shortText(), year: Type.Integer({ minimum: 1900 }) }, { additionalProperties: false }),
        { examples: [[{ name: 'Harbour Prize', year: 2019 }]] },
      ),
      { default: [] },
    ),
  },
  relations: {
    portrait: owns.one('portrait'),
    books: neededBy.many('book'),
  },
  search: { fields: ['name'] },
} satisfies ResourceDescriptor

export const portrait = {
  description: "An author's picture.",
  fields: {
    url: Type.String({ format: 'uri', examples: ['https://pictures.example/thorne.jpg'] }),
    photographer: Type.Optional(shortText({ examples: ['Bo Lindgren'] })),
    takenOn: Type.Optional(Type.String({ format: 'date', examples: ['2021-06-30'] })),
  },
  relations: { author: ownedBy('author') },
} satisfies ResourceDescriptor
