import type { JsonBody } from '../support/json-body.ts'
import type { Random } from './random.ts'

export interface Ref {
  readonly id: number | string
}

/** What a worker has seen lately of the shared records. */
export interface Known {
  /** The number of the tenant whose records they are, where there are tenants. */
  readonly tenant: number | undefined
  readonly city: readonly Ref[]
  readonly manager: readonly Ref[]
  readonly van: readonly Ref[]
  readonly sponsor: readonly Ref[]
  readonly genre: readonly Ref[]
  readonly band: readonly JsonBody[]
  readonly review: readonly JsonBody[]
  readonly folder: readonly JsonBody[]
  readonly stall: readonly JsonBody[]
  readonly drawer: readonly JsonBody[]
  readonly loan: readonly Ref[]
  readonly clerk: readonly Ref[]
  /** The deleted ones. */
  readonly deleted: Readonly<Record<'drawer' | 'paper' | 'loan' | 'clerk', readonly Ref[]>>
}

export const ids = (records: readonly Ref[]): Ref[] => records.map(({ id }) => ({ id }))

export function idOf(record: Ref | undefined): number | string | undefined {
  return record?.id
}

/** At least one, where there is one. */
function several(random: Random, records: readonly Ref[], most: number): Ref[] {
  const found = ids(random.some(records, most))
  const one = random.pick(records)
  return found.length > 0 || one === undefined ? found : ids([one])
}

export function albums(known: Known): JsonBody[] {
  return known.band.flatMap((band) => band.albums)
}

export function tracks(known: Known): JsonBody[] {
  return albums(known).flatMap((album) => album.tracks)
}

export function trackBody(random: Random, known: Known, token: string, position: number): JsonBody {
  return {
    title: `${token} t${position}`,
    position,
    studioId: idOf(random.pick(known.city)),
    genres: ids(random.some(known.genre, 2)),
    ...(random.chance(0.3) ? { remixOfId: idOf(random.pick(tracks(known))) ?? null } : {}),
  }
}

export function albumBody(random: Random, known: Known, token: string, rank: number): JsonBody {
  return {
    title: `${token} a${rank}`,
    rank,
    cover: random.chance(0.5) ? { color: token } : null,
    recordedInId: random.chance(0.5) ? (idOf(random.pick(known.city)) ?? null) : null,
    tracks: random.some([0, 1, 2, 3], 3).map((position) => trackBody(random, known, token, position)),
  }
}

export function bandBody(random: Random, known: Known, token: string): JsonBody {
  return {
    name: token,
    note: token,
    cityId: idOf(random.pick(known.city)),
    managerId: idOf(random.pick(known.manager)),
    sponsors: several(random, known.sponsor, 2),
    vans: several(random, known.van, 2),
    genres: ids(random.some(known.genre, 2)),
    rivalId: idOf(random.pick(known.band)) ?? null,
    page: random.chance(0.7) ? { url: token } : null,
    albums: random.some([0, 1, 2, 3], 3).map((rank) => albumBody(random, known, token, rank)),
    homes: random.some([1, 2], 2).map((n) => ({ street: `${token} h${n}` })),
    offices: random.some([1], 1).map((n) => ({ street: `${token} o${n}` })),
  }
}

export function reviewBody(random: Random, known: Known, token: string): JsonBody {
  return {
    text: token,
    albumId: idOf(random.pick(albums(known))),
    tracks: several(random, tracks(known), 2),
    favouriteId: random.chance(0.5) ? (idOf(random.pick(tracks(known))) ?? null) : null,
  }
}

export function folderBody(random: Random, known: Known, token: string, depth: number): JsonBody {
  const inner = depth > 0 ? random.some([1, 2], 2) : []
  return {
    name: `${token} f${depth}${random.int(1000)}`,
    aboutId: random.chance(0.4) ? (idOf(random.pick(known.band)) ?? null) : null,
    seen: ids(random.some(albums(known), 2)),
    folders: inner.map((n) => ({ ...folderBody(random, known, token, depth - 1), name: `${token} f${depth}.${n}` })),
  }
}

/** A band as a client would send it back after it has changed much of it. */
export function changedBand(random: Random, known: Known, token: string, band: JsonBody): JsonBody {
  const body = structuredClone(band)
  body.note = token
  if (random.chance(0.3)) body.albums.splice(random.int(3), 1)
  if (random.chance(0.4)) rotate(body.albums, 'rank')
  for (const album of body.albums) {
    if (random.chance(0.3)) album.title = `${token} a${album.id}`
    if (random.chance(0.2)) album.tracks.splice(random.int(2), 1)
    if (random.chance(0.3)) rotate(album.tracks, 'position')
    if (random.chance(0.2)) album.tracks.push(trackBody(random, known, token, 4 + random.int(4)))
    if (random.chance(0.2)) album.cover = random.chance(0.5) ? null : { color: token }
    if (random.chance(0.2)) album.openerId = idOf(random.pick(tracks(known))) ?? null
  }
  if (random.chance(0.3)) body.albums.push(albumBody(random, known, token, 4 + random.int(4)))
  if (random.chance(0.3)) body.homes = [...body.homes.slice(1), { street: `${token} h` }]
  if (random.chance(0.2)) body.page = body.page === null ? { url: token } : null
  if (random.chance(0.3)) body.vans = several(random, known.van, 2)
  if (random.chance(0.3)) body.sponsors = several(random, known.sponsor, 2)
  if (random.chance(0.3)) body.genres = ids(random.some(known.genre, 3))
  if (random.chance(0.2)) body.managerId = idOf(random.pick(known.manager))
  if (random.chance(0.2)) body.rivalId = null
  return body
}

/** Each gets the value of the next. */
function rotate(records: JsonBody[], field: string): void {
  const values = records.map((record) => record[field])
  for (const [index, record] of records.entries()) record[field] = values[(index + 1) % values.length]
}
