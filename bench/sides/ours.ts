import Fastify from 'fastify'
import { type CrudOptions, crudPlugin } from 'fastify-crud'
import { openPostgres } from 'fastify-crud/postgres'
import { openSqlite } from 'fastify-crud/sqlite'
import { isPostgres } from '../src/databases.ts'
import { resources } from '../src/resources.ts'
import { isAllowed, listen } from './access.ts'

/** This library, as the README's first lines set it up. */
export const start = (location: string): Promise<number> =>
  serveCrud(isPostgres(location) ? openPostgres(location, { resources }) : openSqlite(location, { resources }))

export async function serveCrud(db: CrudOptions['db']): Promise<number> {
  const app = Fastify()
  await app.register(crudPlugin, { db, resources, authorize: isAllowed })
  return listen(app)
}
