import { dbDefault, defineResources, knows, needs, ownedBy, owns } from '@fastify-crud/core'
import { Type } from '@sinclair/typebox'
import type { Link, Reference, Resource } from '../../src/model/model.ts'

/** A model for statements that write: each kind of relation, a unique value, and one that the database may give. */
export const albums = defineResources({
  label: { fields: { name: Type.String() } },
  artist: { fields: { name: Type.String() } },
  album: {
    fields: {
      title: Type.String({ maxLength: 100 }),
      shelf: Type.Optional(Type.Integer()),
      facts: Type.Optional(Type.Object({}, { additionalProperties: true })),
    },
    unique: [['shelf']],
    relations: {
      label: needs.one('label', { optional: true }),
      artists: needs.many('artist', { through: 'album_artist' }),
      opener: knows.one('track'),
      tracks: owns.many('track'),
      note: owns.one('note'),
    },
  },
  track: {
    fields: { title: Type.String(), seconds: Type.Optional(Type.Integer({ default: dbDefault })) },
    relations: { album: ownedBy('album') },
  },
  note: { fields: { text: Type.String() }, relations: { album: ownedBy('album') } },
  playlist: { fields: { name: Type.String() }, relations: { songs: owns.many('song') } },
  song: { fields: { title: Type.String() }, relations: { playlist: ownedBy('playlist') } },
  ticket: { fields: {} },
  group: {
    fields: { name: Type.String() },
    relations: { above: ownedBy('group', { optional: true }), groups: owns.many('group') },
  },
})

/** Two albums, with ids that no test has to guess. */
export const someAlbums = [
  `insert into label (id, name) values (1, 'Ink'), (2, 'Oak')`,
  `insert into artist (id, name) values (1, 'Ada'), (2, 'Bo'), (3, 'Cy')`,
  `insert into album (id, title, shelf, facts, "labelId") values (111, 'One', 1, '{"a":1}', 1), (112, 'Two', 2, null, 1)`,
  `insert into album_artist ("albumId", "artistId") values (111, 1), (111, 2), (112, 2)`,
  `insert into track (id, title, seconds, "albumId") values (221, 'a', 10, 111), (222, 'b', 20, 111), (223, 'c', 30, 112)`,
  `update album set "openerId" = 221 where id = 111`,
]

export function resourceOf(key: string): Resource {
  const resource = albums.resources.get(key)
  if (resource === undefined) throw new TypeError(`no resource ${key}`)
  return resource
}

export function referenceOf(key: string, name: string): Reference {
  return named(resourceOf(key).references, name)
}

export function linkOf(key: string, name: string): Link {
  return named(resourceOf(key).links, name)
}

function named<Relation extends { readonly name: string }>(relations: readonly Relation[], name: string): Relation {
  const relation = relations.find((one) => one.name === name)
  if (relation === undefined) throw new TypeError(`no relation ${name}`)
  return relation
}
