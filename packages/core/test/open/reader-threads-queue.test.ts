import { mkdtemp, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import SqliteDriver from 'better-sqlite3'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { ReaderThreads } from '../../src/open/readers-for.ts'

/** As many rows as numbers, so that it takes a while. */
const SLOW = 'with recursive n (i) as (select 1 union all select i + 1 from n where i < ?) select count(*) from n'

let readers: ReaderThreads
beforeEach(async () => {
  const folder = await mkdtemp(join(tmpdir(), 'readers-queue-'))
  const file = join(folder, 'a.sqlite')
  const database = new SqliteDriver(file)
  database.pragma('journal_mode = wal')
  const opened = new ReaderThreads(
    { file, pragmas: {}, driver: {}, module: createRequire(import.meta.url).resolve('better-sqlite3') },
    1,
    () => {},
  )
  onTestFinished(async () => {
    await opened.end()
    database.close()
    await rm(folder, { recursive: true })
  })
  readers = opened
})

test('a read whose client has gone is not begun', async () => {
  const client = new AbortController()
  const first = readers.read(SLOW, [100_000])
  const gone = readers.read('select gone', [], client.signal)
  const last = readers.read('select ?', ['last'])
  client.abort(new Error('the client has disconnected'))
  await expect(gone).rejects.toThrow('the client has disconnected')
  expect(await first).toMatchObject({ value: 100_000 })
  expect(await last).toMatchObject({ value: 'last' })
})

test('values of every kind reach the thread, and errors come back with their code', async () => {
  for (const value of ['tëxt', 1.5, 7, null]) expect(await readers.read('select ?', [value])).toMatchObject({ value })
  expect(await readers.read('select typeof(?)', [2n ** 60n])).toMatchObject({ value: 'integer' })
  expect(await readers.read('select hex(?)', [Buffer.from('ab')])).toMatchObject({ value: '6162' })
  await expect(readers.read("select json('{')", [])).rejects.toMatchObject({ code: 'SQLITE_ERROR' })
  await expect(readers.read('select zeroblob(2000000000)', [])).rejects.toMatchObject({ code: 'SQLITE_TOOBIG' })
})

test('what the connection alone may see is left to it', async () => {
  expect(await readers.read('select * from elsewhere', [])).toBeUndefined()
  expect(await readers.read('select of_the_application(1)', [])).toBeUndefined()
})

test('what waits when the threads end is left to the connection, and all that comes then', async () => {
  const running = readers.read(SLOW, [100_000])
  const queued = readers.read('select 1', [])
  await readers.end()
  expect(await queued).toBeUndefined()
  expect(await running).toBeUndefined()
  expect(await readers.read('select 1', [])).toBeUndefined()
})
