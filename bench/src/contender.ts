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
  /** Before the service starts. Default: by this library. */
  createTables?(location: string): unknown
}

export interface Running extends Contender {
  readonly location: string
  readonly port: number
  stop(): Promise<void>
}

/** Starts a service in a process of its own. @throws Error if the process ends before the service listens. */
export async function start(contender: Contender, location: string): Promise<Running> {
  const { title, module } = contender
  const script = fileURLToPath(new URL('./serve.ts', import.meta.url))
  const child = fork(script, [module.href, location], { env: { ...process.env, NODE_ENV: 'production' } })
  const end = once(child, 'exit').then(([code]) => Promise.reject(new Error(`${title} ended with code ${code}`)))
  const [port] = await Promise.race([once(child, 'message'), end])
  const stop = () => {
    child.disconnect()
    return end.catch(() => {})
  }
  return { ...contender, location, port, stop }
}
