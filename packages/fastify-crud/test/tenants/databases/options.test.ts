import Fastify from 'fastify'
import { crudPlugin } from 'fastify-crud'
import { openSqlite } from 'fastify-crud/sqlite'
import { afterAll, expect, test } from 'vitest'
import { resources } from './several.ts'

const model = openSqlite(':memory:')
afterAll(() => model.destroy())

const of = () => model

test.each([
  [{ db: { of } }, 'db.model: must be a Kysely instance with the tables of the model'],
  [{ db: { model: 'model.sqlite', of } }, 'db.model: must be a Kysely instance with the tables of the model'],
  [{ db: { model } }, 'db.of: must be a function, such as (caller) => caller.db'],
  [{ db: { model, of: model } }, 'db.of: must be a function, such as (caller) => caller.db'],
  [{ db: { model, of, dropped: true } }, 'db.dropped: must be a function, such as (db) => db.destroy()'],
  [{ db: { model, of, max: 3 } }, "db: there is no 'max'; there are model, of, dropped"],
  [
    { db: { model, of }, replica: { db: model, when: () => true } },
    'replica: is for one database; db: { model, of } has one for each tenant, and of may choose a replica',
  ],
  [
    { db: model, limits: { maxDatabases: 3 } },
    'limits.maxDatabases: is for db: { model, of }, which has a database for each tenant',
  ],
  [{ db: { model, of }, limits: { maxDatabases: 0 } }, 'limits.maxDatabases: must be a positive integer'],
] as const)('the start fails with what is wrong with %o', async (options, message) => {
  const app = Fastify()
  const starting = app.register(crudPlugin, { resources, ...(options as never as { db: typeof model }) })
  await expect(Promise.resolve(starting).then(() => app.ready())).rejects.toThrow(message)
})
