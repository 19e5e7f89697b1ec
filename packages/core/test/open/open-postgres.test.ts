import { type AddressInfo, createServer } from 'node:net'
import { type AnyKysely, createStore } from '@fastify-crud/core'
import { type OpenPostgresOptions, openPostgres, postgresTypes } from '@fastify-crud/core/postgres'
import { createTables } from '@fastify-crud/tables'
import { CamelCasePlugin, type Kysely, sql } from 'kysely'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { type PostgresDatabase, takePostgresDatabase } from '../../../../test/support/postgres-database.ts'
import { withDefaults } from '../../src/open/postgres-options.ts'
import { library } from './library.ts'

let database: PostgresDatabase
beforeAll(async () => {
  database = await takePostgresDatabase()
})
afterAll(() => database.giveBack())

/** An instance that is closed when the test is over. */
function closing<Tables>(db: Kysely<Tables>): Kysely<Tables> {
  onTestFinished(() => db.destroy())
  return db
}

const SETTINGS = ['statement_timeout', 'lock_timeout', 'application_name']

async function setting(db: AnyKysely, name: string): Promise<unknown> {
  const { rows } = await sql<{ value: string }>`select current_setting(${name}) as value`.execute(db)
  return rows[0]?.value
}

function settings(db: AnyKysely): Promise<unknown[]> {
  return Promise.all(SETTINGS.map((name) => setting(db, name)))
}

function withParameters(parameters: Readonly<Record<string, string>>): URL {
  const url = new URL(database.url)
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
  return url
}

describe('The settings', () => {
  test('of a session are timeouts for statements and locks, and a name that the server shows', async () => {
    expect(await settings(closing(openPostgres(database.url)))).toEqual(['30s', '5s', 'fastify-crud'])
  })

  test('of the pool keep connections alive, and limit how long a request waits for one', () => {
    const limits = { max: 10, connectionTimeoutMillis: 5_000, keepAlive: true }
    expect(withDefaults({ host: 'localhost' })).toMatchObject(limits)
    const own = { max: 3, connectionTimeoutMillis: 100, keepAlive: false }
    expect(withDefaults(own)).toMatchObject(own)
  })

  test('of the pool open at most ten connections', async () => {
    const db = closing(openPostgres(database.url))
    const pids = new Set<unknown>()
    let release = () => {}
    const allInUse = new Promise<void>((resolve) => {
      release = resolve
    })
    const hold = () =>
      db.connection().execute(async (one) => {
        const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(one)
        pids.add(rows[0]?.pid)
        if (pids.size === 10) release()
        await allInUse
      })
    await Promise.all(Array.from({ length: 12 }, hold))
    expect(pids.size).toBe(10)
  })

  test.each<[string, OpenPostgresOptions, unknown[]]>([
    [
      'are changed by options',
      { statement_timeout: 1_000, lock_timeout: 200, application_name: 'shop' },
      ['1s', '200ms', 'shop'],
    ],
    [
      'are those of the server where a timeout is 0',
      { statement_timeout: 0, lock_timeout: 0 },
      ['0', '0', 'fastify-crud'],
    ],
    [
      'are changed by `options`',
      { options: '-c statement_timeout=2s --lock-timeout=3s' },
      ['2s', '3s', 'fastify-crud'],
    ],
    ['are changed by some `options` only', { options: '-c statement_timeout=2s' }, ['2s', '5s', 'fastify-crud']],
    [
      'are changed by `options` in other spellings',
      { options: '-cSTATEMENT-TIMEOUT=2s  -c  Lock_Timeout=3s' },
      ['2s', '3s', 'fastify-crud'],
    ],
    [
      'are the default where `options` has other names and values like theirs',
      { options: '-c idle_in_transaction_session_timeout=2s -c my.lock_timeout=1s -c my.note=statement_timeout' },
      ['30s', '5s', 'fastify-crud'],
    ],
    [
      'are the default where an option is undefined',
      { ...({ lock_timeout: undefined } as object) },
      ['30s', '5s', 'fastify-crud'],
    ],
  ])('%s', async (_title, options, expected) => {
    expect(await settings(closing(openPostgres(database.url, options)))).toEqual(expected)
  })

  test('are changed by the URL', async () => {
    const url = withParameters({ statement_timeout: '1000', application_name: 'shop', options: '-c lock_timeout=1s' })
    expect(await settings(closing(openPostgres(url)))).toEqual(['1s', '1s', 'shop'])
    expect(await settings(closing(openPostgres(url.href, { max: 1 })))).toEqual(['1s', '1s', 'shop'])
  })

  test('can be options of `pg` in place of a URL', async () => {
    const { hostname, port, username, password, pathname } = new URL(database.url)
    const user = decodeURIComponent(username)
    const options = {
      host: hostname,
      port: Number(port),
      user,
      password: decodeURIComponent(password),
      lock_timeout: 100,
    }
    const db = closing(openPostgres({ ...options, database: pathname.slice(1) }, { statement_timeout: 200 }))
    expect(await settings(db)).toEqual(['200ms', '100ms', 'fastify-crud'])
  })

  test('of a pool that the application has opened are kept', async () => {
    const pool = new pg.Pool({ connectionString: database.url, max: 2, application_name: 'own' })
    const db = closing(openPostgres(pool))
    expect(await settings(db)).toEqual(['0', '0', 'own'])
    expect(() => openPostgres(pool, { max: 3, lock_timeout: 1 })).toThrow(
      "openPostgres: a pool keeps its settings, so it does not accept 'max', 'lock_timeout'",
    )
  })
})

