import type { JsonBody } from '../support/json-body.ts'
import {
  albumBody,
  albums,
  bandBody,
  changedBand,
  folderBody,
  ids,
  type Known,
  reviewBody,
  trackBody,
} from './bodies.ts'
import type { Counts, Key } from './history.ts'
import { marketRequest } from './market.ts'
import type { Random } from './random.ts'
import { requestOfMany } from './requests-of-many.ts'
import { trashRequest } from './trash.ts'

/** A write that is going to be sent, or a list of deleted records. */
export interface StormRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly path: string
  readonly body?: JsonBody | readonly JsonBody[]
  /** The records of the path, the topmost first. */
  readonly target: readonly Key[]
  /** Of a write of many records: those that it names. */
  readonly many?: readonly Key[]
  /** The resource that the answer shows. */
  readonly resource: string
  /** It may remove records that the target, or one of many, owns. */
  readonly removes: boolean
  readonly headers?: Readonly<Record<string, string>>
  readonly counts?: Counts
  /** The owner that it moves the target to. */
  readonly to?: Key
}

/** Few owners, so that everybody meets everybody. */
const MOST_BANDS = 6
const MOST_FOLDERS = 3
const MOST_REVIEWS = 8
const MOST_OTHERS = 8

type Make = (random: Random, known: Known, token: string) => StormRequest | undefined

function post(path: string, target: readonly Key[], resource: string, body: JsonBody): StormRequest {
  return { method: 'POST', path, body, target, resource, removes: false }
}

function change(method: 'PUT' | 'PATCH', path: string, target: readonly Key[], body: JsonBody): StormRequest {
  const resource = String(target.at(-1)).split('/')[0] as string
  return {
    method,
    path,
    body,
    target,
    resource,
    removes: method === 'PUT' || /:null|\$remove/.test(JSON.stringify(body)),
  }
}

function remove(path: string, target: readonly Key[]): StormRequest {
  return { method: 'DELETE', path, target, resource: '', removes: true }
}

const bands: Make = (random, known, token) => {
  const band = random.pick(known.band)
  if (band === undefined || (known.band.length < MOST_BANDS && random.chance(0.3))) {
    return post('/api/band', [], 'band', bandBody(random, known, token))
  }
  const [path, target] = [`/api/band/${band.id}`, [`band/${band.id}`]]
  if (random.chance(known.band.length > MOST_BANDS ? 0.5 : 0.07)) return remove(path, target)
  if (random.chance(0.6)) return change('PUT', path, target, changedBand(random, known, token, band))
  const album = random.pick<JsonBody>(band.albums)
  const gone = random.chance(0.2)
    ? random.pick<JsonBody>(band.albums.filter((one: JsonBody) => one !== album))
    : undefined
  const genres = ids(random.some(known.genre, 2))
  const unlinked = random.chance(0.2) ? ids(random.some<JsonBody>(band.genres, 1)) : []
  const isAdded = ({ id }: { readonly id: unknown }) => genres.some((one) => one.id === id)
  return change('PATCH', path, target, {
    note: token,
    genres: [...genres, ...unlinked.flatMap((one) => (isAdded(one) ? [] : [{ ...one, $remove: true }]))],
    albums: [
      ...(gone === undefined ? [] : [{ id: gone.id, $remove: true }]),
      ...(album === undefined ? [] : [{ id: album.id, title: `${token} a`, year: random.int(100) }]),
      ...(random.chance(0.3) ? [albumBody(random, known, token, 4 + random.int(4))] : []),
    ],
    ...(random.chance(0.3) ? { page: { url: token } } : {}),
  })
}

const nested: Make = (random, known, token) => {
  const band = random.pick(known.band)
  if (band === undefined) return undefined
  const [path, target] = [`/api/band/${band.id}`, [`band/${band.id}`]]
  const album = random.pick<JsonBody>(band.albums)
  if (album === undefined || random.chance(0.25)) {
    return post(`${path}/album`, target, 'album', albumBody(random, known, token, random.int(8)))
  }
  const inAlbum = [...target, `album/${album.id}`]
  const albumPath = `${path}/album/${album.id}`
  const track = random.pick<JsonBody>(album.tracks)
  switch (random.int(8)) {
    case 0:
      return remove(albumPath, inAlbum)
    case 1:
      return change('PUT', albumPath, inAlbum, { ...album, title: `${token} a`, tracks: album.tracks.slice(1) })
    case 2:
      return change('PATCH', albumPath, inAlbum, { title: `${token} a`, cover: { color: token } })
    case 3:
      return post(`${albumPath}/cover`, inAlbum, 'cover', { color: token })
    case 4:
      return post(`${path}/homes`, target, 'address', { street: token })
    case 5:
      if (track === undefined) break
      return remove(`${albumPath}/track/${track.id}`, [...inAlbum, `track/${track.id}`])
    case 6:
      if (track === undefined) break
      return change('PATCH', `${albumPath}/track/${track.id}`, [...inAlbum, `track/${track.id}`], {
        title: `${token} t`,
        position: random.int(8),
      })
  }
  return post(`${albumPath}/track`, inAlbum, 'track', trackBody(random, known, token, random.int(8)))
}

