import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { buildApp, useApp } from '../support/app.ts'
import { databases } from '../support/databases.ts'
import { festival } from '../support/festival.ts'
import { sameDatabase } from '../support/same-database.ts'
import { fill } from './fill.ts'

interface Plans {
  readonly statement: string
  readonly generic: string
  readonly custom: string
}

const [postgres] = databases.filter(({ name }) => name === 'postgres')
if (postgres === undefined) throw new Error('there is no PostgreSQL')

describe('PostgreSQL', () => {
  const service = useApp(postgres, festival, { plugin: { handlers: {} } })

  test('plans a list five times at most, however many rows there are', async () => {
    await fill(service, 2_000)
    await sql`analyze`.execute(service.db)
    const once = sameDatabase(service.database, { max: 1, kept: true })
    const app = await buildApp(once, festival, { plugin: { handlers: {} }, tables: async () => {} })
    try {
      for (let offset = 0; offset < 20; offset++) {
        for (const path of ['/api/city', '/api/band', '/api/band/7/album']) {
          await app.read(`${path}?limit=3&offset=${offset}`)
        }
      }
      const { rows } = await sql<Plans>`select statement, generic_plans as generic, custom_plans as custom
        from pg_prepared_statements where statement like '%"rows":%'`.execute(app.db)
      expect(rows).toHaveLength(3)
      for (const { statement, generic, custom } of rows) {
        expect(Number(custom), statement).toBe(5)
        expect(Number(generic), statement).toBeGreaterThan(5)
      }
    } finally {
      await app.close()
    }
  })
})