test("Kysely's plugins and log are used", async () => {
  const texts: string[] = []
  const log: OpenPostgresOptions['log'] = ({ query }) => void texts.push(query.sql)
  const db = closing(openPostgres(database.url, { plugins: [new CamelCasePlugin()], log }))
  await db.selectNoFrom(sql<number>`1`.as('oneTwo')).execute()
  expect(texts).toEqual(['select 1 as "one_two"'])
})

test.each([
  [undefined, 'was given nothing: is its environment variable set?'],
  ['', 'was given nothing: is its environment variable set?'],
  ['lists.sqlite', 'was given something else'],
  [new URL('file:///secret'), 'was given something else'],
  [5, 'was given something else'],
])('%s is refused, and not shown', (given, message) => {
  expect(() => openPostgres(given as string)).toThrow(message)
  expect(() => openPostgres(given as string)).not.toThrow(/secret|lists/)
})

/** Ends the other connections of the database, and waits until they are gone. */
async function endOthers(): Promise<number> {
  const client = new pg.Client(database.url)
  await client.connect()
  const { rows } = await client.query(
    `select pg_terminate_backend(pid, 10000) from pg_stat_activity
     where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()`,
  )
  await client.end()
  return rows.length
}

test.each([
  ['a pool that openPostgres has opened', () => database.url],
  ["the application's pool", () => new pg.Pool({ connectionString: database.url })],
])(
  'A connection that is lost while nobody uses it is told of, and the next query has another one: %s',
  async (_title, open) => {
    const warnings: string[] = []
    const warned = Promise.withResolvers<void>()
    const warn = (message: string) => {
      warnings.push(message)
      warned.resolve()
    }
    const db = closing(openPostgres(open(), { warn }))
    const first = await setting(db, 'application_name')
    expect(await endOthers()).toBeGreaterThan(0)
    await warned.promise
    expect(warnings[0]).toMatch(/^fastify-crud: lost an idle connection to PostgreSQL.* \(57P01\)$/)
    expect(await setting(db, 'application_name')).toBe(first)
  },
)

