import { checkTables, createStore, pushTables } from 'fastify-crud'
import { buildApp } from './app.ts'
import { openDatabase } from './database.ts'
import { explainFailure, StartError } from './explain-failure.ts'
import { resources } from './resources.ts'
import { seed } from './seed.ts'

const host = '127.0.0.1'
const port = Number(process.env.PORT || 3000)

/** Opens the database, fills it if it is empty, and listens until a signal comes. */
async function serve(): Promise<void> {
  const { db, place } = openDatabase(process.env.DATABASE_URL, (message) => app.log.warn(message))
  const app = await buildApp({ db, logger: { level: process.env.LOG_LEVEL || 'info' } })
  app.addHook('onClose', () => db.destroy())
  try {
    for (const { statement, reason, hint } of await pushTables(db, resources)) {
      app.log.info({ statement }, `changed a table: ${reason}`)
      if (hint !== undefined) app.log.warn(hint)
    }
    for (const { severity, message } of await checkTables(db, resources)) {
      if (severity === 'error') throw new StartError(`The tables in ${place} are of another version: ${message}`)
      app.log.warn(message)
    }
    // In one transaction: a database is seeded as a whole or still empty. Without the rules, as its orders are old ones.
    const seeded = await db.transaction().execute((transaction) => seed(createStore({ db: transaction, resources })))
    if (seeded) app.log.info('seeded the empty database')
    const origin = await app.listen({ host, port })
    console.log(`\n  Bookshop  ${origin}\n  Records   ${place}\n`)
  } catch (error) {
    await app.close()
    throw error
  }
  // A second signal ends the process at once.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void app.close())
}

try {
  await serve()
} catch (error) {
  console.error(explainFailure(error, port))
  process.exitCode = 1
}
