import swagger from '@fastify/swagger'
import Fastify, { type FastifyInstance, type FastifyServerOptions } from 'fastify'
import { type AnyKysely, crudPlugin } from 'fastify-crud'
import { authorize, policies } from './access.ts'
import { callerIn, findCaller, nameIn, visitor } from './caller.ts'
import { countViews } from './count-views.ts'
import { openapi } from './openapi.ts'
import { reference } from './reference.ts'
import { resources } from './resources.ts'
import { rules } from './rules.ts'
import type { GuardedShop } from './shop.ts'
import { askScript } from './start-page/ask.ts'
import { startPage } from './start-page.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** What the plugin puts there, for the routes below. */
    crud: GuardedShop
  }
}

export interface AppOptions {
  /** A database whose tables are there; it stays open when the application closes. */
  readonly db: AnyKysely
  readonly logger?: FastifyServerOptions['logger']
}

/** Of the start page: its script is the service's own, and asks nobody else. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "connect-src 'self'",
  "style-src 'unsafe-inline'",
  'img-src data:',
].join('; ')

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
    handlers: { book: { findOne: countViews() } },
  })

  // Without a script, the page itself is the switch: `/?as=ada` has the browser say from then on that it is ada.
  app.get<{ Querystring: { as?: string } }>('/', { schema: { hide: true } }, async (request, reply) => {
    const name = request.query.as ?? nameIn(request)
    const caller = await findCaller(db, name || undefined)
    if (request.query.as !== undefined && caller !== undefined) {
      reply.header('set-cookie', `user=${encodeURIComponent(request.query.as)}; Path=/; HttpOnly; SameSite=Strict`)
    }
    reply.type('text/html; charset=utf-8')
    reply.header('cache-control', 'private, no-cache')
    reply.header('content-security-policy', policy)
    const origin = `${request.protocol}://${request.host}`
    return startPage(app.crud, { name: (caller && name) || undefined, caller: caller ?? visitor, origin })
  })
  app.get('/ask.js', { schema: { hide: true } }, async (_request, reply) => {
    reply.type('text/javascript; charset=utf-8')
    reply.header('cache-control', 'no-cache')
    return askScript
  })
  return app
}
