import { Type } from '@sinclair/typebox'
import { field, knows, neededBy, ownedBy, owns, type ResourceDescriptor } from 'fastify-crud'
import { shortText } from '../fields.ts'

/** Owns addresses twice, as offices and as warehouses, and knows which one of them is its headquarters. */
export const publisher = {
  description: 'A house that publishes books.',
  fields: {
    name: shortText({ examples: ['Northlight & Daughters'] }),
    foundedOn: Type.Optional(Type.String({ format: 'date', examples: ['1974-03-01'] })),
    website: Type.Optional(Type.String({ format: 'uri', examples: ['https://northlight.example'] })),
    readsManuscripts: field(Type.Boolean({ description: 'Takes unsolicited manuscripts.' }), { default: false }),
  },
  relations: {
    offices: owns.many('address', { inverse: 'officeOf' }),
    warehouses: owns.many('address', { inverse: 'warehouseOf' }),
    headquarters: knows.one('address'),
    books: neededBy.many('book'),
  },
  unique: [['name']],
  search: { fields: ['name'] },
  history: true,
} satisfies ResourceDescriptor

/** Each record belongs to a publisher in exactly one of two ways. */
export const address = {
  description: 'Where a publisher has an office or a warehouse.',
  fields: {
    street: shortText({ examples: ['14 Tanner Row'] }),
    postcode: Type.String({ maxLength: 12, examples: ['YO1 6JB'] }),
    city: shortText({ examples: ['York'] }),
    country: Type.String({ pattern: '^[A-Z]{2}$', description: 'ISO 3166 code.', examples: ['GB'] }),
    location: Type.Optional(
      Type.Object(
        { latitude: Type.Number(), longitude: Type.Number() },
        { additionalProperties: false, examples: [{ latitude: 53.96, longitude: -1.09 }] },
      ),
    ),
  },
  relations: {
    officeOf: ownedBy('publisher'),
    warehouseOf: ownedBy('publisher'),
  },
} satisfies ResourceDescriptor
