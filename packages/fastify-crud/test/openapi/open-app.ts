import { PassThrough } from 'node:stream'
import Fastify, { type FastifyInstance } from 'fastify'
import { type AnyKysely, type CrudOptions, createTables, crudPlugin } from 'fastify-crud'
import { openSqlite } from 'fastify-crud/sqlite'
import { afterEach } from 'vitest'
import { resources } from '../../../../examples/bookshop/src/resources.ts'

const closing: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

export interface OpenApp {
  readonly app: FastifyInstance
  /** What it warned of. */
  readonly warnings: string[]
  /** Its database, which has no tables before the bookshop is served. */
  readonly db: AnyKysely
  /** Registers the bookshop, on tables without rows. */
  serve(options?: Partial<CrudOptions<typeof resources>>): Promise<void>
}

/** An application that is closed after the test. */
export function openApp(): OpenApp {
  const warnings: string[] = []
  const stream = new PassThrough({ decodeStrings: false })
  stream.on('data', (line: string) => {
    const { level, msg } = JSON.parse(line)
    if (level === 40 && !msg.includes('authorize')) warnings.push(msg)
  })
  const app = Fastify({ logger: { level: 'warn', stream } })
  const db = openSqlite(':memory:')
  closing.push(() => app.close())
  closing.push(() => db.destroy())
  return {
    app,
    db,
    warnings,
    async serve(options = {}) {
      await createTables(db, resources)
      await app.register(crudPlugin, { db, resources, decorator: false, tables: 'off', ...options })
    },
  }
}
