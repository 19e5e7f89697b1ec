import type { JsonBody } from '../support/json-body.ts'
import { albumBody, albums, bandBody, folderBody, ids, type Known, reviewBody } from './bodies.ts'
import type { Random } from './random.ts'
import type { StormRequest } from './requests.ts'

/** A random write of many records; undefined where there are none yet. */
export function requestOfMany(random: Random, known: Known, token: string): StormRequest | undefined {
  return random.pick([creation, creation, bandsChange, bandsChange, bandsMoods, othersByName, albumsOfBand, removal])?.(
    random,
    known,
    token,
  )
}

type Make = typeof requestOfMany

const creation: Make = (random, known, token) => {
  const resource = random.pick(['city', 'sponsor', 'genre', 'van', 'review', 'folder', 'band'] as const)
  const bodies = [1, 2, 3].slice(random.int(2)).map((number): JsonBody => {
    const own = `${token}.${number}`
    if (resource === 'band') return bandBody(random, known, own)
    if (resource === 'folder') return folderBody(random, known, own, 1)
    return resource === 'review' ? reviewBody(random, known, own) : { name: own }
  })
  if (resource === 'band' && known.band.length > 4) return undefined
  if (resource === 'folder' && known.folder.length > 2) return undefined
  if (resource === 'review' && (albums(known).length === 0 || known.review.length > 8)) return undefined
  return ofMany('POST', `/api/${resource}`, resource as string, bodies)
}

/** The order in which a request names the bands is not the one in which they have to be locked. */
const bandsChange: Make = (random, known, token) => {
  const bodies = random.some(known.band, 3).map((band, number): JsonBody => {
    const album = random.pick<JsonBody>(band.albums)
    return {
      id: band.id,
      note: `${token} ${number}`,
      ...(random.chance(0.5) && { genres: ids(random.some(known.genre, 2)) }),
      ...(random.chance(0.5) && album !== undefined && { albums: [{ id: album.id, title: `${token} a${number}` }] }),
    }
  })
  return bodies.length < 2 ? undefined : ofMany('PATCH', '/api/band', 'band', bodies)
}

const bandsMoods: Make = (random, known) => {
  const bands = random.some(known.band.slice(0, 3), 3)
  const mood = random.pick(['calm', 'glad', 'sad'])
  const bodies = bands.map(({ id }): JsonBody => ({ id, mood }))
  return bodies.length < 2 ? undefined : ofMany('PATCH', '/api/band', 'band', bodies)
}

/** Some of the names are there, or were so a moment ago. */
const othersByName: Make = (random, known, token) => {
  const names = random.some(known.city as readonly JsonBody[], 2).map(({ name }) => name as string)
  const bodies = [...names, token].map((name): JsonBody => ({ name }))
  return ofMany('PUT', '/api/city?by=name', 'city', bodies)
}

/** Below an owner: two albums change their ranks. */
const albumsOfBand: Make = (random, known, token) => {
  const band = random.pick(known.band)
  const [one, other] = random.some<JsonBody>(band?.albums ?? [], 2)
  if (band === undefined) return undefined
  const [path, target] = [`/api/band/${band.id}/album`, [`band/${band.id}`]]
  if (one === undefined || other === undefined) {
    const bodies = [4, 5].map((rank) => albumBody(random, known, token, rank + random.int(4) * 2))
    return { ...ofMany('POST', path, 'album', bodies), target }
  }
  const bodies = [
    { id: one.id, rank: other.rank, title: `${token} a1` },
    { id: other.id, rank: one.rank, title: `${token} a2` },
  ]
  return { ...ofMany('PATCH', path, 'album', bodies), target }
}

const removal: Make = (random, known) => {
  const resource = random.pick(['review', 'genre', 'van', 'city', 'folder'] as const) ?? 'review'
  const some = random.some<JsonBody>(known[resource] as readonly JsonBody[], 3).map(({ id }) => id)
  if (some.length === 0) return undefined
  const filter = encodeURIComponent(JSON.stringify({ id: { in: some } }))
  return {
    ...{ method: 'DELETE', path: `/api/${resource}?filter=${filter}`, target: [], resource, removes: true },
    many: some.map((id) => `${resource}/${id}`),
    headers: { prefer: 'max-affected=100' },
  }
}

function ofMany(
  method: 'POST' | 'PUT' | 'PATCH',
  path: string,
  resource: string,
  body: readonly JsonBody[],
): StormRequest {
  const many = body.flatMap(({ id }) => (id === undefined ? [] : [`${resource}/${id}`]))
  return { method, path, body, target: [], many, resource, removes: false }
}
