import Fastify from 'fastify'
import { crudPlugin } from 'fastify-crud'
import { Kysely } from 'kysely'
import { resources } from '../resources.ts'
import { isAllowed } from './access.ts'
import { dialectOf } from './ours-dialect.ts'
import type { Build } from './serve.ts'

/** This library, as a user sets it up. */
export const build: Build = async (location) => {
  const db = new Kysely<unknown>({ dialect: dialectOf(location) })
  const app = Fastify()
  await app.register(crudPlugin, { db, resources, authorize: isAllowed })
  app.addHook('onClose', () => db.destroy())
  return app
}
