import { openPostgres } from 'fastify-crud/postgres'
import { openSqlite } from 'fastify-crud/sqlite'
import { resources } from '../resources.ts'
import { crudApp } from './crud-app.ts'
import type { Build } from './serve.ts'

/** This library, as the README's first lines set it up. */
export const build: Build = async (location) => {
  const isPostgres = location.startsWith('postgres')
  return crudApp(isPostgres ? openPostgres(location, { resources }) : openSqlite(location, { resources }))
}
