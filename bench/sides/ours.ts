import { openPostgres } from 'fastify-crud/postgres'
import { openSqlite } from 'fastify-crud/sqlite'
import { isPostgres } from '../src/databases.ts'
import { resources } from '../src/resources.ts'
import { serveCrud } from './serve-crud.ts'

/** This library, as the README's first lines set it up. */
export const start = (location: string): Promise<number> =>
  serveCrud(isPostgres(location) ? openPostgres(location, { resources }) : openSqlite(location, { resources }))
