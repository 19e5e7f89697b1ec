import type { FastifyPluginAsync } from 'fastify'
import fp from 'fastify-plugin'
import { serveExplorer } from './explorer.ts'
import type { ExplorerOptions } from './options.ts'

export type { ExplorerCaller, ExplorerOptions } from './options.ts'

/**
 * The Fastify plugin: a page that shows a service of fastify-crud, its model and its records, and changes them, over
 * the service's own routes and with the visitor's rights.
 *
 * Goes in: the options, see {@link ExplorerOptions}. The start fails with a TypeError that names the option that is
 * wrong.
 *
 * @example
 * await app.register(crudPlugin, { db, resources })
 * await app.register(explorer) // http://localhost:3000/explorer
 */
export const explorer: FastifyPluginAsync<ExplorerOptions> = fp(
  async (fastify, options: ExplorerOptions) => serveExplorer(fastify, options),
  { name: '@fastify-crud/explorer', fastify: '5.x' },
)

export default explorer
