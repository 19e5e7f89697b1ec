import type { FastifyServerOptions } from 'fastify'

/** What a service logs, such as errors that its clients are told nothing of. */
export interface ErrorLog {
  /** For the service's options. */
  readonly fastify: FastifyServerOptions
  readonly lines: readonly string[]
}

export function errorLog(level: 'error' | 'info' = 'error'): ErrorLog {
  const lines: string[] = []
  const stream = { write: (line: string) => void lines.push(line) }
  return { lines, fastify: { logger: { level, stream } } }
}
