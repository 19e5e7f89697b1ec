import { Type } from '@sinclair/typebox'
import { defineResources } from 'fastify-crud'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { type TestApp, useApp } from '../../../../test/support/app.ts'
import { databases, setups, type TestDatabase } from '../../../../test/support/databases.ts'
import { expectProblem } from '../../../../test/support/problem.ts'

const resources = defineResources({
  flat: { fields: { name: Type.String(), note: Type.Optional(Type.String()) } },
})

const postgres = databases.find(({ name }) => name === 'postgres') as TestDatabase
const code = 'CRUD_ERR_TOO_LARGE'

/** Adds flats with a note whose characters are six in JSON each. Gives the path of the last one. */
async function addLarge(service: TestApp, flats: number, megabytes: number): Promise<string> {
  const note = sql`replace(${'x'.repeat(1_000)}, 'x', ${'\u0001'.repeat(megabytes * 1_000)})`
  for (let n = 0; n < flats; n++) await sql`insert into flat (name, note) values ('large', ${note})`.execute(service.db)
  const { rows } = await sql<{ id: number }>`select max(id) as id from flat`.execute(service.db)
  return `/api/flat/${rows[0]?.id}`
}

/** To build so much takes a busy machine a minute. */
const PATIENCE_MS = 300_000

describe('an answer that the database itself cannot build', () => {
  describe('of PostgreSQL: more than 1 GB', () => {
    const service = useApp(postgres, resources)

    test('is refused', { timeout: PATIENCE_MS }, async () => {
      await addLarge(service, 3, 60)
      expectProblem(await service.get('/api/flat'), { code })
    })
  })

  for (const setup of setups.filter(({ isDirect }) => isDirect)) {
    describe(`of SQLite: more than 512 MB (${setup.title})`, () => {
      const service = useApp(setup, resources)

      test('is refused, and a write is done without it', { timeout: PATIENCE_MS }, async () => {
        const path = await addLarge(service, 1, 86)
        expectProblem(await service.get(path), { code })
        const done = await service.patch(path, { name: 'still large' })
        expect(done).toMatchObject({
          status: 200,
          body: undefined,
          headers: { 'preference-applied': 'return=minimal' },
        })
        expect(await service.put(path, { name: 'small' })).toMatchObject({ status: 400, body: { code } })
        expect((await service.patch(path, { name: 'small', note: null })).body).toMatchObject({ name: 'small' })
      })
    })
  }
})
