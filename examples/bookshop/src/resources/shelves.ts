import { Type } from '@sinclair/typebox'
import { field, ownedBy, owns, type ResourceDescriptor } from 'fastify-crud'
import { shortText } from '../fields.ts'

/** A tree: a category owns its subcategories, to any depth. One without a parent is a root. */
export const category = {
  description: 'A shelf of the shop, with the shelves below it.',
  fields: {
    name: shortText({ examples: ['Letters'] }),
  },
  relations: {
    parent: ownedBy('category', { optional: true }),
    subcategories: owns.many('category'),
  },
  unique: [['parent', 'name']],
} satisfies ResourceDescriptor

export const series = {
  description: 'Books that are read one after the other.',
  fields: {
    title: shortText({ examples: ['The Lamplighter Books'] }),
    finished: field(Type.Boolean(), { default: false }),
    about: Type.Optional(Type.String({ maxLength: 1000 })),
  },
  unique: [['title']],
} satisfies ResourceDescriptor

export const tag = {
  description: 'A word that books can be found by.',
  fields: {
    label: Type.String({ minLength: 1, maxLength: 40, examples: ['coming of age'] }),
  },
  unique: [['label']],
  search: { fields: ['label'] },
} satisfies ResourceDescriptor
