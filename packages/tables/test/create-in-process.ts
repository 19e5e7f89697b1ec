/** `create-in-process.ts <sqlite | postgres> <location>`: a process of its own that creates the tables. */
import { createTables } from '@fastify-crud/tables'
import SqliteDriver from 'better-sqlite3'
import { Kysely, PostgresDialect, SqliteDialect } from 'kysely'
import pg from 'pg'
import { library } from './library.ts'

const [name, location = ''] = process.argv.slice(2)

const db = new Kysely({
  dialect:
    name === 'sqlite'
      ? new SqliteDialect({ database: new SqliteDriver(location) })
      : new PostgresDialect({ pool: new pg.Pool({ connectionString: location }) }),
})
await createTables(db, library)
await db.destroy()
