import { Type } from '@sinclair/typebox'
import SqliteDriver from 'better-sqlite3'
import Fastify from 'fastify'
import { createTables, crudPlugin, defineResources, ownedBy, owns } from 'fastify-crud'
import { Kysely, SqliteDialect } from 'kysely'

const resources = defineResources({
  list: { fields: { title: Type.String() }, relations: { items: owns.many('item') } },
  item: {
    fields: { text: Type.String(), done: Type.Boolean({ default: false }) },
    relations: { list: ownedBy('list') },
  },
})

const db = new Kysely({ dialect: new SqliteDialect({ database: new SqliteDriver('lists.sqlite') }) })
await createTables(db, resources)

const app = Fastify({ logger: true })
await app.register(crudPlugin, { db, resources })
await app.listen({ port: Number(process.env.PORT ?? 3000) })
