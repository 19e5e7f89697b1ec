import { explorer } from '@fastify-crud/explorer'
import { Type } from '@sinclair/typebox'
import Fastify from 'fastify'
import { createTables, crudPlugin, defineResources, ownedBy, owns } from 'fastify-crud'
import { openSqlite } from 'fastify-crud/sqlite'

const resources = defineResources({
  list: { fields: { title: Type.String() }, relations: { items: owns.many('item') } },
  item: {
    fields: { text: Type.String(), done: Type.Boolean({ default: false }) },
    relations: { list: ownedBy('list') },
  },
})

const db = openSqlite('lists.sqlite', { resources }) // or openPostgres(url, { resources }), of 'fastify-crud/postgres'
await createTables(db, resources)

const app = Fastify({ logger: true })
await app.register(crudPlugin, { db, resources })
await app.register(explorer) // a page for people: http://localhost:3000/explorer
await app.listen({ port: Number(process.env.PORT ?? 3000) })
