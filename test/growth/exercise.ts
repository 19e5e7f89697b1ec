import { expect } from 'vitest'
import type { TestApp } from '../support/app.ts'
import { doneStatus } from '../support/done-status.ts'
import type { JsonBody } from '../support/json-body.ts'
import type { Request } from '../support/servers.ts'
import { addFestival, albumsOf } from './ground.ts'

/** Sends requests of every kind to every route of the festival, so that every statement it can need is sent. */
export async function exercise(service: TestApp): Promise<void> {
  const ground = await addFestival(service)
  const band = await service.add('/api/band', { ...ground.body('a'), albums: albumsOf(3, ground) })
  const rival = await service.add('/api/band', { ...ground.body('b'), rivalId: band.id })
  const [album, second, third] = band.albums
  const tracks = album.tracks.map(({ id }: JsonBody) => ({ id }))
  const review = { text: 'r', albumId: album.id, tracks, favouriteId: tracks[0].id }
  const { id: reviewId } = await service.add('/api/review', review)
  const folder = await service.add('/api/folder', {
    name: 'f',
    aboutId: band.id,
    seen: [{ id: album.id }],
    folders: [{ name: 'g', folders: [{ name: 'h' }] }],
  })
  const [path, albumPath] = [`/api/band/${band.id}`, `/api/band/${band.id}/album/${album.id}`]
  const [inner] = folder.folders

  const places: readonly [collection: string, id: number][] = [
    ['/api/city', band.cityId],
    ['/api/genre', band.genres[0].id],
    ['/api/band', band.id],
    ['/api/review', reviewId],
    ['/api/folder', folder.id],
    [`/api/folder/${folder.id}/folder`, inner.id],
    [`${path}/page`, band.page.id],
    [`${path}/homes`, band.homes[0].id],
    [`${path}/offices`, band.offices[0].id],
    [`${path}/album`, album.id],
    [`${albumPath}/cover`, album.cover.id],
    [`${albumPath}/track`, tracks[0].id],
  ]
  for (const [collection, id] of places) {
    await service.read(`${collection}?limit=2&offset=1`)
    const record = await service.read(`${collection}/${id}`)
    expect((await service.put(`${collection}/${id}`, record)).status).toBe(200)
  }

  const swapped = [
    { ...album, rank: second.rank, openerId: tracks[1].id },
    { ...second, rank: album.rank },
  ]
  const track = {
    title: 't',
    position: 7,
    studioId: ground.cities[1]?.id,
    remixOfId: tracks[0].id,
    genres: ground.genres,
  }
  const city = ground.cities[1]?.id
  const requests: readonly Request[] = [
    ['PUT', path, { ...band, albums: [...swapped, { title: 'new', rank: 9, tracks: [track] }], page: { url: 'x' } }],
    [
      'PATCH',
      path,
      { note: 'n', extra: { a: [1] }, cityId: city, rivalId: rival.id, genres: ground.genres.slice(0, 1) },
    ],
    [
      'PATCH',
      path,
      {
        albums: [
          { id: second.id, year: 1 },
          { id: album.id, title: 'renamed', recordedInId: city },
        ],
      },
    ],
    ['PUT', `/api/band/${rival.id}`, { ...rival, rivalId: null, genres: [], homes: [], page: null }],
    ['POST', `${path}/album`, { title: 'posted', rank: 20, cover: { color: 'red' }, tracks: [track] }],
    ['POST', `${path}/album/900000`, { title: 'chosen', rank: 21 }],
    ['POST', `${albumPath}/track`, track],
    ['PATCH', `${albumPath}/track/${tracks[0].id}`, { position: 8, genres: ground.genres.slice(0, 1) }],
    ['PUT', `/api/review/${reviewId}`, { ...review, text: 's', tracks: tracks.slice(1), favouriteId: null }],
    ['POST', '/api/city/900000', { name: 'chosen' }],
    ['POST', `/api/folder/${inner.id}/folder`, { name: 'new', seen: [{ id: album.id }] }],
    ['PATCH', `/api/folder/${inner.id}`, { name: 'renamed', folders: [{ name: 'n' }] }],
    ['PUT', `/api/folder/${folder.id}`, { name: 'f', folders: [] }],
    ['DELETE', `/api/folder/${folder.id}`],
    ['DELETE', `/api/review/${reviewId}`],
    ['DELETE', `${albumPath}/track/${tracks[1].id}`],
    ['DELETE', `/api/genre/${band.genres[2].id}`],
    ['DELETE', `/api/band/${rival.id}`],
    ['DELETE', path],
    ['DELETE', `/api/manager/${band.managerId}`],
    ['DELETE', `/api/van/${band.vans[0].id}`],
    ['DELETE', `/api/city/${city}`],
  ]
  for (const [method, url, body] of requests) {
    const answer = await service.request(method, url, body)
    expect(answer.status, `${method} ${url} ${JSON.stringify(answer.body)}`).toBe(doneStatus[method])
  }
  expect(third.id).toBeGreaterThan(0)
}
