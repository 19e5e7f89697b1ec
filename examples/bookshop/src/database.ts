import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { TablesOf } from 'fastify-crud'
import { openPostgres } from 'fastify-crud/postgres'
import { openSqlite } from 'fastify-crud/sqlite'
import type { Kysely } from 'kysely'
import { StartError } from './explain-failure.ts'
import { resources } from './resources.ts'

/** Beside the sources: the records are still there after a restart. */
const defaultUrl = new URL('../data/bookshop.sqlite', import.meta.url).href

export interface Database {
  readonly db: Kysely<TablesOf<typeof resources, 'sqlite'>> | Kysely<TablesOf<typeof resources, 'postgres'>>
  /** Where the records are, in words that may be printed: no password. */
  readonly place: string
}

/**
 * Opens the database that a URL names: `file:///…` is a SQLite file, which is made if there is none, `postgres://…` a
 * PostgreSQL database. `warn` is told of what no request can say, such as a connection that was lost while nobody used it.
 *
 * @throws StartError for any other URL.
 */
export function openDatabase(url: string | undefined, warn: (message: string) => void): Database {
  const parsed = URL.parse(url || defaultUrl)
  switch (parsed?.protocol) {
    case 'file:': {
      const file = fileURLToPath(parsed)
      mkdirSync(dirname(file), { recursive: true })
      return { db: openSqlite(file, { resources, warn }), place: file }
    }
    case 'postgres:':
    case 'postgresql:':
      return { db: openPostgres(parsed, { resources, warn }), place: `${parsed.host}${parsed.pathname}` }
    default:
      throw new StartError(
        'DATABASE_URL is neither postgres://user:password@host/database nor file:///folder/name.sqlite.',
      )
  }
}
