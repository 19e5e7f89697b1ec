import { createRequire } from 'node:module'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'

/** SAP CAP as its own server starts it, with its default SQLite driver. */
export async function start(file) {
  const cds = createRequire(import.meta.url)('@sap/cds')
  // Its connections have no option for this.
  const { exec } = DatabaseSync.prototype
  DatabaseSync.prototype.exec = function (statement) {
    exec.call(this, statement.replace(/^PRAGMA journal_mode = WAL$/, '$&; PRAGMA synchronous = NORMAL'))
  }
  const silent = () => {}
  cds.log.Logger = () => ({ trace: silent, debug: silent, info: silent, log: silent, warn: silent, error: silent })
  cds.env.requires.auth = { kind: 'dummy' }
  cds.env.requires.db = { kind: 'sqlite', impl: '@cap-js/sqlite', credentials: { url: file } }
  const from = fileURLToPath(new URL('./service.cds', import.meta.url))
  await cds.deploy(from).to('db', { silent: true })
  await cds.db.run('CREATE INDEX child_parent ON child (parent_id)')
  const server = await cds.server({ from, port: 0 })
  if (!server.listening) await new Promise((resolve) => server.once('listening', resolve))
  return server.address().port
}
