import { createRequire } from 'node:module'
import { keepStatements } from '@fastify-crud/core'
import { createTables } from '@fastify-crud/tables'
import { context, SpanStatusCode, trace } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { PgInstrumentation, type PgInstrumentationConfig } from '@opentelemetry/instrumentation-pg'
import { InMemorySpanExporter, type ReadableSpan, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace'
import { Kysely, PostgresDialect, sql } from 'kysely'
import type pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { databases, type OpenDatabase, type TestDatabase } from '../../../../test/support/databases.ts'
import { type StatementLog, statementLog } from '../../../../test/support/statement-log.ts'
import { FEATURES_QUERY } from '../../src/session/drivers/driver-features.ts'
import { authorsIn, library, liveThrough, type Tables } from './library.ts'

const postgres = databases.find(({ name }) => name === 'postgres') as TestDatabase

const exporter = new InMemorySpanExporter()
const provider = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] })
const tracer = provider.getTracer('test')
let instrumentation: PgInstrumentation
let Pool: typeof pg.Pool

beforeAll(() => {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
  instrumentation = new PgInstrumentation()
  instrumentation.setTracerProvider(provider)
  // It patches a module that somebody requires.
  ;({ Pool } = createRequire(import.meta.url)('pg') as typeof pg)
})
afterAll(() => {
  instrumentation.disable()
  context.disable()
})

const configs: readonly { readonly title: string; readonly config: PgInstrumentationConfig }[] = [
  { title: 'as it comes', config: {} },
  { title: 'with comments in the SQL', config: { addSqlCommenterCommentToQueries: true } },
  { title: 'with the trace in `application_name`', config: { enableTraceContextPropagation: true } },
]

describe.each(configs)("OpenTelemetry's instrumentation of `pg`, $title, on a pool with `keepStatements`", (one) => {
  let open: OpenDatabase
  let log: StatementLog
  let db: Kysely<Tables>

  beforeAll(async () => {
    instrumentation.setConfig(one.config)
    open = await postgres.open()
    await createTables(open.db, library)
    log = statementLog()
    const pool = new Pool({ connectionString: open.location, max: 2 })
    db = new Kysely({ dialect: new PostgresDialect({ pool: keepStatements(pool) }), log: log.logger })
    await liveThrough(db, 'first')
  })
  afterAll(async () => {
    await db.destroy()
    await open.close()
  })

  /** Runs work in a span of its own. Returns the spans of statements below it. */
  async function spansOf(work: () => Promise<unknown>): Promise<readonly ReadableSpan[]> {
    const request = tracer.startSpan('request')
    exporter.reset()
    await context.with(trace.setSpan(context.active(), request), work)
    request.end()
    const spans = exporter.getFinishedSpans().filter((span) => textOf(span) !== undefined)
    for (const span of spans) expect(span.parentSpanContext?.spanId).toBe(request.spanContext().spanId)
    return spans
  }

  test('has a span for each statement, with its text, below the span of the request', async () => {
    for (let n = 0; n < 5; n++) {
      let sent: readonly string[] = []
      const spans = await spansOf(async () => {
        sent = await log.record(() => liveThrough(db, `p${n}`))
      })
      const known = sent.filter((text) => text !== FEATURES_QUERY)
      expect(known.length).toBeGreaterThan(30)
      expect(spans.length).toBe(known.length)
      const texts = new Set(spans.map(textOf))
      expect(known.filter((text) => !texts.has(text))).toEqual([])
    }
  })

  test('has the spans of each of several requests at the same time below that request', async () => {
    const authors = authorsIn(db)
    const { id } = await authors.create({ name: 'many' })
    exporter.reset()
    const work = Array.from({ length: 10 }, async (_, n) => {
      const request = tracer.startSpan('request')
      await context.with(trace.setSpan(context.active(), request), () =>
        authors.patch(id, { books: [{ title: `${n}` }] }),
      )
      return request.spanContext().spanId
    })
    const requests = await Promise.all(work)
    const parents = exporter.getFinishedSpans().map((span) => span.parentSpanContext?.spanId)
    for (const request of requests) expect(parents.filter((parent) => parent === request).length).toBeGreaterThan(2)
    await authors.delete(id)
  })

  test('has the error of a statement in its span, and of those that were not run behind it', async () => {
    const authors = authorsIn(db)
    const { id } = await authors.create({ name: 'a', born: 1 })
    await sql`alter table author add constraint late check (born < 2000)`.execute(db)
    for (let n = 0; n < 3; n++) await authors.patch(id, { born: n })
    const spans = await spansOf(async () => {
      await expect(authors.patch(id, { born: 2001 })).rejects.toMatchObject({ code: 'CRUD_ERR_REFUSED' })
    })
    const failed = spans.filter(({ status }) => status.code === SpanStatusCode.ERROR)
    expect(failed.some((span) => /^(with|update)/.test(textOf(span) ?? ''))).toBe(true)
    expect(failed.some((span) => textOf(span) === 'commit')).toBe(true)
    expect(spans.filter((span) => textOf(span) === 'rollback').map(({ status }) => status.code)).not.toContain(
      SpanStatusCode.ERROR,
    )
    await sql`alter table author drop constraint late`.execute(db)
    await authors.delete(id)
  })
})

/** The text of the statement that a span is about. */
function textOf({ attributes }: ReadableSpan): string | undefined {
  const text = attributes['db.query.text'] ?? attributes['db.statement']
  return typeof text === 'string' ? text : undefined
}
