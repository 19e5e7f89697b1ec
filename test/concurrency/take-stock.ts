/**
 * One of several processes that take from the same stock: `node take-stock.ts <sqlite | postgres> <location> <id> <clients>`. All of its
 * clients take one at the same time, as soon as the process gets a message, which then says how each of them fared.
 */
import { once } from 'node:events'
import Fastify from 'fastify'
import { crudPlugin, defineEngine } from 'fastify-crud'
import { openPostgres } from 'fastify-crud/postgres'
import { openSqlite } from 'fastify-crud/sqlite'
import { testEngine } from '../support/test-engine.ts'
import { stocks } from './models.ts'

const [name = '', location = '', id = '', clients = ''] = process.argv.slice(2)

// Who has started it may end first.
process.on('disconnect', () => process.exit(1))

const db = name === 'sqlite' ? openSqlite(location) : openPostgres(location)
if (name === 'postgres' && testEngine !== undefined) defineEngine(db, testEngine)
const app = Fastify()
await app.register(crudPlugin, { db, resources: stocks })
await app.ready()

/** How one client fares that asks again as long as the service is busy. */
async function take(): Promise<number> {
  for (;;) {
    const payload = { stock: { $add: -1 } }
    const { statusCode } = await app.inject({ method: 'PATCH', url: `/api/product/${id}`, payload })
    if (statusCode !== 503) return statusCode
  }
}

process.send?.('ready')
await once(process, 'message')
const statuses = await Promise.all(Array.from({ length: Number(clients) }, take))
await app.close()
await db.destroy()
process.send?.(statuses, () => process.exit())
