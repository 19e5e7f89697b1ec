import Database from 'better-sqlite3'
import Fastify from 'fastify'
import { createTables, crudPlugin, type Model } from 'fastify-crud'
import { Kysely, SqliteDialect } from 'kysely'
import type { ModelDocument } from '../page/model/model.ts'

/** What `$model` says of resources, and of actions that they have. */
export async function describeModelOf(resources: object, actions?: object): Promise<ModelDocument> {
  const db = new Kysely({ dialect: new SqliteDialect({ database: new Database(':memory:') }) })
  await createTables(db, resources as Model)
  const app = Fastify()
  const options = { db, resources: resources as Model, authorize: () => true }
  await app.register(crudPlugin, { ...options, ...(actions && { actions: actions as never }) })
  const model = (await app.inject('/api/$model')).json()
  await app.close()
  await db.destroy()
  return model
}