const folders: Make = (random, known, token) => {
  const root = random.pick(known.folder)
  if (root === undefined || (known.folder.length < MOST_FOLDERS && random.chance(0.3))) {
    return post('/api/folder', [], 'folder', folderBody(random, known, token, 2))
  }
  let node: JsonBody = root
  const target = [`folder/${root.id}`]
  while (node.folders.length > 0 && random.chance(0.6)) {
    node = random.pick<JsonBody>(node.folders)
    target.push(`folder/${node.id}`)
  }
  const path = `/api/folder/${node.id}`
  const isMany = known.folder.length > MOST_FOLDERS || target.length > 6
  if (random.chance(isMany ? 0.6 : 0.1)) return remove(path, target)
  if (random.chance(0.4)) return post(`${path}/folder`, target, 'folder', folderBody(random, known, token, 1))
  const added = random.chance(0.4) ? [folderBody(random, known, token, 1)] : []
  if (random.chance(0.5)) return change('PATCH', path, target, { name: `${token} n`, folders: added })
  const kept = node.folders.filter(() => random.chance(0.8))
  return change('PUT', path, target, { ...node, name: `${token} n`, folders: [...kept, ...added] })
}

const reviews: Make = (random, known, token) => {
  const review = random.pick(known.review)
  if (review === undefined || (known.review.length < MOST_REVIEWS && random.chance(0.4))) {
    if (albums(known).length === 0) return undefined
    return post('/api/review', [], 'review', reviewBody(random, known, token))
  }
  const [path, target] = [`/api/review/${review.id}`, [`review/${review.id}`]]
  if (random.chance(known.review.length > MOST_REVIEWS ? 0.7 : 0.35)) return remove(path, target)
  if (random.chance(0.5)) return change('PUT', path, target, reviewBody(random, known, token))
  return change('PATCH', path, target, { text: token, tracks: reviewBody(random, known, token).tracks })
}

const OTHERS = ['city', 'manager', 'van', 'sponsor', 'genre'] as const

const others: Make = (random, known, token) => {
  const resource = random.pick(OTHERS) as (typeof OTHERS)[number]
  const present = known[resource]
  const one = random.pick(present)
  if (one === undefined || (present.length < MOST_OTHERS && random.chance(0.5))) {
    // An id that others may come to as well.
    const last = present.at(-1)?.id
    const chosen = last !== undefined && random.chance(0.3) ? `/${idNear(last, random.int(6), known)}` : ''
    return post(`/api/${resource}${chosen}`, [], resource, { name: token })
  }
  const [path, target] = [`/api/${resource}/${one.id}`, [`${resource}/${one.id}`]]
  if (random.chance(0.6)) return remove(path, target)
  return change(random.chance(0.5) ? 'PUT' : 'PATCH', path, target, { name: token })
}

/** A free id of the same kind, or one that somebody else has just chosen. */
function idNear(id: number | string, step: number, { tenant }: Known): number | string {
  if (typeof id === 'number') return id + 1 + step
  if (/^\d+$/.test(id)) return String(BigInt(id) + BigInt(1 + step))
  const isUuid = id.length === 36
  return isUuid ? `${id.slice(0, -1)}${step}` : `chosen${tenant ?? ''}${id.slice(0, 3)}.${step}`
}

const MOODS = ['calm', 'glad', 'sad']

/** Many give few records the same values at the same time, so that most change nothing. */
const moods: Make = (random, known) => {
  const band = known.band[random.int(2)]
  if (band === undefined) return undefined
  const [path, target] = [`/api/band/${band.id}`, [`band/${band.id}`]]
  const mood = random.pick(MOODS)
  const album = band.albums[0]
  if (album !== undefined && random.chance(0.2)) {
    const inAlbum = [...target, `album/${album.id}`]
    return change('PATCH', `${path}/album/${album.id}`, inAlbum, { year: 2000 + random.int(3) })
  }
  return change('PATCH', path, target, random.chance(0.2) ? { mood, extra: { mood } } : { mood })
}

const MAKES: readonly Make[] = [
  ...[bands, bands, bands, nested, nested, nested, folders, folders, reviews, others, moods, moods, moods],
  ...[requestOfMany, requestOfMany, requestOfMany, marketRequest, marketRequest, marketRequest, marketRequest],
  ...[trashRequest, trashRequest, trashRequest, trashRequest, trashRequest],
]

/** A random write to what is known; `token` is in every text that it writes. */
export function randomRequest(random: Random, known: Known, token: string): StormRequest {
  for (;;) {
    const make = random.pick(MAKES) as Make
    const request = make(random, known, token)
    if (request !== undefined) return request
  }
}
