import { Type } from '@sinclair/typebox'
import Fastify, { type FastifyInstance } from 'fastify'
import { createTables, crudPlugin, defineResources, knows } from 'fastify-crud'
import { Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { databases, type OpenDatabase, type TestDatabase } from '../../../../test/support/databases.ts'
import type { JsonBody } from '../../../../test/support/json-body.ts'

const people = defineResources({
  person: { fields: { name: Type.String() }, relations: { friend: knows.one('person'), pals: knows.many('person') } },
})

const postgres = databases.find(({ name }) => name === 'postgres') as TestDatabase
const PATCHES = 20

describe('persons who know each other (postgres)', () => {
  let open: OpenDatabase
  let db: Kysely<unknown>
  let app: FastifyInstance

  beforeAll(async () => {
    open = await postgres.open()
    await createTables(open.db, people)
    // A connection for each request: none waits for another one outside of the database.
    const pool = new pg.Pool({ connectionString: open.location, max: PATCHES })
    pool.on('error', () => {})
    db = new Kysely({ dialect: new PostgresDialect({ pool }) })
    app = Fastify()
    await app.register(crudPlugin, { db, resources: people })
  })
  afterAll(async () => {
    await app.close()
    await db.destroy()
    await open.close()
  })

  test('20 parallel PATCHes that have 10 of them know others are all 200', async () => {
    const ids: number[] = []
    for (let n = 0; n < 10; n++) {
      const created = await app.inject({ method: 'POST', url: '/api/person', payload: { name: `p${n}` } })
      ids.push(created.json().id)
    }
    const idAt = (index: number) => ids[index % ids.length] as number
    for (let round = 0; round < 5; round++) {
      const answers = await Promise.all(
        Array.from({ length: PATCHES }, (_, n) => {
          // Half of them go up the circle, the other half down.
          const steps = n < 10 ? [1, 2, 3] : [9, 8, 7]
          const [friendId, ...others] = steps.map((step) => idAt(n + step + round))
          const pals = [friendId, ...others].map((id) => ({ id }))
          return app.inject({ method: 'PATCH', url: `/api/person/${idAt(n)}`, payload: { friendId, pals } })
        }),
      )
      expect(answers.map(({ statusCode }) => statusCode)).toEqual(answers.map(() => 200))
    }
    const { rows } = (await app.inject('/api/person')).json() as JsonBody
    for (const { friend, pals } of rows) expect(pals.map(({ id }: JsonBody) => id)).toContain(friend.id)
  })
})
