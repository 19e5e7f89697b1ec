/** `idle-server.ts`: a service with streams of changes. Says its URL, and whenever it is asked how much memory it takes, or how long it has worked. */
import { openSqlite } from '@fastify-crud/core/sqlite'
import { Type } from '@sinclair/typebox'
import Fastify from 'fastify'
import { createTables, crudPlugin, defineResources } from 'fastify-crud'

const resources = defineResources({ memo: { fields: { text: Type.String() }, history: true } })
const db = openSqlite(':memory:')
await createTables(db, resources)
const app = Fastify()
await app.register(crudPlugin, { db, resources, changes: true, tables: 'off' })
const url = await app.listen({ port: 0, host: '127.0.0.1' })

process.on('disconnect', () => process.exit(0))
process.on('message', (message) => {
  const { user, system } = process.cpuUsage()
  if (message === 'work') process.send?.(user + system)
  else {
    const { gc } = globalThis as { readonly gc?: () => void }
    gc?.()
    gc?.()
    const { heapUsed, external, rss } = process.memoryUsage()
    process.send?.({ bytes: heapUsed + external, rss })
  }
})
process.send?.(url)
