import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { freePort } from './free-port.ts'
import { folderOf, give, run, serverAccount } from './postgres/server-account.ts'

/** The program, by the name or path in `PGBOUNCER`. Default: the one on the `PATH`, or where Debian has it. */
const PROGRAM = process.env.PGBOUNCER ?? 'pgbouncer'
const env = { ...process.env, PATH: `${process.env.PATH}:/usr/sbin` }

const MISSING =
  'These tests need PgBouncer, and there is none. Install it: apt-get install pgbouncer (Debian), brew install pgbouncer (macOS)'

/** The tests that need it each day. */
const TESTS = ['pooler', 'pooled-changes'].map((name) => `packages/fastify-crud/test/databases/${name}.test.ts`)

/** The files that cannot run on this machine, because there is no PgBouncer; none where there is. */
export function withoutPgBouncer(): string[] {
  return spawnSync(PROGRAM, ['--version'], { env }).status === 0 ? [] : TESTS
}

/** What to tell after a run that left them out. */
export const LEFT_OUT = `Left out, because there is no PgBouncer: ${TESTS.join(', ')}
To run them, install it: apt-get install pgbouncer (Debian), brew install pgbouncer (macOS).`

/** Connections to the server, which all clients of a database share. */
export const POOL_SIZE = 4

export interface PgBouncer {
  /** The same database, by way of the pooler. */
  readonly url: string
  stop(): Promise<void>
}

export interface FoundPgBouncer {
  /** It can keep named statements: since version 1.21. */
  readonly keepsStatements: boolean
}

/** @throws Error that says what to install, if there is no such program. */
export async function findPgBouncer(): Promise<FoundPgBouncer> {
  const printed = await run(PROGRAM, ['--version'], '/', undefined, env).catch((error) => {
    throw new Error(MISSING, { cause: error })
  })
  const [, major, minor] = /PgBouncer (\d+)\.(\d+)/.exec(printed) ?? []
  return { keepsStatements: Number(major) > 1 || Number(minor) >= 21 }
}

/**
 * Starts a pooler that gives each transaction any of a few connections. It keeps `statements` named ones for
 * each, or none if that is 0. Default: as many as it keeps by itself.
 *
 * @throws Error with all that it printed, if it does not start.
 */
export async function startPgBouncer(postgresUrl: string, statements?: number): Promise<PgBouncer> {
  const { username, password, hostname, port, pathname } = new URL(postgresUrl)
  const account = await serverAccount()
  const folder = await folderOf(account, 'fastify-crud-pgbouncer')
  const [settingsFile, usersFile] = [join(folder, 'settings'), join(folder, 'users')]
  const ownPort = await freePort()
  const settings = {
    listen_addr: '127.0.0.1',
    listen_port: ownPort,
    unix_socket_dir: '',
    auth_type: 'trust',
    auth_file: usersFile,
    pool_mode: 'transaction',
    default_pool_size: POOL_SIZE,
    max_client_conn: 200,
    server_login_retry: 1,
    ...(statements !== undefined && { max_prepared_statements: statements }),
  }
  const lines = Object.entries(settings).map(([name, value]) => `${name} = ${value}`)
  const database = `[databases]\n* = host=${hostname} port=${port}\n[pgbouncer]\n`
  await writeFile(settingsFile, `${database}${lines.join('\n')}\n`)
  await writeFile(usersFile, `"${username}" "${password}"\n`)
  await give(account, folder)
  const remove = () => rm(folder, { recursive: true, force: true })

  const child = spawn(PROGRAM, [settingsFile], { ...account, cwd: folder, stdio: ['ignore', 'ignore', 'pipe'], env })
  const exit = once(child, 'exit').catch((error) => {
    throw new Error(MISSING, { cause: error })
  })
  let printed = ''
  const isUp = new Promise<true>((resolve) => {
    child.stderr.setEncoding('utf8').on('data', (text) => {
      if (printed.includes('process up')) return
      printed += text
      if (printed.includes('process up')) resolve(true)
    })
  })
  if ((await Promise.race([isUp, exit])) !== true) {
    await remove()
    throw new Error(`PgBouncer did not start:\n${printed}`)
  }
  return {
    url: `postgres://${username}@127.0.0.1:${ownPort}${pathname}`,
    async stop() {
      // It keeps nothing that it would have to save.
      child.kill('SIGKILL')
      await exit
      await remove()
    },
  }
}
