import swagger from '@fastify/swagger'
import { explorer } from '@fastify-crud/explorer'
import Fastify, { type FastifyInstance, type FastifyServerOptions } from 'fastify'
import { type AnyKysely, crudPlugin } from 'fastify-crud'
import { authorize, policies } from './access.ts'
import { callerIn } from './caller.ts'
import { countViews } from './count-views.ts'
import { openapi } from './openapi.ts'
import { reference } from './reference.ts'
import { resources } from './resources.ts'
import { rules } from './rules.ts'
import type { GuardedShop } from './shop.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** What the plugin puts there, for an application's own routes. */
    crud: GuardedShop
  }
}

export interface AppOptions {
  /** A database whose tables are there; it stays open when the application closes. */
  readonly db: AnyKysely
  readonly logger?: FastifyServerOptions['logger']
}

/** People that one can be in the explorer. The customer is one of those that the seed has drawn. */
const callers = {
  'ben, the owner': { headers: { 'x-user': 'ben' } },
  'ada, of the staff': { headers: { 'x-user': 'ada' } },
  'a customer': { headers: { 'x-user': 'rosa.lindqvist@post.example' } },
  'a visitor': { headers: {} },
}

/** The application, ready to listen or to be asked by `inject`. */
export async function buildApp({ db, logger = false }: AppOptions): Promise<FastifyInstance> {
  const app = Fastify({ logger })
  await app.register(swagger, openapi)
  await app.register(reference)
  await app.register(crudPlugin, {
    db,
    resources,
    caller: callerIn(db),
    authorize,
    policies,
    rules,
    historyOf: ({ name }) => name,
    changes: true,
    handlers: { author: { findOne: countViews() } },
  })
  await app.register(explorer, { title: 'Bookshop', callers })
  app.get('/', { schema: { hide: true } }, async (_request, reply) => reply.redirect('/explorer/'))
  return app
}
