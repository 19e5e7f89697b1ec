import type { AddressInfo } from 'node:net'
import type { Model } from '@fastify-crud/core'
import Fastify, { type FastifyInstance } from 'fastify'
import { type CrudOptions, createTables, crudPlugin } from 'fastify-crud'
import { afterAll, beforeAll, beforeEach } from 'vitest'
import type { OpenDatabase, Setup } from '../../../test/support/databases.ts'
import type { TestKysely } from '../../../test/support/tables.ts'

/** A service that listens, with its records in a real database. */
export interface ListeningService {
  readonly fastify: FastifyInstance
  readonly db: TestKysely
  /** Where it is, with the prefix. */
  readonly url: string
  /** The requests that it has got since this was asked last: method, path and the headers of preferences. */
  requests(): readonly string[]
}

/** A service for the tests of a `describe`, its tables empty before each. */
export function useService(
  database: Setup,
  resources: Model,
  plugin: Partial<CrudOptions> = {},
  before: (app: FastifyInstance) => void = () => undefined,
): ListeningService {
  let opened: OpenDatabase
  let fastify: FastifyInstance
  let requests: string[] = []
  beforeAll(async () => {
    opened = await database.open({ tablesOf: resources })
    if (opened.hasTables !== true) await createTables(opened.db, resources)
    fastify = Fastify({ forceCloseConnections: true })
    fastify.addHook('onRequest', async ({ method, url, headers }) => {
      const said = ['if-match', 'prefer'].filter((name) => headers[name] !== undefined)
      requests.push([method, url.replace('/api', ''), ...said.map((name) => `${name}: ${headers[name]}`)].join(' '))
    })
    before(fastify)
    await fastify.register(crudPlugin, { ...plugin, db: opened.db, resources } as never)
    await fastify.listen({ port: 0, host: '127.0.0.1' })
  })
  beforeEach(async () => {
    await opened.empty()
    requests = []
  })
  afterAll(async () => {
    await fastify.close()
    await opened.close()
  })
  return {
    get fastify() {
      return fastify
    },
    get db() {
      return opened.db
    },
    get url() {
      return `http://127.0.0.1:${(fastify.server.address() as AddressInfo).port}/api`
    },
    requests() {
      const all = requests
      requests = []
      return all
    },
  }
}
