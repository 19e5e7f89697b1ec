import { randomUUID } from 'node:crypto'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { freePort } from '../free-port.ts'
import { copyPrimary } from './copy-primary.ts'
import { reachablePrograms } from './programs.ts'
import { type Account, folderOf, give, run, serverAccount } from './server-account.ts'
import type { PostgresOptions, RestartKind } from './start-postgres.ts'

export interface OpenServer {
  /** Of the superuser. */
  readonly url: string
  restart(how: RestartKind): Promise<void>
  /** Stops the server and removes its files. */
  close(): Promise<void>
}

/** Clients are told of their own errors: the log has what is wrong with the server. */
const SETTINGS = { listen_addresses: '127.0.0.1', unix_socket_directories: '', log_min_messages: 'log' }

/** @throws Error with what PostgreSQL said, if the server does not start. Then there is nothing left of it. */
export async function openServer(options: PostgresOptions): Promise<OpenServer> {
  const account = await serverAccount()
  const folder = await folderOf(account, options.name)
  const remove = () => rm(folder, { recursive: true, force: true })
  try {
    const server = await startIn(folder, account, options)
    return { ...server, close: () => server.close().finally(remove) }
  } catch (error) {
    await remove()
    throw error
  }
}

async function startIn(folder: string, account: Account | undefined, options: PostgresOptions): Promise<OpenServer> {
  const { port = await freePort(), settings } = options
  const programs = await reachablePrograms(account, folder, options.programs)
  const data = join(folder, 'data')
  const log = join(folder, 'log')
  const password = randomUUID()
  const passwordFile = join(folder, 'password')
  await writeFile(passwordFile, password)
  await give(account, folder)

  const runProgram = async (name: string, ...args: string[]): Promise<void> => {
    await run(join(programs, 'bin', name), args, folder, account)
  }
  const stop = (mode: 'fast' | 'immediate') => runProgram('pg_ctl', 'stop', '-w', '-D', data, '-m', mode)
  const start = async () => {
    try {
      await runProgram('pg_ctl', 'start', '-w', '-D', data, '-l', log)
    } catch (error) {
      throw new Error(`${(error as Error).message}\n${await readFile(log, 'utf8').catch(() => '')}`, { cause: error })
    }
  }

  const parameters = Object.entries({ ...SETTINGS, ...settings, port: String(port) })
  const url = new URL(options.replicaOf ?? `postgres://postgres:${password}@127.0.0.1/postgres`)
  if (options.replicaOf === undefined) {
    await runProgram(
      'initdb',
      ...['-D', data, '--username=postgres', '--auth=password', `--pwfile=${passwordFile}`],
      ...['--no-sync', '--no-locale', '--encoding=UTF8'],
      ...parameters.map(([name, value]) => `--set=${name}=${value}`),
    )
  } else {
    await copyPrimary(url, data, parameters)
    await give(account, folder)
  }
  await start()
  url.port = String(port)
  return {
    url: url.href,
    async restart(how) {
      await stop(how === 'crash' ? 'immediate' : 'fast')
      await start()
    },
    close: () => stop('fast'),
  }
}
