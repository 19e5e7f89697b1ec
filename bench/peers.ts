/** This library beside what one would pick instead, on SQLite: installs the peers, prints a table. */
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { checkPeer } from './src/check-peer.ts'
import { type Contender, type Running, start } from './src/contender.ts'
import { openFile, startDatabases } from './src/databases.ts'
import { readOptions } from './src/options.ts'
import { cap, platformatic, zenstack } from './src/peer-works.ts'
import { runRounds } from './src/run-rounds.ts'
import { introductionOf, toTable } from './src/to-table.ts'
import { works } from './src/works.ts'

const FOLDER = new URL('./peers/', import.meta.url)

/** It does one table at a time, so nothing but its DELETE does all of a work. */
const ALONE = 'Platformatic DB, parents alone'

const PEERS: Readonly<Record<string, Contender>> = {
  ours: { title: 'fastify-crud', module: new URL('./sides/ours.ts', import.meta.url), works },
  platformatic: { title: ALONE, module: new URL('platformatic.js', FOLDER), works: platformatic },
  zenstack: { title: 'ZenStack', module: new URL('zenstack.js', FOLDER), works: zenstack },
  cap: { title: 'SAP CAP', module: new URL('cap.js', FOLDER), works: cap, foreignKey: 'parent_id' },
}

const options = readOptions(PEERS)
install()
const files = await startDatabases('sqlite')
const running: Running[] = []
try {
  for (const [name, contender] of Object.entries(PEERS)) {
    if (!options.sides.includes(name)) continue
    const location = await files.create()
    if (contender !== PEERS.cap) createTables(location)
    const peer = await start(contender, location)
    running.push(peer)
    if (contender.title !== ALONE) await checkPeer(peer)
  }
  const runs = await runRounds(running, options, true)
  console.log(`${introductionOf({ ...options, starts: 1 })}\n\n${toTable('SQLite', runs, running)}`)
} finally {
  for (const one of running) await one.stop()
  await files.stop()
}

/** Into a folder outside of the workspace, unless they are there. */
function install(): void {
  // npm runs on the Node that it finds first: the one that the peers are to run on.
  const env = { ...process.env, PATH: `${dirname(process.execPath)}:${process.env.PATH}`, DO_NOT_TRACK: '1' }
  const npm = (...args: string[]) =>
    execFileSync('npm', args, { cwd: fileURLToPath(FOLDER), env, stdio: ['ignore', 'inherit', 'inherit'] })
  if (!existsSync(new URL('node_modules', FOLDER)))
    npm('install', '--no-package-lock', '--no-audit', '--ignore-scripts')
  if (!existsSync(new URL('generated', FOLDER))) npm('run', 'generate')
}

/** With cascades, as the peers leave it to the database to delete the children. */
function createTables(file: string): void {
  const columns = 'id integer primary key autoincrement, name text not null, quantity integer not null'
  const database = openFile(file)
  database.exec(`
    create table parent (${columns});
    create table child (${columns}, "parentId" integer not null references parent (id) on delete cascade);
    create index child_parent on child ("parentId")`)
  database.close()
}
