import swagger from '@fastify/swagger'
import { createStore } from '@fastify-crud/core'
import Fastify, { type FastifyInstance, type FastifyServerOptions } from 'fastify'
import { type CrudOptions, crudPlugin } from 'fastify-crud'
import { authorize } from './access.ts'
import { countViews } from './count-views.ts'
import { openapi } from './openapi.ts'
import { reference } from './reference.ts'
import { resources } from './resources.ts'
import { startPage } from './start-page.ts'

export interface AppOptions {
  /** A database whose tables are there; it stays open when the application closes. */
  readonly db: CrudOptions['db']
  readonly logger?: FastifyServerOptions['logger']
}

/** The application, ready to listen or to be asked by `inject`. */
export async function buildApp({ db, logger = false }: AppOptions): Promise<FastifyInstance> {
  const app = Fastify({ logger })
  await app.register(swagger, openapi)
  await app.register(reference)
  await app.register(crudPlugin, { db, resources, authorize, handlers: { book: { findOne: countViews() } } })

  const shop = createStore({ db, resources })
  app.get('/', { schema: { hide: true } }, async (request, reply) => {
    reply.type('text/html; charset=utf-8')
    reply.header('content-security-policy', "default-src 'none'; style-src 'unsafe-inline'; img-src data:")
    return startPage(shop, `${request.protocol}://${request.host}`)
  })
  return app
}
