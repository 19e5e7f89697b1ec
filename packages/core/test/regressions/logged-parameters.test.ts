import { createStore, defineResources } from '@fastify-crud/core'
import { createTables } from '@fastify-crud/tables'
import { Type } from '@sinclair/typebox'
import SqliteDriver from 'better-sqlite3'
import { Kysely, SqliteDialect } from 'kysely'
import { expect, test } from 'vitest'

const resources = defineResources({ count: { fields: { n: Type.Integer() } } })

test('a log that prints the parameters as JSON can print all of them', async () => {
  const lines: string[] = []
  const db = new Kysely<unknown>({
    dialect: new SqliteDialect({ database: new SqliteDriver(':memory:') }),
    log: ({ query }) => void lines.push(JSON.stringify(query.parameters)),
  })
  await createTables(db, resources)
  const counts = createStore({ db, resources }).resource('count')
  const { id } = await counts.create({ n: 3_000_000_000 })
  await counts.replace(id, { n: 5 })
  expect(lines).toContain('[3000000000]')
  expect(lines).toContain(`[5,${id}]`)
  await db.destroy()
})
