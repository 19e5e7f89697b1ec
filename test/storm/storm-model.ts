import { Type } from '@sinclair/typebox'
import { defineResources, type IdDeclaration } from 'fastify-crud'
import { festival } from '../support/festival.ts'
import { marketDescriptors } from './market.ts'
import { FAIR } from './tenants.ts'
import { trashDescriptors } from './trash.ts'

/** The token of the write that changed a row last: a rule gives it. */
const writer = Type.Optional(Type.String({ readOnly: true }))

const { band, album, track, review, folder } = festival.descriptors

/** The festival, with a field that no client sets, and a market and an office beside it. Without rules nobody sets that field. */
export const stormModel = defineResources({
  ...festival.descriptors,
  ...marketDescriptors,
  ...trashDescriptors,
  band: { ...band, fields: { ...band.fields, writer } },
  album: { ...album, fields: { ...album.fields, writer } },
  track: { ...track, fields: { ...track.fields, writer } },
  review: { ...review, fields: { ...review.fields, writer } },
  folder: { ...folder, fields: { ...folder.fields, writer } },
})

/** Which ids the records of a storm have. */
export type StormIds = 'integers' | 'of many kinds'

let made = 0

/** Several processes give ids at the same time. */
const text: IdDeclaration = {
  kind: 'text',
  assign: () => {
    made += 1
    return `p${process.pid}.${made}`
  },
}

const KINDS: Readonly<Record<string, IdDeclaration>> = {
  city: 'bigint',
  manager: 'uuid',
  van: text,
  genre: text,
  band: 'uuid',
  page: 'bigint',
  album: text,
  cover: ['album'],
  track: 'uuid',
  review: 'bigint',
  folder: text,
  stall: 'uuid',
  good: text,
  sale: 'bigint',
  drawer: 'bigint',
  paper: 'uuid',
  loan: text,
}

/** Requests, rules and checks take ids as they come, and know nothing of tenants. */
export function stormModelOf(ids: StormIds, hasTenants = false): typeof stormModel {
  if (ids === 'integers' && !hasTenants) return stormModel
  const descriptors = Object.entries(stormModel.descriptors).map(([key, one]) => [
    key,
    ids === 'integers' ? one : { ...one, id: KINDS[key] ?? 'integer' },
  ])
  if (!hasTenants) return defineResources(Object.fromEntries(descriptors))
  const all = { ...Object.fromEntries(descriptors), [FAIR]: { id: 'uuid', fields: {} } }
  return defineResources(all, { tenant: { resource: FAIR } }) as never
}
