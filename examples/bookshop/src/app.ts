import swagger from '@fastify/swagger'
import Fastify, { type FastifyInstance, type FastifyServerOptions } from 'fastify'
import { type CrudOptions, crudPlugin } from 'fastify-crud'
import { authorize } from './access.ts'
import { countViews } from './count-views.ts'
import { openapi } from './openapi.ts'
import { reference } from './reference.ts'
import { resources } from './resources.ts'
import type { Shop } from './shop.ts'
import { startPage } from './start-page.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** What the plugin puts there, for the routes below. */
    crud: Shop
  }
}

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

  app.get('/', { schema: { hide: true } }, async (request, reply) => {
    reply.type('text/html; charset=utf-8')
    reply.header('content-security-policy', "default-src 'none'; style-src 'unsafe-inline'; img-src data:")
    return startPage(app.crud, `${request.protocol}://${request.host}`)
  })
  return app
}
