import Fastify from 'fastify'
import { createTables, crudPlugin } from 'fastify-crud'
import { openPostgres } from 'fastify-crud/postgres'
import { openSqlite } from 'fastify-crud/sqlite'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { OpenDatabase } from '../../../../test/support/databases.ts'
import { describeOnDatabases } from '../../../../test/support/describe-on-databases.ts'
import { errorLog } from '../../../../test/support/error-log.ts'
import { product } from './models/product.ts'

describeOnDatabases('the log at start', (database) => {
  let open: OpenDatabase

  beforeAll(async () => {
    open = await database.open()
    await createTables(open.db, product)
  })
  afterAll(() => open.close())

  /** What a service with two registrations of the plugin on one instance logs of statements. */
  async function logged(db: OpenDatabase['db']): Promise<readonly string[]> {
    const { fastify, lines } = errorLog('info')
    const app = Fastify(fastify)
    await app.register(crudPlugin, { db, resources: product })
    await app.register(crudPlugin, { db, resources: product, prefix: '/again', decorator: false })
    await app.ready()
    await app.close()
    return lines.filter((line) => line.includes('keepStatements'))
  }

  const isKept = database.isDirect || database.isBatched

  test(
    isKept ? 'says nothing of statements that are kept' : 'says once what keeps statements, at level info',
    async () => {
      const lines = await logged(open.db)
      if (isKept) return expect(lines).toEqual([])
      expect(lines).toHaveLength(1)
      const opener = database.name === 'sqlite' ? 'openSqlite(file)' : 'openPostgres(url)'
      expect(JSON.parse(lines[0] as string)).toMatchObject({ level: 30, msg: expect.stringContaining(opener) })
    },
  )

  test('says nothing of a database that openSqlite or openPostgres has opened', async () => {
    const db = database.name === 'sqlite' ? openSqlite(open.location) : openPostgres(open.location)
    try {
      expect(await logged(db)).toEqual([])
    } finally {
      await db.destroy()
    }
  })
})
