import { plugin as sqlMapper } from '@platformatic/sql-mapper'
import sqlOpenapi from '@platformatic/sql-openapi'
import Fastify from 'fastify'

/** Platformatic DB's own plugins in a bare Fastify, without the runtime around them. */
export async function start(file) {
  const app = Fastify()
  await app.register(sqlMapper, {
    connectionString: `sqlite://${file}`,
    async onDatabaseLoad(db, sql) {
      await db.query(sql`PRAGMA synchronous = NORMAL`)
      await db.query(sql`PRAGMA foreign_keys = ON`)
    },
  })
  await app.register(sqlOpenapi)
  return Number(new URL(await app.listen({ port: 0, host: '127.0.0.1' })).port)
}
