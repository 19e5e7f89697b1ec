import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'

const require = createRequire(import.meta.url)

/** SAP CAP as its own server starts it, with its tables and its default SQLite driver; the index it does not make is added. */
export async function start(file) {
  const cds = require('@sap/cds')
  const SQLiteService = require('@cap-js/sqlite')
  cds.log.Logger = () => silent
  Object.assign(cds.env.requires, {
    auth: { kind: 'dummy' },
    db: { kind: 'sqlite', impl: '@cap-js/sqlite', credentials: { url: file } },
  })
  onEveryConnection(SQLiteService, 'PRAGMA synchronous = NORMAL')

  const from = fileURLToPath(new URL('./service.cds', import.meta.url))
  await cds.deploy(from).to('db', { silent: true })
  await cds.db.run('CREATE INDEX children_parent ON Children (parent_ID)')
  const server = await cds.server({ from, port: 0 })
  if (!server.listening) await new Promise((resolve) => server.once('listening', resolve))
  return server.address().port
}

const silent = Object.fromEntries(['trace', 'debug', 'info', 'log', 'warn', 'error'].map((level) => [level, () => {}]))

function onEveryConnection(SQLiteService, pragma) {
  const { get } = Object.getOwnPropertyDescriptor(SQLiteService.prototype, 'factory')
  Object.defineProperty(SQLiteService.prototype, 'factory', {
    get() {
      const factory = get.call(this)
      return {
        ...factory,
        async create(tenant) {
          const connection = await factory.create(tenant)
          connection.exec(pragma)
          return connection
        },
      }
    },
  })
}
