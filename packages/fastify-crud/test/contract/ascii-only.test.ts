import Fastify from 'fastify'
import { createTables, crudPlugin } from 'fastify-crud'
import { openPostgres } from 'fastify-crud/postgres'
import { openSqlite } from 'fastify-crud/sqlite'
import { sql } from 'kysely'
import { expect, inject, onTestFinished, test } from 'vitest'
import { databases, type OpenDatabase } from '../../../../test/support/databases.ts'
import { errorLog } from '../../../../test/support/error-log.ts'
import { product } from './models/product.ts'

/** What a service with two registrations of the plugin on one instance logs of upper and lower case, or with another word in it. */
async function logged(
  db: OpenDatabase['db'],
  word = 'case-insensitive',
): Promise<readonly { level: number; msg: string }[]> {
  const { fastify, lines } = errorLog('info')
  const app = Fastify(fastify)
  await app.register(crudPlugin, { db, resources: product })
  await app.register(crudPlugin, { db, resources: product, prefix: '/again', decorator: false })
  await app.ready()
  await app.close()
  return lines.filter((line) => line.includes(word)).map((line) => JSON.parse(line))
}

async function opened(name: OpenDatabase['name']): Promise<OpenDatabase> {
  const open = await databases.find((database) => database.name === name)?.open()
  if (open === undefined) throw new Error(`there is no ${name}`)
  onTestFinished(() => open.close())
  await createTables(open.db, product)
  return open
}

test('The log says once at start that SQLite folds ASCII only, unless openSqlite has opened it', async () => {
  const { db, location } = await opened('sqlite')
  expect(await logged(db)).toEqual([expect.objectContaining({ level: 30, msg: expect.stringContaining('openSqlite') })])
  const full = openSqlite(location)
  onTestFinished(() => full.destroy())
  expect(await logged(full)).toEqual([])
})

test('The log warns at start of a PostgreSQL database in SQL_ASCII', async () => {
  const name = `${inject('postgresPrefix')}${process.pid}_ascii`
  const server = openPostgres(inject('postgresUrl'))
  onTestFinished(() => server.destroy())
  await sql`create database ${sql.id(name)} encoding 'SQL_ASCII' locale 'C' template template0`.execute(server)
  onTestFinished(async () => void (await sql`drop database ${sql.id(name)}`.execute(server)))
  const url = new URL(inject('postgresUrl'))
  url.pathname = `/${name}`
  const db = openPostgres(url)
  onTestFinished(() => db.destroy())
  await createTables(db, product)
  expect(await logged(db, 'SQL_ASCII')).toEqual([
    expect.objectContaining({ level: 40, msg: expect.stringContaining("encoding 'UTF8'") }),
  ])
})

test('The log says nothing of upper and lower case on PostgreSQL from 17 on', async () => {
  expect(await logged((await opened('postgres')).db)).toEqual([])
})
