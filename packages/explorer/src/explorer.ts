import { fileURLToPath } from 'node:url'
import type { FastifyInstance, FastifyReply, FastifyRequest, FastifySchema, RegisterOptions } from 'fastify'
import { isDevelopersMachine } from './developers-machine.ts'
import { checkExplorerOptions, type ExplorerOptions, PAGE_PREFIX, SERVICE_PREFIX } from './options.ts'
import { htmlWith, type PageFiles, pageFiles } from './page-files.ts'

/** Where the build puts the page. The path is the same from the sources and from the bundle. */
const FOLDER = fileURLToPath(new URL('../dist/page', import.meta.url))

/** Serves the page of a folder. */
export async function serveExplorer(
  fastify: FastifyInstance,
  options: ExplorerOptions & RegisterOptions,
  folder: string = FOLDER,
): Promise<void> {
  checkExplorerOptions(options)
  const { prefix = PAGE_PREFIX, service = SERVICE_PREFIX, enabled = false, title = 'Explorer', callers } = options
  if (!enabled && process.env.NODE_ENV === 'production') {
    fastify.log.info('explorer: closed in production; enabled: true opens it')
    return
  }
  const files = pageFiles(folder)
  if (files === undefined) {
    fastify.log.warn('explorer: its page is not built: `pnpm build` in the repository does so')
    return
  }
  const html = htmlWith(files, { title, service: serviceFrom(prefix, service), callers })
  const policy = policyFor(service)

  const answer = async (request: FastifyRequest, reply: FastifyReply): Promise<unknown> => {
    const [path = ''] = request.url.split('?')
    const { '*': name = '' } = request.params as { '*'?: string }
    reply.headers({
      'content-security-policy': policy,
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
    })
    if (name !== '') return sendFile(files, name, reply)
    // Addresses in the page are relative to a path that ends with a slash. So is this one: a proxy may have another
    // path.
    if (!path.endsWith('/')) return reply.redirect(`${path.slice(path.lastIndexOf('/') + 1)}/`)
    reply.headers({ 'content-type': 'text/html; charset=utf-8', 'cache-control': 'private, no-cache' })
    return html
  }
  const onRequest = [...(enabled ? [] : [closed(fastify)]), ...(options.onRequest ? [options.onRequest] : [])]
  // In no document of the service, whichever plugin writes it.
  const schema = { hide: true } as FastifySchema
  const route = { onRequest, schema, logLevel: 'warn' } as const
  fastify.get(prefix, route, answer)
  fastify.get(`${prefix}/*`, route, answer)
  sayWhere(fastify, `${fastify.prefix}${prefix}`, service)
}

/** Answers 404 to all but a browser on this machine. The log says so once: who sees a 404 may well be the developer. */
function closed({ log }: FastifyInstance) {
  let isSaid = false
  return async (request: FastifyRequest, reply: FastifyReply): Promise<unknown> => {
    if (isDevelopersMachine(request)) return
    if (!isSaid) log.warn('explorer: 404 to whoever is no browser on this machine; enabled: true opens it')
    isSaid = true
    reply.callNotFound()
    return reply
  }
}

async function sendFile(files: PageFiles, name: string, reply: FastifyReply): Promise<unknown> {
  const file = await files.file(name.replace(/^assets\//, ''))
  if (file === undefined) return reply.callNotFound()
  reply.headers({ 'content-type': file.type, 'cache-control': 'public, max-age=31536000, immutable' })
  return file.body
}

/** The service's address from the page: relative, so that both work behind a proxy with a path of its own. */
function serviceFrom(prefix: string, service: string): string {
  if (!service.startsWith('/')) return service
  return `${'../'.repeat(prefix.split('/').length - 1)}${service.slice(1)}`
}

/** Scripts, styles and requests go nowhere but to this server and the service. */
function policyFor(service: string): string {
  const origin = service.startsWith('/') ? '' : ` ${new URL(service).origin}`
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "font-src 'self'",
    `connect-src 'self'${origin}`,
    "worker-src 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ')
}

function sayWhere(fastify: FastifyInstance, path: string, service: string): void {
  fastify.addHook('onListen', async () => {
    const address = fastify.server.address()
    if (address === null || typeof address === 'string') return
    const scheme = 'https' in fastify.initialConfig && fastify.initialConfig.https ? 'https' : 'http'
    fastify.log.info(`explorer: ${scheme}://localhost:${address.port}${path}`)
  })
  fastify.addHook('onReady', async () => {
    const url = `${fastify.prefix}${service}/$model`
    if (service.startsWith('/') && !fastify.hasRoute({ method: 'GET', url })) {
      fastify.log.warn(`explorer: there is no ${url}; the option service is the prefix of the plugin of fastify-crud`)
    }
  })
}
