import { checkTables } from '@fastify-crud/core'
import type { FastifyInstance } from 'fastify'
import type { CrudOptions } from './options.ts'

/** Says in the log what an operator should know before the first request. */
export function logAtStart(fastify: FastifyInstance, { authorize, db, resources }: CrudOptions): void {
  const { log } = fastify
  if (authorize === undefined) log.warn('fastify-crud: there is no `authorize`, so its routes are open to everybody')
  fastify.addHook('onReady', async () => {
    try {
      for (const { severity, message } of await checkTables(db, resources)) {
        log[severity === 'error' ? 'error' : 'warn'](`fastify-crud: ${message}`)
      }
    } catch (error) {
      log.error({ err: error }, 'fastify-crud: the tables could not be checked')
    }
  })
}
