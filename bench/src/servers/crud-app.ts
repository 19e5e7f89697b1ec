import Fastify, { type FastifyInstance } from 'fastify'
import { type CrudOptions, crudPlugin } from 'fastify-crud'
import { resources } from '../resources.ts'
import { isAllowed } from './access.ts'

/** This library's service on a database, which it closes. */
export async function crudApp(db: CrudOptions['db']): Promise<FastifyInstance> {
  const app = Fastify()
  await app.register(crudPlugin, { db, resources, authorize: isAllowed })
  app.addHook('onClose', () => db.destroy())
  return app
}
