import type { Model } from '@fastify-crud/core'
import { afterAll, beforeAll, beforeEach, expect } from 'vitest'
import { type Answer, type AppOptions, buildApp, type TestApp } from './app.ts'
import type { TestDatabase } from './databases.ts'
import { errorLog } from './error-log.ts'
import { type ConnectionOptions, sameDatabase } from './same-database.ts'

/** A request that one of the servers gets. */
export type Request = readonly [method: string, path: string, body?: unknown]

/** Several servers on one database, as where a service runs more than once. */
export interface Servers {
  /** One of them: for what happens before and after. */
  readonly one: TestApp
  readonly other: TestApp
  /** Sends the requests at the same time, to one server after the other; fails if one is answered with a 5xx. */
  atOnce(...requests: Request[]): Promise<Answer[]>
}

/** Two servers for all tests of a `describe`: built before them, the tables empty before each, closed at the end. */
export function useServers(
  kind: TestDatabase,
  resources: Model,
  options: AppOptions = {},
  connections: ConnectionOptions = {},
): Servers {
  const servers: TestApp[] = []
  const { fastify, lines } = errorLog()
  beforeAll(async () => {
    const first = await buildApp(kind, resources, options)
    servers.push(first)
    for (let i = 0; i < 2; i++) {
      servers.push(
        await buildApp(sameDatabase(first.database, connections), resources, {
          ...options,
          fastify,
          tables: async () => {},
        }),
      )
    }
  })
  beforeEach(() => servers[0]?.database.empty())
  afterAll(async () => {
    for (const server of servers.reverse()) await server.close()
  })
  const at = (index: number): TestApp => {
    const server = servers[index]
    if (server === undefined) throw new Error('the servers are there only while tests run')
    return server
  }
  return {
    get one() {
      return at(0)
    },
    get other() {
      return at(1)
    },
    async atOnce(...requests) {
      const answers = await Promise.all(
        requests.map(([method, path, body], index) => at(1 + (index % 2)).request(method, path, body)),
      )
      for (const { status, body } of answers) expect(status, JSON.stringify([body, ...lines])).toBeLessThan(500)
      return answers
    },
  }
}
