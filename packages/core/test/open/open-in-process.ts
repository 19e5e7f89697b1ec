/** `open-in-process.ts <file>`: a process of its own that opens a file and creates the tables. */

import { openSqlite } from '@fastify-crud/core/sqlite'
import { createTables } from '@fastify-crud/tables'
import { library } from './library.ts'

const db = openSqlite(process.argv[2] ?? '')
await createTables(db, library)
await db.destroy()
