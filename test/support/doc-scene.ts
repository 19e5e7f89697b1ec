import { createHmac } from 'node:crypto'
import { stripTypeScriptTypes } from 'node:module'
import { DatabaseSync } from 'node:sqlite'
import { scheduler } from 'node:timers/promises'
import cors from '@fastify/cors'
import swagger from '@fastify/swagger'
import * as client from '@fastify-crud/client'
import { changes } from '@fastify-crud/client/changes'
import { createQueries, live } from '@fastify-crud/client/query'
import * as core from '@fastify-crud/core'
import { resourceOf } from '@fastify-crud/core/internal'
import { openNodeSqlite } from '@fastify-crud/core/node-sqlite'
import * as postgres from '@fastify-crud/core/postgres'
import { openSqlite } from '@fastify-crud/core/sqlite'
import { explorer } from '@fastify-crud/explorer'
import { crudMcp } from '@fastify-crud/mcp'
import * as openapi from '@fastify-crud/openapi'
import { reactAdminAccess, reactAdminLive, reactAdminProvider } from '@fastify-crud/react-admin'
import { refineAccess, refineLive, refineProvider } from '@fastify-crud/refine'
import * as tables from '@fastify-crud/tables'
import { Type } from '@sinclair/typebox'
import { QueryClient } from '@tanstack/query-core'
import { toStandardJsonSchema } from '@valibot/to-json-schema'
import { type } from 'arktype'
import Database from 'better-sqlite3'
import Fastify, { type FastifyInstance } from 'fastify'
import { crudOptions, crudPlugin, sendClientProblem, sendProblem } from 'fastify-crud'
import { Kysely, PostgresDialect, SqliteDialect } from 'kysely'
import { Pool } from 'pg'
import * as v from 'valibot'
import { z } from 'zod'

const { owns, ownedBy, needs, neededBy } = core
const resources = core.defineResources({
  publisher: {
    fields: { name: Type.String() },
    relations: { books: neededBy.many('book') },
    unique: [['name']],
  },
  author: { fields: { name: Type.String() } },
  book: {
    fields: { title: Type.String() },
    relations: { publisher: needs.one('publisher'), authors: needs.many('author'), chapters: owns.many('chapter') },
  },
  chapter: { fields: { title: Type.String() }, relations: { book: ownedBy('book') } },
})

class NodeInMemory extends DatabaseSync {
  constructor() {
    super(':memory:')
  }
}

/** The files that examples name are not made. */
class InMemory extends Database {
  constructor() {
    super(':memory:')
  }
}

/** The header by which a test says who a request comes from. */
export const USER_HEADER = 'x-user-of-page'

/** Without a log, and on no port. Knows its users, as if a plugin for authentication were there. */
function quietFastify(): FastifyInstance {
  const app = Fastify()
  app.decorateRequest('user')
  app.addHook('onRequest', async (request) => {
    const user = request.headers[USER_HEADER]
    if (user !== undefined) Object.assign(request, { user: JSON.parse(String(user)) })
  })
  return Object.assign(app, { listen: async () => await app.ready() })
}

/** Clients of the scene's service, which listens nowhere. */
function clientMaker(db: core.AnyKysely): (options: client.ClientOptions) => client.Client<typeof resources> {
  const app = Fastify()
  app.register(crudPlugin, { db, resources })
  const fetch = async (input: unknown, { method = 'GET', headers, body }: RequestInit = {}): Promise<Response> => {
    const {
      statusCode,
      headers: answered,
      payload,
    } = await app.inject({
      url: String(input),
      method: method as 'GET',
      headers: headers as Record<string, string>,
      ...(body != null && { payload: String(body) }),
    })
    const isEmpty = statusCode === 204
    return new Response(isEmpty ? null : payload, { status: statusCode, headers: answered as Record<string, string> })
  }
  return (options) => client.createClient<typeof resources>({ fetch: fetch as typeof globalThis.fetch, ...options })
}

/** What the examples take for granted, by name. */
export async function docScene(): Promise<Record<string, unknown>> {
  const db = new Kysely({ dialect: new SqliteDialect({ database: new Database(':memory:') }) })
  await tables.createTables(db, resources)
  const store = core.createStore({ db, resources })
  for (const name of ['One', 'Two', 'Three']) {
    await store.resource('publisher').create({ name })
    await store.resource('author').create({ name })
  }
  const record = await store.resource('book').create({
    title: 'Plans',
    publisherId: 1,
    authors: [{ id: 1 }],
    chapters: [{ title: 'One' }],
  })
  const createClient = clientMaker(db)
  return {
    ...core,
    ...client,
    crudMcp,
    createClient,
    api: createClient({ url: '/api' }),
    ...{ reactAdminAccess, reactAdminLive, reactAdminProvider, refineAccess, refineLive, refineProvider },
    ...{ changes, live, createQueries, QueryClient, queryClient: new QueryClient() },
    ...openapi,
    explorer,
    ...tables,
    ...postgres,
    openSqlite: () => openSqlite(':memory:'),
    ...{ openNodeSqlite, DatabaseSync: NodeInMemory },
    ...{ z, type, v, toStandardJsonSchema },
    ...{ Type, crudOptions, crudPlugin, sendClientProblem, sendProblem, cors, swagger, Fastify: quietFastify },
    ...{ Kysely, SqliteDialect, PostgresDialect, Pool, Database: InMemory, SqliteDriver: InMemory },
    connectionString: 'postgres://localhost:1/none',
    process: { env: { DATABASE_URL: 'postgres://localhost:1/none', REPLICA_URL: 'postgres://localhost:1/none' } },
    log: { error() {}, info() {}, warn() {} },
    sendMail: async () => {},
    ...{ createHmac, scheduler, receiver: { url: 'http://localhost:1/none', secret: 'secret' } },
    writeFile: async () => {},
    app: Fastify(),
    db,
    store,
    resources,
    record,
    book: resourceOf(resources, 'book'),
  }
}

const AsyncFunction = (async () => undefined).constructor as new (
  ...args: string[]
) => (...args: unknown[]) => Promise<unknown>

const IMPORT = /^import (?:(\w+),? ?)?(?:\{ (.*?) \} )?from '.*'.*$/gm

/** Runs an example in a scene. Returns what it returns. */
export async function runExample(code: string, scene: Readonly<Record<string, unknown>>): Promise<unknown> {
  // In a block of its own, so that an example may declare what others take for granted.
  return await new AsyncFunction(...Object.keys(scene), `{ ${asStatements(code, scene)}\n}`)(...Object.values(scene))
}

function asStatements(code: string, scene: Readonly<Record<string, unknown>>): string {
  if (code.startsWith('relations: ')) return `return { ${code}\n}`
  if (code.startsWith('plan')) return `return ${code}`
  const script = code.replaceAll(IMPORT, (_import, whole: string | undefined, names = '') => {
    const imported = [whole, ...names.split(', ')].filter(Boolean)
    const unknown = imported.find((name) => !(name in scene))
    if (unknown !== undefined) throw new Error(`the examples import '${unknown}', which the scene does not have`)
    return ''
  })
  return stripTypeScriptTypes(`(async () => {${script}\n})`).slice('(async () => {'.length, -'})'.length)
}
