import Fastify from 'fastify'
import { type CrudOptions, crudPlugin } from 'fastify-crud'
import { resources } from '../src/resources.ts'
import { isAllowed, listen } from './access.ts'

export async function serveCrud(db: CrudOptions['db']): Promise<number> {
  const app = Fastify()
  await app.register(crudPlugin, { db, resources, authorize: isAllowed })
  return listen(app)
}
