import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { buildApp, type TestApp } from '../support/app.ts'
import { databases, type TestDatabase } from '../support/databases.ts'
import { doneStatus } from '../support/done-status.ts'
import { festival } from '../support/festival.ts'
import type { JsonBody } from '../support/json-body.ts'
import { sameDatabase } from '../support/same-database.ts'
import { fill } from './fill.ts'
import { addFestival, albumsOf } from './ground.ts'

/** A statement that a connection keeps, and how often it was planned for the values of one execution. */
interface Planned {
  readonly statement: string
  readonly custom: number
}

/** The statements that are executed more than ten times on a connection, with 2,000 rows in each table. */
async function plannedBy(requests: (app: TestApp) => Promise<void>): Promise<Planned[]> {
  const options = { plugin: { handlers: {} } }
  const database = databases.find(({ name }) => name === 'postgres') as TestDatabase
  const service = await buildApp(database, festival, options)
  try {
    await fill(service, 2_000)
    await sql`analyze`.execute(service.db)
    const app = await buildApp(sameDatabase(service.database, { max: 1, kept: true }), festival, {
      ...options,
      tables: async () => {},
    })
    try {
      await requests(app)
      const { rows } = await sql<Planned>`select statement, custom_plans::int as custom
        from pg_prepared_statements where generic_plans + custom_plans > 10`.execute(app.db)
      return rows
    } finally {
      await app.close()
    }
  } finally {
    await service.close()
  }
}

describe('PostgreSQL plans a statement five times at most, however many rows there are', () => {
  test('of lists', async () => {
    const planned = await plannedBy(async (app) => {
      for (let offset = 0; offset < 20; offset++) {
        for (const path of ['/api/city', '/api/band', '/api/band/7/album']) {
          await app.read(`${path}?limit=3&offset=${offset}`)
        }
      }
    })
    expect(planned).toHaveLength(3)
    expect(planned.filter(({ custom }) => custom > 5)).toEqual([])
  })

  test('of writes, of one row or many, that change the same columns or others, and of links', async () => {
    const planned = await plannedBy(async (app) => {
      const ground = await addFestival(app)
      const albums = albumsOf(10, ground)
      const band = await app.add('/api/band', { ...ground.body('a'), albums })
      const [path, genres] = [`/api/band/${band.id}`, ground.genres]
      for (let round = 0; round < 15; round++) {
        const write = async (method: string, url: string, body?: unknown) => {
          const answer = await app.request(method, url, body)
          expect(answer.status, `${method} ${url} ${JSON.stringify(answer.body)}`).toBe(doneStatus[method])
          return answer.body
        }
        const changed = band.albums.map(({ id }: JsonBody, index: number) => ({ id, rank: index, year: round }))
        await write('PATCH', path, { genres: round % 2 === 0 ? genres.slice(1) : genres.slice(0, 1), albums: changed })
        changed[0] = { id: changed[0].id, rank: 0, title: `round ${round}` }
        const more = [20, 21].map((rank) => ({ title: `${rank} of ${round}`, rank: rank + 2 * round }))
        await write('PATCH', path, { albums: [...changed, ...more] })
        const review = await app.add('/api/review', { text: 'r', albumId: 1, tracks: [{ id: 1 }, { id: 2 }] })
        await write('PUT', `/api/review/${review.id}`, { text: 's', albumId: 1, tracks: [{ id: 2 }, { id: 3 }] })
        await write('DELETE', `/api/review/${review.id}`)
      }
    })
    expect(planned.length).toBeGreaterThan(10)
    expect(planned.filter(({ custom }) => custom > 5)).toEqual([])
  })
})
