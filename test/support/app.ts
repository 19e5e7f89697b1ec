import type { Server } from 'node:http'
import type { Model } from '@fastify-crud/core'
import Fastify, { type FastifyHttpOptions, type FastifyInstance } from 'fastify'
import { type CrudOptions, createTables, crudPlugin } from 'fastify-crud'
import type { KyselyPlugin } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect } from 'vitest'
import type { OpenDatabase, Setup, TestDatabase } from './databases.ts'
import { giveIds } from './give-ids.ts'
import type { JsonBody } from './json-body.ts'
import { checkAgainstOpenApi, type OpenApiCheck } from './openapi.ts'
import { type PartitionWatch, watchPartitions } from './partition-watch.ts'
import { type ExpectedProblem, expectProblem } from './problem.ts'
import { raiseIds, type Snapshot, type TestKysely, takeSnapshot } from './tables.ts'
import { clientGivesIds, withTestIds } from './test-ids.ts'
import { withTestSoftDelete } from './test-soft-delete.ts'
import { hasTestTenants, keepTenants, testPartitions, withTenantOf, withTestTenants } from './test-tenants.ts'

export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, number | string | string[] | undefined>>
  /** Parsed if it is JSON, else the text; `undefined` if it is empty. */
  readonly body: JsonBody
}

type PluginOptions = Omit<CrudOptions, 'db' | 'resources'>

export interface AppOptions {
  /** The plugin's options besides `db` and `resources`. */
  readonly plugin?: PluginOptions
  readonly fastify?: FastifyHttpOptions<Server>
  /** Plugins of the Kysely instance. */
  readonly kysely?: KyselyPlugin[]
  /** Makes the tables. Default: `createTables`. */
  readonly tables?: (database: OpenDatabase) => Promise<void>
  /** PostgreSQL: how many partitions the tables of tenants have. Then each statement of the plugin may touch one of each table. */
  readonly partitions?: number
  /** Runs before the plugin is registered. */
  readonly before?: (app: FastifyInstance) => void
}

