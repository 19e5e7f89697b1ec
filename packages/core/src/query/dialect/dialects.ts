import type { DatabaseName } from './database.ts'
import type { Dialect } from './dialect.ts'
import { postgres } from './postgres/postgres.ts'
import { sqlite } from './sqlite/sqlite.ts'

export const dialects: Readonly<Record<DatabaseName, Dialect>> = { sqlite, postgres }
