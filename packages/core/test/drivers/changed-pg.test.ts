import { keepStatements } from '@fastify-crud/core'
import { openPostgres } from '@fastify-crud/core/postgres'
import { createTables } from '@fastify-crud/tables'
import { Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { countMessages } from '../../../../test/support/count-messages.ts'
import { databases, type OpenDatabase, type TestDatabase } from '../../../../test/support/databases.ts'
import { authorsIn, library, liveThrough, type Tables } from './library.ts'

const postgres = databases.find(({ name }) => name === 'postgres') as TestDatabase
let open: OpenDatabase

beforeAll(async () => {
  open = await postgres.open()
  await createTables(open.db, library)
})
beforeEach(() => open.empty())
afterAll(() => open.close())

/** A pool whose clients have another inside than those of `pg`. */
class ChangedPool extends pg.Pool {
  /** The same for each client, as a driver's own are. */
  readonly #changed = new WeakMap<pg.PoolClient, pg.PoolClient>()

  override connect(): Promise<pg.PoolClient>
  override connect(callback: Parameters<pg.Pool['connect']>[0]): void
  override async connect(): Promise<pg.PoolClient> {
    const client = await super.connect()
    const changed = this.#changed.get(client) ?? withoutParsers(client)
    this.#changed.set(client, changed)
    return changed
  }
}

function withoutParsers(client: pg.PoolClient): pg.PoolClient {
  return Object.create(client, { query: { value: client.query.bind(client) }, getTypeParser: { value: undefined } })
}

async function withPool(pool: pg.Pool, work: (db: Kysely<Tables>, warnings: string[]) => Promise<void>): Promise<void> {
  const warnings: string[] = []
  const kept = keepStatements(pool, { warn: (message) => warnings.push(message) })
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool: kept }) })
  try {
    await work(db, warnings)
  } finally {
    await db.destroy()
  }
}

test('on a `pg` whose inside has changed, statements go one by one, and `warn` is told once what is missing', async () => {
  const pool = new ChangedPool({ connectionString: open.location, max: 3 })
  const messages = countMessages(pool)
  await withPool(pool, async (db, warnings) => {
    for (let n = 0; n < 4; n++) await liveThrough(db, 'a')
    await Promise.all([0, 1, 2].map((n) => liveThrough(db, `p${n}`)))
    const before = messages()
    await authorsIn(db).create({ name: 'b', books: [{ title: 'c' }] })
    // `begin` and `commit` have no values, so they are simple queries, without a Sync.
    expect(messages() - before).toBeGreaterThan(1)
    expect(warnings).toHaveLength(1)
    expect(warnings[0]).toContain("have no 'getTypeParser'")
    expect(warnings[0]).toContain('Install a version of pg')
  })
})

test('openPostgres passes the warning to its own `warn`', async () => {
  const warnings: string[] = []
  const pool = new ChangedPool({ connectionString: open.location, max: 1 })
  const db = openPostgres<Tables>(pool, { warn: (message) => warnings.push(message) })
  await authorsIn(db).create({ name: 'a' })
  await db.destroy()
  expect(warnings).toMatchObject([expect.stringContaining("'getTypeParser'")])
})

test('without `warn`, the process prints it', async () => {
  const emitWarning = vi.spyOn(process, 'emitWarning').mockImplementation(() => {})
  const pool = keepStatements(new ChangedPool({ connectionString: open.location, max: 1 }))
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) })
  try {
    await authorsIn(db).create({ name: 'a' })
    expect(emitWarning.mock.calls).toMatchObject([[expect.stringContaining("'getTypeParser'")]])
  } finally {
    emitWarning.mockRestore()
    await db.destroy()
  }
})

test.each([{ pipeline: false }, { pipeline: true }])(
  'as `pg` comes, with %o, nothing is said',
  async ({ pipeline }) => {
    await withPool(new pg.Pool({ connectionString: open.location, max: 1, pipeline }), async (db, warnings) => {
      await authorsIn(db).create({ name: 'a' })
      expect(warnings).toEqual([])
    })
  },
)
