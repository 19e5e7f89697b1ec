/** `storm-service.ts <sqlite | postgres> <location>`: serves the memos of a storm until it is killed. Says its port. */
import type { AddressInfo } from 'node:net'
import { openPostgres } from '@fastify-crud/core/postgres'
import { openSqlite } from '@fastify-crud/core/sqlite'
import Fastify from 'fastify'
import { crudPlugin } from 'fastify-crud'
import { memoActions, memos } from './storm-model.ts'

const [name, location = ''] = process.argv.slice(2)
// Who has started it may end first.
process.on('disconnect', () => process.exit(1))

const db = name === 'sqlite' ? openSqlite(location) : openPostgres(location)
const app = Fastify()
await app.register(crudPlugin, { db, resources: memos, actions: memoActions, authorize: () => true })
await app.listen({ port: 0, host: '127.0.0.1' })
process.send?.((app.server.address() as AddressInfo).port)