/** A service under test, and its database. */
export interface TestApp {
  readonly fastify: FastifyInstance
  readonly database: OpenDatabase
  readonly db: TestKysely
  /** Sends a request; a body goes as JSON. */
  request(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>
  /** Sends a body as it is, with that content type. */
  raw(method: string, path: string, body: string | Buffer, contentType?: string): Promise<Answer>
  get(path: string): Promise<Answer>
  post(path: string, body: unknown): Promise<Answer>
  put(path: string, body: unknown): Promise<Answer>
  patch(path: string, body: unknown): Promise<Answer>
  delete(path: string): Promise<Answer>
  /** POST that must succeed; returns the record. */
  add(path: string, body: unknown): Promise<JsonBody>
  /** GET that must succeed; returns the body. */
  read(path: string): Promise<JsonBody>
  /** A request that must be refused so, and change nothing in the database. Returns the problem. */
  refuse(method: string, path: string, body: unknown, expected: ExpectedProblem): Promise<JsonBody>
  /** All rows of all tables, or of these. */
  snapshot(tables?: readonly string[]): Promise<Snapshot>
  /** With `partitions`: sees which of them statements touch. */
  readonly watch: PartitionWatch | undefined
  /** Every SQL statement that is sent while the function runs. */
  statements(run: () => Promise<unknown>): Promise<readonly string[]>
  /** Whether it still takes requests. */
  isUp(): boolean
  close(): Promise<void>
}

/** Builds a service on a new database: tables, plugin, nothing else. */
export async function buildApp(kind: TestDatabase, model: Model, options: AppOptions = {}): Promise<TestApp> {
  const resources = options.tables === undefined ? withTestSoftDelete(withTestTenants(withTestIds(model))) : model
  const partitions = kind.name === 'postgres' ? (options.partitions ?? testPartitions(resources)) : undefined
  let watch: PartitionWatch | undefined
  const isUsual = options.tables === undefined && options.kysely === undefined && partitions === undefined
  let database = await kind.open({
    ...(options.kysely && { plugins: options.kysely }),
    ...(isUsual && { tablesOf: model }),
  })
  const fastify = Fastify(options.fastify)
  try {
    if (options.tables !== undefined) await options.tables(database)
    else if (database.hasTables !== true) {
      await createTestTables(database, resources, partitions)
      if (isUsual) await database.keepTables?.()
    }
    const hasTenants = hasTestTenants(resources)
    if (hasTenants) database = await keepTenants(database)
    if (partitions !== undefined) {
      const kept = (kind as Partial<Setup>).isBatched ?? true
      watch = watchPartitions(database, { kept, ...(options.kysely && { plugins: options.kysely }) })
    }
    const plugin = hasTenants ? withTenantOf(options.plugin) : options.plugin
    // What a replaced endpoint answers is its own affair.
    const openApi = options.plugin?.handlers === undefined ? await checkAgainstOpenApi(fastify) : { misfits: [] }
    let isUp = true
    fastify.addHook('onClose', async () => {
      isUp = false
    })
    options.before?.(fastify)
    const openapi = { filters: 'all', bulk: 'all', ...plugin?.openapi } as const
    await fastify.register(crudPlugin, { ...plugin, db: watch?.db ?? database.db, resources, openapi })
    await fastify.ready()
    const gives = clientGivesIds && resources !== model ? resources : undefined
    return toTestApp(fastify, database, { openApi, gives, watch, isUp: () => isUp })
  } catch (error) {
    await fastify.close()
    await watch?.close()
    await database.close()
    throw error
  }
}

async function createTestTables(
  { name, db }: OpenDatabase,
  model: Model,
  partitions: number | undefined,
): Promise<void> {
  await createTables(db, model, { partitions })
  const counted = [...model.resources.values()].filter(({ id }) => id.name === 'bigint' && id.assignedBy === 'database')
  await raiseIds(
    name,
    db,
    counted.map(({ table }) => table),
  )
}

/** A service that no test uses, and may be used again. */
interface IdleApp {
  readonly kind: TestDatabase
  readonly model: Model
  readonly app: TestApp
}

/** Services without options of their own, the longest unused first: to start one takes longer than most tests. */
const idle: IdleApp[] = []
const MOST_IDLE = 10

async function takeApp(kind: TestDatabase, model: Model): Promise<TestApp> {
  const index = idle.findLastIndex((one) => one.kind === kind && one.model === model)
  const [found] = index === -1 ? [] : idle.splice(index, 1)
  return found?.app ?? (await buildApp(kind, model))
}

async function giveBackApp(one: IdleApp): Promise<void> {
  const { app } = one
  const isAsNew = app.isUp() && (await app.database.renew?.()) === true
  if (!isAsNew) return await app.close()
  idle.push(one)
  if (idle.length > MOST_IDLE) await idle.shift()?.app.close()
}

/**
 * A service for all tests of a `describe`, its tables empty before each. With options, it is built for them and closed at the end. Else an
 * earlier `describe` of the same model may have used it.
 */
export function useApp(kind: TestDatabase, resources: Model, options?: AppOptions): TestApp {
  let current: TestApp | undefined
  beforeAll(async () => {
    current = options === undefined ? await takeApp(kind, resources) : await buildApp(kind, resources, options)
  })
  beforeEach(() => current?.database.empty())
  afterAll(async () => {
    if (current !== undefined && options === undefined) await giveBackApp({ kind, model: resources, app: current })
    else await current?.close()
  })
  return new Proxy({} as TestApp, {
    get(_, name) {
      if (current === undefined) throw new Error('the service is there only while tests run')
      return current[name as keyof TestApp]
    },
  })
}

interface Surroundings {
  readonly openApi: OpenApiCheck
  readonly gives: Model | undefined
  readonly watch: PartitionWatch | undefined
  readonly isUp: () => boolean
}

function toTestApp(
  fastify: FastifyInstance,
  database: OpenDatabase,
  { openApi, gives, watch, isUp }: Surroundings,
): TestApp {
  const { name, db } = database
  const send = async (method: string, url: string, headers: Record<string, string>, payload?: string | Buffer) => {
    const answer = await fastify.inject({
      method: method as 'GET',
      url,
      headers,
      ...(payload === undefined ? {} : { payload }),
    })
    expect(openApi.misfits).toEqual([])
    expect((await watch?.take()) ?? []).toEqual([])
    const isJson = /[/+]json\b/.test(String(answer.headers['content-type']))
    const text = answer.payload === '' ? undefined : answer.payload
    const body: JsonBody = isJson && text !== undefined ? JSON.parse(text) : text
    return { status: answer.statusCode, headers: answer.headers, body }
  }
  const request: TestApp['request'] = async (method, path, body, headers = {}) => {
    if (body === undefined) return send(method, path, headers)
    const sent = gives === undefined ? body : await giveIds(gives, db, [method, path, body])
    return send(method, path, { 'content-type': 'application/json', ...headers }, JSON.stringify(sent))
  }
  const snapshot: TestApp['snapshot'] = (tables) => takeSnapshot(name, db, tables)
  return {
    fastify,
    database,
    db,
    request,
    raw: (method, path, body, contentType = 'application/json') =>
      send(method, path, { 'content-type': contentType }, body),
    get: (path) => request('GET', path),
    post: (path, body) => request('POST', path, body),
    put: (path, body) => request('PUT', path, body),
    patch: (path, body) => request('PATCH', path, body),
    delete: (path) => request('DELETE', path),
    async add(path, body) {
      const answer = await request('POST', path, body)
      expect(answer.status, JSON.stringify(answer.body)).toBe(201)
      return answer.body
    },
    async read(path) {
      const answer = await request('GET', path)
      expect(answer.status, JSON.stringify(answer.body)).toBe(200)
      return answer.body
    },
    async refuse(method, path, body, expected) {
      const before = await snapshot()
      const answer = await request(method, path, body)
      expectProblem(answer, expected)
      expect(await snapshot()).toEqual(before)
      return answer.body
    },
    snapshot,
    watch,
    statements: (run) => database.statements.record(run),
    isUp,
    async close() {
      await fastify.close()
      await watch?.close()
      await database.close()
    },
  }
}
