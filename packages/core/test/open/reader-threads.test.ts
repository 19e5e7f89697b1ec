import { fork } from 'node:child_process'
import { once } from 'node:events'
import { copyFile, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Worker } from 'node:worker_threads'
import { createStore } from '@fastify-crud/core'
import type { OpenSqliteOptions } from '@fastify-crud/core/sqlite'
import { createTables } from '@fastify-crud/tables'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { fillNotes, openNotes, RARE, resources, SLOW } from './busy-notes.ts'

let folder: string
let filled: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'readers-'))
  filled = join(folder, 'filled.sqlite')
  await fillNotes(filled)
})
afterAll(() => rm(folder, { recursive: true }))

let copies = 0

/** A copy of the file of its own, and the threads that begin meanwhile. */
async function open(options?: OpenSqliteOptions) {
  copies += 1
  const file = join(folder, `copy-${copies}.sqlite`)
  await copyFile(filled, file)
  const threads: Worker[] = []
  const note = (thread: Worker) => threads.push(thread)
  process.on('worker', note)
  const opened = openNotes(file, options)
  onTestFinished(async () => {
    process.off('worker', note)
    await opened.db.destroy()
  })
  return { ...opened, file, threads }
}

test('while slow lists are read, a record by its id is answered before them', async () => {
  const { notes, threads } = await open()
  const answered: string[] = []
  const note = (name: string) => () => answered.push(name)
  const slow = Array.from({ length: 4 }, () => notes.list(SLOW).then(note('slow')))
  await notes.find(7).then(note('quick'))
  await notes.patch(8, { word: 'written' }).then(note('quick'))
  await notes.list({ filter: { rank: 5 } }).then(note('quick'))
  await Promise.all(slow)
  expect(answered).toEqual(['quick', 'quick', 'quick', 'slow', 'slow', 'slow', 'slow'])
  expect(threads).toHaveLength(2)
})

test('a thread answers as the connection does', async () => {
  const { notes, threads } = await open()
  const { notes: without, threads: none } = await open({ readers: 0 })
  const requests = [
    RARE,
    { ...RARE, count: 'none', fields: ['word'] },
    { filter: { or: [{ text: { endsWith: '7' } }, { word: { icontains: 'É' } }] }, limit: 3, sort: ['-text'] },
    { filter: { text: 'none' } },
  ] as const
  for (const request of requests) expect(await notes.list(request)).toEqual(await without.list(request))
  expect(threads).toHaveLength(1)
  expect(none).toEqual(threads)
  expect((await notes.list(RARE)).rows.map(({ word }) => word)).toContain('word-77é')
})

test('a list has what was written before it', async () => {
  const { db, notes, threads } = await open()
  for (const word of ['a word-77É', 'b word-77É']) {
    const { count = 0 } = await notes.list(RARE)
    await notes.create({ word, text: '', rank: 1 })
    expect(await notes.list(RARE)).toMatchObject({ count: count + 1 })
  }
  expect(threads).toHaveLength(1)
  // In a transaction, it has what nobody else sees yet.
  const inTransaction = await db.transaction().execute(async (trx) => {
    const store = createStore({ db: trx, resources }).resource('note')
    const before = await store.list(RARE)
    await store.create({ word: 'c word-77É', text: '', rank: 1 })
    return (await store.list(RARE)).count === (before.count ?? 0) + 1
  })
  expect(inTransaction).toBe(true)
})

test('a thread that ends is replaced, and its read is answered by the connection', async () => {
  const { notes, threads } = await open({ readers: 1 })
  const expected = await notes.list(RARE)
  const answer = notes.list(RARE)
  await threads[0]?.terminate()
  expect(await answer).toEqual(expected)
  expect(await notes.list(RARE)).toEqual(expected)
  expect(threads).toHaveLength(2)
})

test('where a thread cannot start, the connection reads, and the operator is told once', async () => {
  const warnings: string[] = []
  const { notes, threads } = await open({ warn: (message) => warnings.push(message) })
  process.once('worker', (thread: Worker) => thread.terminate())
  for (let n = 0; n < 3; n++) expect((await notes.list(RARE)).rows.length).toBeGreaterThan(0)
  expect(threads).toHaveLength(1)
  expect(warnings).toEqual([
    expect.stringContaining('there are no threads for slow reads on SQLite, because one could not'),
  ])
})

test.each<[string, OpenSqliteOptions]>([
  ['readers: 0', { readers: 0 }],
  ['direct: false', { direct: false }],
  ['log', { log: [] }],
  ['verbose', { verbose: () => {} }],
  ['another journal mode', { pragmas: { journal_mode: 'delete' } }],
])('with %s no thread starts, and who asked for threads is told why', async (_, options) => {
  const warnings: string[] = []
  const { notes, threads } = await open({ readers: 1, ...options, warn: (message) => warnings.push(message) })
  expect((await notes.list(RARE)).rows.length).toBeGreaterThan(0)
  expect(threads).toEqual([])
  expect(warnings).toHaveLength(options.readers === 0 ? 0 : 1)
})

test('what is in memory or small needs no thread', async () => {
  for (const file of [':memory:', join(folder, 'small.sqlite')]) {
    const threads: Worker[] = []
    const note = (thread: Worker) => threads.push(thread)
    process.on('worker', note)
    onTestFinished(() => void process.off('worker', note))
    const { db, notes } = openNotes(file)
    onTestFinished(() => db.destroy())
    await createTables(db, resources)
    await notes.list(RARE)
    expect(threads).toEqual([])
  }
})

test('where other databases are attached or there are temporary tables, the connection reads itself', async () => {
  const { db, notes, threads } = await open()
  await sql`create temp table note as select * from main.note limit 0`.execute(db)
  expect(await notes.list(RARE)).toMatchObject({ rows: [] })
  await sql`drop table temp.note`.execute(db)
  await sql`attach ':memory:' as other`.execute(db)
  await notes.list(RARE)
  expect(threads).toEqual([])
})

test('destroy() ends the threads and leaves nothing but the file', async () => {
  const { db, notes, file, threads } = await open()
  await notes.list(RARE)
  const running = notes.list(SLOW).catch((error: Error) => error)
  await db.destroy()
  expect(threads.map(({ threadId }) => threadId)).toEqual(threads.map(() => -1))
  expect((await readdir(folder)).filter((name) => join(folder, name).startsWith(file))).toHaveLength(1)
  await running
})

test('threads keep no process alive', async () => {
  const child = fork(fileURLToPath(new URL('./read-in-process.ts', import.meta.url)), [filled], {
    execArgv: ['--conditions=source'],
  })
  const [rows] = await once(child, 'message')
  expect(rows).toBeGreaterThan(0)
  expect((await once(child, 'exit'))[0]).toBe(0)
})

test.each([-1, 1.5, '2'])('readers: %j is refused', (readers) => {
  expect(() => openNotes(filled, { readers: readers as number })).toThrow('readers')
})
