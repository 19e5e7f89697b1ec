import { expect, test } from 'vitest'
import { useApp } from '../support/app.ts'
import { describeOnDatabases } from '../support/describe-on-databases.ts'
import { doneStatus } from '../support/done-status.ts'
import { festival } from '../support/festival.ts'
import { isLong } from '../support/is-long.ts'
import type { JsonBody } from '../support/json-body.ts'
import { addFestival, albumsOf, type Ground } from './ground.ts'

interface Case {
  readonly title: string
  /** How many children the smallest has. Default 1. */
  readonly least?: number
  /** What is measured, over n of each; `band` is one that has n albums, as `albumsOf` makes them. */
  readonly request: (
    n: number,
    ground: Ground,
    band: JsonBody,
  ) => readonly [method: string, path: string, body?: object]
}

const path = (band: JsonBody) => `/api/band/${band.id}`

const cases: readonly Case[] = [
  {
    title: 'POST of a record with children, grandchildren and links',
    request: (n, ground) => ['POST', '/api/band', { ...ground.body(`new ${n}`), albums: albumsOf(n, ground) }],
  },
  {
    title: 'POST of a child with children',
    // The ids of several are reserved first.
    least: 2,
    request: (n, ground, band) => {
      const [{ tracks }] = albumsOf(1, ground) as [{ tracks: object[] }]
      const many = Array.from({ length: n }, (_, position) => ({ ...tracks[0], position }))
      return ['POST', `${path(band)}/album`, { title: 'new', rank: -1, tracks: many }]
    },
  },
  {
    title: 'PUT of what is there',
    request: (_, __, band) => ['PUT', path(band), band],
  },
  {
    title: 'PUT that swaps unique values pair by pair, at two levels',
    least: 2,
    request: (_, __, band) => {
      const body = structuredClone(band)
      const swap = (records: JsonBody[], field: string) => {
        for (let i = 0; i + 1 < records.length; i += 2) {
          ;[records[i][field], records[i + 1][field]] = [records[i + 1][field], records[i][field]]
        }
      }
      swap(body.albums, 'rank')
      for (const album of body.albums) swap(album.tracks, 'position')
      return ['PUT', path(band), body]
    },
  },
  {
    title: 'PUT that removes, changes and adds children with all that they own and are linked to',
    least: 2,
    request: (n, ground, band) => {
      const kept = band.albums.filter((_: JsonBody, index: number) => index % 2 === 0)
      const changed = kept.map((album: JsonBody) => ({
        ...album,
        title: `${album.title}!`,
        cover: { color: 'blue' },
        tracks: [
          ...album.tracks.slice(1),
          { title: 'new', position: 9, studioId: ground.cities[1]?.id, genres: ground.genres },
        ],
      }))
      const added = albumsOf(n, ground).map((album, index) => ({
        ...album,
        title: `new ${index}`,
        rank: 100_000 + index,
      }))
      return ['PUT', path(band), { ...band, albums: [...changed, ...added] }]
    },
  },
  {
    title: 'PUT that drops all children',
    request: (_, __, band) => ['PUT', path(band), { ...band, albums: [] }],
  },
  {
    title: 'PATCH with another set of fields in every third child',
    least: 3,
    request: (_, ground, band) => {
      const fields = [{ year: 2001 }, { title: 'renamed' }, { recordedInId: ground.cities[1]?.id, year: 2002 }]
      const albums = band.albums.map(({ id, title }: JsonBody, index: number) => {
        const values = fields[index % 3]
        return values !== undefined && 'title' in values ? { id, title: `${title} renamed` } : { id, ...values }
      })
      return ['PATCH', path(band), { albums }]
    },
  },
  {
    title: 'PATCH that adds grandchildren with links to every child',
    least: 2,
    request: (_, ground, band) => {
      const track = { title: 't', position: 50, studioId: ground.cities[0]?.id, genres: ground.genres }
      return ['PATCH', path(band), { albums: band.albums.map(({ id }: JsonBody) => ({ id, tracks: [track] })) }]
    },
  },
  {
    title: 'DELETE of a record with children, grandchildren and links',
    request: (_, __, band) => ['DELETE', path(band)],
  },
]

/** Without the setting that PostgreSQL gets once a statement carries more than a few rows, however many they are. */
function countOf(statements: readonly string[]): number {
  return statements.filter((statement) => !statement.includes('plan_cache_mode')).length
}

describeOnDatabases('the number of statements does not depend on the number of records:', (database) => {
  const limits = { maxItems: 1_000_000, maxBody: 100_000_000 }
  const service = useApp(database, festival, { plugin: { limits, handlers: {} } })
  // With `direct` up to four rows of a kind are written one by one.
  const few = database.isDirect ? 6 : 1
  const sizes = [few, 10, isLong ? 1000 : 100]

  for (const { title, least = 1, request } of cases) {
    test(title, async () => {
      const counts: number[] = []
      const ground = await addFestival(service)
      // What a store learns at its first writes is no matter of size.
      const first = await service.add('/api/band', { ...ground.body('first'), albums: albumsOf(2, ground) })
      await service.put(`/api/band/${first.id}`, { ...first, note: 'put' })
      for (const size of sizes) {
        const n = Math.max(least, size)
        const band = await service.add('/api/band', { ...ground.body(`${n}`), albums: albumsOf(n, ground) })
        const [method, url, body] = request(n, ground, band)
        const statements = await service.statements(async () => {
          const answer = await service.request(method, url, body)
          expect(answer.status, JSON.stringify(answer.body)).toBe(doneStatus[method])
        })
        counts.push(countOf(statements))
        await service.delete(path(band))
      }
      expect(new Set(counts).size, `statements for ${sizes.join(', ')}: ${counts.join(', ')}`).toBe(1)
    })
  }

  test('a tree: POST, PUT and DELETE of wide and of deep ones', async () => {
    const wide = (n: number) => ({ name: 'w', folders: Array.from({ length: n }, (_, i) => ({ name: `${i}` })) })
    const deep = (n: number) => {
      let body: object = { name: 'leaf' }
      for (let i = 0; i < n; i++) body = { name: `${i}`, folders: [body] }
      return body
    }
    for (const bodyOf of [wide, deep]) {
      const counts = new Set<string>()
      await service.add('/api/folder', bodyOf(1))
      for (const n of bodyOf === wide ? sizes : [few, 12, 25]) {
        let folder: JsonBody
        const post = await service.statements(async () => {
          folder = await service.add('/api/folder', bodyOf(n))
        })
        const renamed = JSON.parse(JSON.stringify(folder).replaceAll(/"name":"/g, '"name":"new '))
        const put = await service.statements(async () => {
          expect((await service.put(`/api/folder/${folder.id}`, renamed)).status).toBe(200)
        })
        const remove = await service.statements(async () => {
          expect((await service.delete(`/api/folder/${folder.id}`)).status).toBe(204)
        })
        counts.add([post, put, remove].map(countOf).join())
      }
      expect([...counts]).toHaveLength(1)
    }
  })

  test('reading: one statement for a record, one for a list', async () => {
    const ground = await addFestival(service)
    for (const n of sizes) {
      const band = await service.add('/api/band', { ...ground.body(`${n}`), albums: albumsOf(n, ground) })
      expect(await service.statements(() => service.read(path(band)))).toHaveLength(1)
      expect(await service.statements(() => service.read('/api/band?limit=100'))).toHaveLength(1)
      expect(await service.statements(() => service.read(`${path(band)}/album?limit=100`))).toHaveLength(1)
    }
  })
})
