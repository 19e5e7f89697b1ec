import { Type } from '@sinclair/typebox'
import { defineResources, knows, neededBy, needs, ownedBy, owns } from 'fastify-crud'

const name = Type.String()

/**
 * A model with every relation kind: owned to three levels, owned through two relations, a tree, needs of one and of many
 * with and without a limit to one, knows of one and of many (its own kind and owned records too), and unique keys of
 * records and below an owner.
 */
export const festival = defineResources({
  city: { fields: { name }, unique: [['name']] },
  manager: { fields: { name }, relations: { band: neededBy.one('band') } },
  van: { fields: { name }, relations: { band: neededBy.one('band', { inverse: 'vans' }) } },
  sponsor: { fields: { name }, relations: { bands: neededBy.many('band') } },
  genre: { fields: { name } },
  band: {
    fields: {
      name,
      note: Type.Optional(Type.String()),
      mood: Type.Optional(Type.String()),
      extra: Type.Optional(Type.Any()),
    },
    relations: {
      city: needs.one('city'),
      manager: needs.one('manager', { unique: true }),
      sponsors: needs.many('sponsor'),
      vans: needs.many('van'),
      rival: knows.one('band'),
      genres: knows.many('genre'),
      page: owns.one('page'),
      albums: owns.many('album'),
      homes: owns.many('address', { inverse: 'homeOf' }),
      offices: owns.many('address', { inverse: 'officeOf' }),
    },
    unique: [['name']],
  },
  page: { fields: { url: Type.String() }, relations: { band: ownedBy('band') } },
  address: { fields: { street: Type.String() }, relations: { homeOf: ownedBy('band'), officeOf: ownedBy('band') } },
  album: {
    fields: { title: Type.String(), rank: Type.Integer(), year: Type.Optional(Type.Integer()) },
    relations: {
      band: ownedBy('band'),
      cover: owns.one('cover'),
      tracks: owns.many('track'),
      opener: knows.one('track'),
      recordedIn: knows.one('city'),
    },
    unique: [
      ['band', 'rank'],
      ['band', 'title'],
    ],
  },
  cover: { fields: { color: Type.String() }, relations: { album: ownedBy('album') } },
  track: {
    fields: { title: Type.String(), position: Type.Integer() },
    relations: {
      album: ownedBy('album'),
      studio: needs.one('city'),
      remixOf: knows.one('track'),
      genres: knows.many('genre'),
    },
    unique: [['album', 'position']],
  },
  review: {
    fields: { text: Type.String() },
    relations: { album: needs.one('album'), tracks: needs.many('track'), favourite: knows.one('track') },
  },
  folder: {
    fields: { name },
    relations: {
      parent: ownedBy('folder', { optional: true }),
      folders: owns.many('folder'),
      about: knows.one('band'),
      seen: knows.many('album'),
    },
    unique: [['parent', 'name']],
  },
})
