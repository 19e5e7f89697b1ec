/**
 * A process that carries out one action, and may kill itself in it: `node act-once.ts <sqlite | postgres> <location> <id> <moment>`. It says
 * so before it begins. The request has the key `k`. With `batch` behind that, it is one of a batch, between two others.
 */
import Fastify from 'fastify'
import { crudPlugin, defineEngine } from 'fastify-crud'
import { openPostgres } from 'fastify-crud/postgres'
import { openSqlite } from 'fastify-crud/sqlite'
import { testEngine } from '../support/test-engine.ts'
import { bank, bankOptions, batchAround } from './bank.ts'

const [name = '', location = '', id = '', last = '', batch] = process.argv.slice(2)

// Who has started it may end first.
process.on('disconnect', () => process.exit(1))

const db = name === 'sqlite' ? openSqlite(location) : openPostgres(location)
if (name === 'postgres' && testEngine !== undefined) defineEngine(db, testEngine)
const app = Fastify()
const options = bankOptions((moment) => {
  if (moment === last) process.kill(process.pid, 'SIGKILL')
})
await app.register(crudPlugin, {
  db,
  resources: bank,
  batch: true,
  caller: () => ({ id: 'ada' }),
  ...(options as object),
})
await app.ready()
process.send?.('ready')
const path = `/account/${id}/$act/deposit`
const headers = { 'idempotency-key': 'k' }
const payload = batch === undefined ? { amount: 5 } : batchAround(path)
await app.inject({ method: 'POST', url: `/api${batch === undefined ? path : '/$batch'}`, headers, payload })
// Waits for what runs behind the commit.
await app.close()
await db.destroy()
process.exit()
