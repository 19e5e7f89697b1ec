import { ZenStackClient } from '@zenstackhq/orm'
import { SqliteDialect } from '@zenstackhq/orm/dialects/sqlite'
import { RestApiHandler, RPCApiHandler } from '@zenstackhq/server/api'
import { ZenStackFastifyPlugin } from '@zenstackhq/server/fastify'
import SqliteDriver from 'better-sqlite3'
import Fastify from 'fastify'
import { schema } from './generated/schema.ts'

/** ZenStack with both of its APIs: only RPC writes nested records, only REST counts what it lists. */
export async function start(file) {
  const database = new SqliteDriver(file)
  database.pragma('synchronous = NORMAL')
  database.pragma('foreign_keys = ON')
  const client = new ZenStackClient(schema, { dialect: new SqliteDialect({ database }) })
  const getClient = () => client
  const app = Fastify()
  const rest = new RestApiHandler({ schema, endpoint: 'http://127.0.0.1/rest' })
  app.register(ZenStackFastifyPlugin, { prefix: '/rpc', apiHandler: new RPCApiHandler({ schema }), getClient })
  app.register(ZenStackFastifyPlugin, { prefix: '/rest', apiHandler: rest, getClient })
  return Number(new URL(await app.listen({ port: 0, host: '127.0.0.1' })).port)
}
