import { execFile, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { type AnyKysely, createStore } from '@fastify-crud/core'
import { openSqlite } from '@fastify-crud/core/sqlite'
import { createTables } from '@fastify-crud/tables'
import SqliteDriver from 'better-sqlite3'
import { CamelCasePlugin, type Kysely, sql } from 'kysely'
import { expect, inject, onTestFinished, test } from 'vitest'
import { applyPragmas } from '../../src/open/sqlite-pragmas.ts'
import { library } from './library.ts'

const FULL = 2
const NORMAL = 1

/** A file that is not there yet. */
function newFile(): string {
  return join(mkdtempSync(join(inject('sqliteFolder'), 'open-')), 'test.sqlite')
}

/** An instance that is closed when the test is over. */
function closing<Tables>(db: Kysely<Tables>): Kysely<Tables> {
  onTestFinished(() => db.destroy())
  return db
}

async function pragma(db: AnyKysely, name: string): Promise<unknown> {
  const { rows } = await sql<Record<string, unknown>>`pragma ${sql.raw(name)}`.execute(db)
  return Object.values(rows[0] ?? {})[0]
}

const SETTINGS = ['journal_mode', 'synchronous', 'foreign_keys', 'busy_timeout']

function settings(db: AnyKysely): Promise<unknown[]> {
  return Promise.all(SETTINGS.map((name) => pragma(db, name)))
}

test('A file has WAL, synchronous NORMAL, foreign keys and a short busy timeout', async () => {
  const warnings: string[] = []
  const db = closing(openSqlite(newFile(), { warn: (message) => warnings.push(message) }))
  expect(await settings(db)).toEqual(['wal', NORMAL, 1, 500])
  expect(warnings).toEqual([])
})

test('Every setting can be changed', async () => {
  const pragmas = { journal_mode: 'truncate', synchronous: 'extra', foreign_keys: false, cache_size: -4_000 }
  const db = closing(openSqlite(newFile(), { timeout: 20, pragmas }))
  expect(await settings(db)).toEqual(['truncate', 3, 0, 20])
  expect(await pragma(db, 'cache_size')).toBe(-4_000)
})

test('Another journal mode than WAL waits for the disk at each commit', async () => {
  const warnings: string[] = []
  const warn = (message: string) => warnings.push(message)
  const db = closing(openSqlite(newFile(), { warn, pragmas: { journal_mode: 'delete' } }))
  expect(await settings(db)).toEqual(['delete', FULL, 1, 500])
  expect(warnings).toEqual([])
})

test.each([{}, { journal_mode: 'WAL' }])(
  'Where SQLite refuses WAL, each commit waits for the disk, and a warning says so: %j',
  (pragmas) => {
    // SQLite keeps a database without a name on the disk, and never in WAL mode.
    const database = new SqliteDriver('')
    const warnings: string[] = []
    applyPragmas(database, pragmas, (message) => warnings.push(message))
    expect(database.pragma('synchronous', { simple: true })).toBe(FULL)
    expect(warnings).toEqual([
      expect.stringMatching(/cannot use WAL .* journal mode 'delete'.* \(synchronous = FULL\)/s),
    ])
    database.close()
  },
)

test('A database in memory has nothing to lose, so there is no warning', async () => {
  const warnings: string[] = []
  const db = closing(openSqlite(':memory:', { warn: (message) => warnings.push(message) }))
  expect(await pragma(db, 'journal_mode')).toBe('memory')
  expect(await pragma(db, 'foreign_keys')).toBe(1)
  expect(warnings).toEqual([])
})

test('A database that the application has opened keeps its settings', async () => {
  const database = new SqliteDriver(newFile(), { timeout: 1_234 })
  database.pragma('foreign_keys = off')
  const db = closing(openSqlite(database))
  expect(await settings(db)).toEqual(['delete', FULL, 0, 1_234])
  expect(() => openSqlite(database, { timeout: 500 })).toThrow(
    "openSqlite: a database that is open already keeps its settings, so it does not accept 'timeout'",
  )
})

test("Kysely's plugins and log are used", async () => {
  const texts: string[] = []
  const db = closing(
    openSqlite(':memory:', { plugins: [new CamelCasePlugin()], log: ({ query }) => void texts.push(query.sql) }),
  )
  await db.selectNoFrom(sql<number>`1`.as('oneTwo')).execute()
  expect(texts).toEqual(['select 1 as "one_two"'])
})

test('A file can be opened to be read only, in whatever journal mode it is', async () => {
  const file = newFile()
  const writer = openSqlite(file, { resources: library, pragmas: { journal_mode: 'delete' } })
  await createTables(writer, library)
  await writer.destroy()
  const reader = closing(openSqlite(file, { resources: library, readonly: true }))
  expect(await pragma(reader, 'journal_mode')).toBe('delete')
  expect(await reader.selectFrom('books').selectAll().execute()).toEqual([])
})

test.each([
  ['postgres://localhost/lists', 'not a URL (postgres:)'],
  ['file:///tmp/lists.sqlite', 'not a URL (file:)'],
  ['file:lists.sqlite', 'not a URL (file:)'],
  ['file::memory:?cache=shared', 'not a URL (file:)'],
  ['', "needs the path of a file, ':memory:', a better-sqlite3 database, or a DatabaseSync of node:sqlite"],
  [undefined, "needs the path of a file, ':memory:', a better-sqlite3 database, or a DatabaseSync of node:sqlite"],
  [{}, "needs the path of a file, ':memory:', a better-sqlite3 database, or a DatabaseSync of node:sqlite"],
])('%j is refused', (database, message) => {
  expect(() => openSqlite(database as string)).toThrow(message)
})

test('A pragma that is not a name and a value is refused, and the file is closed again', () => {
  const open = () => openSqlite(':memory:', { pragmas: { synchronous: 'full; drop table books' } })
  expect(open).toThrow("openSqlite: pragmas.synchronous: 'full; drop table books' is not a setting of SQLite")
})

test('The file is opened while another process still writes to it', async () => {
  const file = newFile()
  const holder = fork(fileURLToPath(new URL('./hold-file.ts', import.meta.url)), [file], {
    execArgv: ['--conditions=source'],
  })
  await once(holder, 'message')
  const db = closing(openSqlite(file, { timeout: 1 }))
  expect(await pragma(db, 'journal_mode')).toBe('wal')
  await once(holder, 'exit')
})

test('Several processes can open a new file at once', async () => {
  const script = fileURLToPath(new URL('./open-in-process.ts', import.meta.url))
  const file = newFile()
  const open = () => promisify(execFile)(process.execPath, ['--conditions=source', script, file])
  await Promise.all([open(), open(), open(), open()])
})

test('The service and queries of your own see the same records', async () => {
  const db = closing(openSqlite(newFile(), { resources: library }))
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
      inPrint: 0,
      publishedOn: '2026-05-01',
      data: '{"languages":["en"]}',
      sequelId: null,
    },
  ])
  expect(await db.selectFrom('book_authors').selectAll().execute()).toEqual([{ bookId: book.id, authorId: author.id }])
  await db.updateTable('books').set({ inPrint: 1, data: '{"languages":["cy"]}' }).where('id', '=', book.id).execute()
  const { id } = await db
    .insertInto('chapter')
    .values({ title: 'Two', bookId: book.id })
    .returning('id')
    .executeTakeFirstOrThrow()
  expect(await store.resource('book').find(book.id)).toMatchObject({
    inPrint: true,
    data: { languages: ['cy'] },
    chapters: [{ title: 'One' }, { id, title: 'Two' }],
  })
})

test('What is misspelt in a query is a compile error', () => {
  const queries = () => {
    const db = openSqlite(':memory:', { resources: library })
    // @ts-expect-error no such column
    db.selectFrom('books').select('titel')
    // @ts-expect-error no such table
    db.selectFrom('book')
    // Without `resources`, tables are those that one says, or any.
    openSqlite<{ note: { text: string } }>(':memory:').selectFrom('note').select('text')
    openSqlite(':memory:').selectFrom('note').select('text')
  }
  expect(queries).toBeTypeOf('function')
})
