import type { OpenApiDocument } from '@fastify-crud/core/schema'
import Fastify, { type FastifyInstance } from 'fastify'
import { createTables, crudPlugin, type Model } from 'fastify-crud'
import type { OpenDatabase, TestDatabase } from '../../../../test/support/databases.ts'
import { checkAgainstOpenApi, type OpenApiCheck } from '../../../../test/support/openapi.ts'
import { authorizeCallers, CALLERS } from './callers.ts'
import { fingerprintOf } from './fingerprint.ts'
import type { FuzzedRequest } from './random-request.ts'

export interface FuzzedAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, unknown>>
  readonly text: string
}

/** A service that is fuzzed, with its document. */
export interface FuzzService {
  readonly document: OpenApiDocument
  readonly misfits: OpenApiCheck['misfits']
  send(request: Omit<FuzzedRequest, 'caller'>): Promise<FuzzedAnswer>
  /** Adds a record, as somebody who may do everything. */
  add(path: string, body: object): Promise<Record<string, unknown>>
  /** Equal if no row has changed. */
  fingerprint(): Promise<string>
  empty(): Promise<void>
  close(): Promise<void>
}

/** `before`: has the first look at each answer, such as a hook that puts a fault into it. */
export async function openFuzzService(
  kind: TestDatabase,
  resources: Model,
  before: (app: FastifyInstance, database: OpenDatabase) => void = () => {},
): Promise<FuzzService> {
  const database = await kind.open()
  await createTables(database.db, resources)
  const app = Fastify()
  before(app, database)
  const { misfits } = await checkAgainstOpenApi(app)
  await app.register(crudPlugin, { db: database.db, resources, authorize: authorizeCallers })
  await app.ready()

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
    document: app.swagger() as unknown as OpenApiDocument,
    misfits,
    send,
    async add(path, body) {
      const headers = { ...CALLERS[0]?.headers, 'content-type': 'application/json' }
      const { status, text } = await send({ method: 'POST', url: path, headers, payload: JSON.stringify(body) })
      if (status !== 201) throw new Error(`POST ${path}: ${status} ${text}`)
      return JSON.parse(text)
    },
    fingerprint: await fingerprintOf(database),
    empty: () => database.empty(),
    async close() {
      await app.close()
      await database.close()
    },
  }
}