test('The service and queries of your own see the same records', async () => {
  const db = closing(openPostgres(database.url, { resources: library }))
  await createTables(db, library)
  const store = createStore({ db, resources: library })
  const author = await store.resource('author').create({ name: 'Ada' })
  const book = await store.resource('book').create({
    title: 'Plans',
    pages: 12,
    inPrint: false,
    publishedOn: '2026-05-01',
    data: { languages: ['en'] },
    authors: [{ id: author.id }],
    chapters: [{ title: 'One' }],
  })
  expect(await db.selectFrom('books').selectAll().execute()).toEqual([
    {
      id: book.id,
      book_title: 'Plans',
      pages: 12,
      price: null,
      inPrint: false,
      publishedOn: '2026-05-01',
      data: { languages: ['en'] },
      sequelId: null,
    },
  ])
  expect(await db.selectFrom('book_authors').selectAll().execute()).toEqual([{ bookId: book.id, authorId: author.id }])
  await db.updateTable('books').set({ inPrint: true, data: '{"languages":["cy"]}' }).where('id', '=', book.id).execute()
  const added = await db
    .insertInto('chapter')
    .values({ title: 'Two', bookId: book.id })
    .returning('id')
    .executeTakeFirstOrThrow()
  expect(await store.resource('book').find(book.id)).toMatchObject({
    inPrint: true,
    data: { languages: ['cy'] },
    chapters: [{ title: 'One' }, { id: added.id, title: 'Two' }],
  })
})

test('A bigint is a number, or text where a number would be another one; a date is text', async () => {
  const pool = new pg.Pool({ connectionString: database.url, types: postgresTypes })
  for (const db of [closing(openPostgres(database.url)), closing(openPostgres(pool))]) {
    const { rows } = await sql`select 9007199254740991::bigint as safe, 9007199254740992::bigint as large,
      '2026-05-01'::date as day, 1.50::numeric as exact, count(*) as counted, null::bigint as nothing from pg_am`.execute(
      db,
    )
    expect(rows).toEqual([
      {
        safe: 9007199254740991,
        large: '9007199254740992',
        day: '2026-05-01',
        exact: '1.50',
        counted: expect.any(Number),
        nothing: null,
      },
    ])
  }
})

test('A moment is text in UTC, as answers have it, whatever the zone of the session is', async () => {
  for (const zone of ['UTC', 'Europe/Vienna', 'Asia/Kathmandu', 'America/St_Johns']) {
    const db = closing(openPostgres(database.url, { options: `-c timezone=${zone}` }))
    const { rows } =
      await sql`select '2026-05-01 10:00:00.123456+02'::timestamptz as exact, '1850-01-01 00:00:00Z'::timestamptz as old,
      'infinity'::timestamptz as never, '2026-05-01T12:00:00Z'::timestamptz as whole, null::timestamptz as nothing`.execute(
        db,
      )
    expect(rows).toEqual([
      {
        exact: '2026-05-01T08:00:00.123456Z',
        old: '1850-01-01T00:00:00Z',
        never: 'infinity',
        whole: '2026-05-01T12:00:00Z',
        nothing: null,
      },
    ])
  }
})

test('A pooler that refuses the settings of a session is explained', async () => {
  // As PgBouncer answers: ErrorResponse with severity, code and message.
  const fields = ['SFATAL', 'VFATAL', 'C08P01', 'Munsupported startup parameter: statement_timeout', '']
  const text = Buffer.from(fields.map((field) => `${field}\0`).join(''))
  const header = Buffer.alloc(5, 'E')
  header.writeInt32BE(text.length + 4, 1)
  const pooler = createServer((socket) => {
    socket.on('error', () => {})
    socket.once('data', () => socket.end(Buffer.concat([header, text])))
  })
  await new Promise<void>((resolve) => pooler.listen(0, resolve))
  onTestFinished(() => void pooler.close())
  const { port } = pooler.address() as AddressInfo
  const db = closing(openPostgres(`postgres://ada@localhost:${port}/lists?sslmode=disable`))
  await expect(sql`select 1`.execute(db)).rejects.toMatchObject({
    code: '08P01',
    message: expect.stringContaining('openPostgres(url, { pooler: true })'),
  })
})
