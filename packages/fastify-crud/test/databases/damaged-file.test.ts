import { closeSync, mkdtempSync, openSync, statSync, truncateSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { Type } from '@sinclair/typebox'
import Fastify from 'fastify'
import { createTables, crudPlugin, defineResources } from 'fastify-crud'
import { openSqlite } from 'fastify-crud/sqlite'
import { expect, inject, onTestFinished, test } from 'vitest'
import { errorLog } from '../../../../test/support/error-log.ts'

const resources = defineResources({ note: { fields: { text: Type.String() } } })
const PAGE = 4096

/** A service whose file something damages, and its log. `isInWal`: the rows are only in the file beside it. */
async function serviceOn(damage: (file: string) => void, isInWal: boolean) {
  const file = join(mkdtempSync(join(inject('sqliteFolder'), 'damaged-')), 'notes.sqlite')
  const first = openSqlite(file, { resources })
  await createTables(first, resources)
  const rows = Array.from({ length: 500 }, (_, index) => ({ text: `${index} ${'x'.repeat(500)}` }))
  await first.insertInto('note').values(rows).execute()
  if (isInWal) onTestFinished(() => first.destroy())
  else await first.destroy()
  const db = openSqlite(file)
  const { fastify, lines } = errorLog('info')
  const app = Fastify(fastify)
  onTestFinished(async () => {
    await app.close()
    await db.destroy()
  })
  await app.register(crudPlugin, { db, resources, tables: 'off' })
  await app.ready()
  damage(file)
  return { app, errors: () => lines.map((line) => JSON.parse(line)).filter(({ level }) => level >= 50) }
}

function overwrite(file: string): void {
  const descriptor = openSync(file, 'r+')
  const size = statSync(file).size
  for (let page = 3; page * PAGE < size; page++) writeSync(descriptor, Buffer.alloc(PAGE, 0xa5), 0, PAGE, page * PAGE)
  closeSync(descriptor)
}

test.each([
  ['has other bytes in its pages', overwrite, false],
  ['ends too early', (file: string) => truncateSync(file, 3 * PAGE + 100), false],
  ['has lost what was in its WAL', (file: string) => truncateSync(`${file}-wal`, 0), true],
])('a request to a SQLite file that %s is 500, and an error in the log', async (_, damage, isInWal) => {
  const { app, errors } = await serviceOn(damage, isInWal)
  const post = await app.inject({ method: 'POST', url: '/api/note', payload: { text: 'a' } })
  expect([post.statusCode, post.json().code, post.headers['retry-after']]).toEqual([
    500,
    'CRUD_ERR_INTERNAL',
    undefined,
  ])
  expect((await app.inject('/api/note?filter[text]=a')).statusCode).toBe(500)
  expect(errors()).toHaveLength(2)
  for (const { err } of errors()) expect(JSON.stringify(err)).toMatch(/SQLITE_(?:CORRUPT|IOERR)/)
})
