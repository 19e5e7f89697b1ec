/**
 * To compare with: Fastify and Kysely with an application's paths, and nothing behind them: `<file with the paths as JSON>`.
 * It runs without its types, too.
 */
import { readFile } from 'node:fs/promises'
import SqliteDriver from 'better-sqlite3'
import Fastify from 'fastify'
import { Kysely, SqliteDialect } from 'kysely'
import type { Started } from './start-app.ts'

const paths: readonly string[] = JSON.parse(await readFile(process.argv[2] ?? '', 'utf8'))
const db = new Kysely<unknown>({ dialect: new SqliteDialect({ database: new SqliteDriver(':memory:') }) })
const app = Fastify()
for (const url of paths) {
  const method = url.endsWith('/:id') ? ['GET', 'PUT', 'PATCH', 'DELETE'] : ['GET', 'POST']
  app.route({ method, url, handler: () => db.getExecutor().adapter.supportsReturning })
}
await app.listen({ port: 0, host: '127.0.0.1' })
process.once('disconnect', () => app.close().then(() => process.exit()))
const started: Started = { milliseconds: performance.now(), rss: process.memoryUsage().rss }
process.send?.(started)
