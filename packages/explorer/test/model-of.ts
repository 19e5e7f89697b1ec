import Database from 'better-sqlite3'
import Fastify from 'fastify'
import { crudPlugin, type Model } from 'fastify-crud'
import { Kysely, SqliteDialect } from 'kysely'
import type { ModelDocument } from '../page/model/model.ts'

/** What `$model` says of resources. No table is asked for it. */
export async function describeModelOf(resources: object): Promise<ModelDocument> {
  const db = new Kysely({ dialect: new SqliteDialect({ database: new Database(':memory:') }) })
  const app = Fastify()
  await app.register(crudPlugin, { db, resources: resources as Model, authorize: () => true, tables: 'off' })
  const model = (await app.inject('/api/$model')).json()
  await app.close()
  await db.destroy()
  return model
}
