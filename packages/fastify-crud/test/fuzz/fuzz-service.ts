import type { OpenApiDocument } from '@fastify-crud/openapi'
import Fastify, { type FastifyInstance } from 'fastify'
import { type CrudOptions, createTables, crudPlugin, type Model } from 'fastify-crud'
import type { OpenDatabase, TestDatabase } from '../../../../test/support/databases.ts'
import { checkAgainstOpenApi, type OpenApiCheck } from '../../../../test/support/openapi.ts'
import { watchPartitions } from '../../../../test/support/partition-watch.ts'
import { accessOptions, type Caller, headersOf } from './callers.ts'
import type { FuzzedRequest } from './random-request.ts'
import type { RowRules } from './row-rules.ts'
import { type RowSwapper, rowSwapper } from './rows-aside.ts'
import { rowsReader, type StoredRows } from './stored-rows.ts'

/** What is fuzzed: a service over these resources, by these callers. The first of them adds the records that a round begins with, unless another is named. */
export interface FuzzSubject {
  readonly resources: Model
  readonly callers: readonly Caller[]
  readonly options: Partial<CrudOptions>
  /** PostgreSQL: how many partitions the tables of tenants have. Then each statement may touch one of each table. */
  readonly partitions?: number
  /** What its policies say. */
  readonly rowRules: RowRules
  /** Adds the records that a round begins with. */
  furnish(add: AddRecord, mark: MarkText): Promise<void>
}

/** Adds a record, as the caller of that name; default: the first. */
export type AddRecord = (path: string, body: object, by?: string) => Promise<Record<string, unknown>>

/** The words, with the mark of a text at that place. */
export type MarkText = (words: string, ...place: readonly string[]) => string

export interface FuzzedAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, unknown>>
  readonly text: string
}

/** A service that is fuzzed, with its document. */
export interface FuzzService {
  readonly subject: FuzzSubject
  readonly document: OpenApiDocument
  readonly database: OpenDatabase
  /** The statements that have touched more than one partition of a table. */
  scattered(): Promise<readonly string[]>
  readonly misfits: OpenApiCheck['misfits']
  /** The lines that the service has logged since it was asked for them. */
  takeLog(): readonly string[]
  send(request: Omit<FuzzedRequest, 'caller'>): Promise<FuzzedAnswer>
  readonly add: AddRecord
  rows(): Promise<StoredRows>
  /** Asks while these rows are away, or others. */
  readonly without: RowSwapper['without']
  empty(): Promise<void>
  close(): Promise<void>
}

/** What is wrong with a service: hooks that have the first look at each answer, or options of the plugin. */
export interface Fault {
  readonly hooks?: (app: FastifyInstance, database: OpenDatabase) => void
  readonly options?: Partial<CrudOptions>
}

export async function openFuzzService(
  kind: TestDatabase,
  subject: FuzzSubject,
  { hooks, options: faulty }: Fault = {},
): Promise<FuzzService> {
  const { resources, callers } = subject
  const database = await kind.open()
  const partitions = database.name === 'postgres' ? subject.partitions : undefined
  await createTables(database.db, resources, { partitions })
  const watch = partitions === undefined ? undefined : watchPartitions(database, { kept: true })
  const log: string[] = []
  const stream = { write: (line: string) => void log.push(line) }
  const app = Fastify({ logger: { level: 'trace', stream } })
  hooks?.(app, database)
  const { misfits } = await checkAgainstOpenApi(app)
  const options = { ...subject.options, ...accessOptions(callers), ...faulty }
  await app.register(crudPlugin, {
    db: watch?.db ?? database.db,
    resources,
    ...options,
    openapi: { filters: 'all', bulk: 'all', ...options.openapi },
  })
  await app.ready()

  const swapper = await rowSwapper(database)

  const send: FuzzService['send'] = async ({ method, url, headers, payload }) => {
    const answer = await app.inject({
      method: method as 'GET',
      url,
      headers,
      ...(payload !== undefined && { payload }),
    })
    return { status: answer.statusCode, headers: answer.headers, text: answer.payload }
  }
  return {
    subject,
    database,
    scattered: async () => (await watch?.take()) ?? [],
    document: app.swagger() as unknown as OpenApiDocument,
    misfits,
    takeLog: () => log.splice(0),
    send,
    async add(path, body, by) {
      const caller = callers.find(({ name }) => by === undefined || name === by) as Caller
      const headers = { ...headersOf(caller), 'content-type': 'application/json' }
      const { status, text } = await send({ method: 'POST', url: path, headers, payload: JSON.stringify(body) })
      if (status !== 201) throw new Error(`POST ${path}: ${status} ${text}`)
      return JSON.parse(text)
    },
    rows: await rowsReader(database, resources),
    without: swapper.without,
    empty: () => database.empty(),
    async close() {
      await app.close()
      await swapper.close()
      await watch?.close()
      await database.close()
    },
  }
}
