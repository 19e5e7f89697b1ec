import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Works } from './works.ts'

/** A service that can be measured. */
export interface Contender {
  readonly title: string
  /** Exports `start`, which takes the file or URL of a database and resolves to a port. */
  readonly module: URL
  readonly works: Works
  /** A folder, if the packages that the module imports are to be those of another folder than its own. */
  readonly packages?: URL
  /** Its packages are run as they are built. Default: their sources. */
  readonly isBuilt?: boolean
  /** Before the service starts. Default: by this library. */
  createTables?(location: string): unknown
}

export interface Running extends Contender {
  readonly location: string
  readonly port: number
  readonly pid: number
  stop(): Promise<void>
}

/** Starts a service in a process of its own. @throws Error if the process ends before the service listens. */
export async function start(contender: Contender, location: string): Promise<Running> {
  const { title, module, packages, isBuilt = false } = contender
  const script = fileURLToPath(new URL('./serve.ts', import.meta.url))
  const args = [module.href, location, ...(packages === undefined ? [] : [packages.href])]
  const execArgv = isBuilt ? [] : process.execArgv
  const child = fork(script, args, { execArgv, env: { ...process.env, NODE_ENV: 'production' } })
  const end = once(child, 'exit').then(([code]) => Promise.reject(new Error(`${title} ended with code ${code}`)))
  const [port] = await Promise.race([once(child, 'message'), end])
  const stop = () => {
    child.disconnect()
    return end.catch(() => {})
  }
  return { ...contender, location, port, pid: child.pid as number, stop }
}
