/** `alone.ts <sqlite | postgres> <location>`: says that it follows, and the first change that comes. It does nothing else that keeps a process. */
import { readChanges } from '@fastify-crud/core'
import { openPostgres } from '@fastify-crud/core/postgres'
import { openSqlite } from '@fastify-crud/core/sqlite'
import { memosModel } from './memos.ts'

const [name, location = ''] = process.argv.slice(2)
const db = name === 'sqlite' ? openSqlite(location) : openPostgres(location)

process.stdout.write('follows\n')
for await (const { operation } of readChanges(db, memosModel, { after: 0, poll: 20 })) {
  process.stdout.write(`${operation}\n`)
  break
}
await db.destroy()
