/**
 * The process whose start is measured: `<module of the model> <SQLite file>`. It runs without its types, as an application
 * does, and so imports nothing that has some.
 */
import SqliteDriver from 'better-sqlite3'
import Fastify from 'fastify'
import { crudPlugin, type Model } from 'fastify-crud'
import { Kysely, SqliteDialect } from 'kysely'

export interface Started {
  /** From the start of the process until it listens. */
  readonly milliseconds: number
  readonly rss: number
}

const [model = '', file = ''] = process.argv.slice(2)
const { resources }: { resources: Model } = await import(model)
const db = new Kysely<unknown>({ dialect: new SqliteDialect({ database: new SqliteDriver(file) }) })
const app = Fastify()
await app.register(crudPlugin, { db, resources, authorize: () => true })
await app.listen({ port: 0, host: '127.0.0.1' })
process.once('disconnect', () => app.close().then(() => process.exit()))
const started: Started = { milliseconds: performance.now(), rss: process.memoryUsage().rss }
process.send?.(started)
