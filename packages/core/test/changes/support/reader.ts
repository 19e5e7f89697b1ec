/** `reader.ts <sqlite | postgres> <location> <after>`: says the position of each change behind one, until it is killed. */
import { readChanges } from '@fastify-crud/core'
import { openPostgres } from '@fastify-crud/core/postgres'
import { openSqlite } from '@fastify-crud/core/sqlite'
import { memosModel } from './memos.ts'

const [name, location = '', after] = process.argv.slice(2)
const db = name === 'sqlite' ? openSqlite(location) : openPostgres(location)

// Who has started it may end first.
process.on('disconnect', () => process.exit(1))

for await (const { position } of readChanges(db, memosModel, { after: Number(after), poll: 20 }))
  process.send?.(position)
