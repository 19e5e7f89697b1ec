import { Type } from '@sinclair/typebox'
import { defineResources } from 'fastify-crud'
import { festival } from '../support/festival.ts'

/** The token of the write that changed a row last: a rule gives it. */
const writer = Type.Optional(Type.String({ readOnly: true }))

const { band, album, track, review, folder } = festival.descriptors

/** The festival, with a field that no client sets. Without rules nobody does. */
export const stormModel = defineResources({
  ...festival.descriptors,
  band: { ...band, fields: { ...band.fields, writer } },
  album: { ...album, fields: { ...album.fields, writer } },
  track: { ...track, fields: { ...track.fields, writer } },
  review: { ...review, fields: { ...review.fields, writer } },
  folder: { ...folder, fields: { ...folder.fields, writer } },
})
