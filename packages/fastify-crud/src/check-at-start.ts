import type { Stores } from '@fastify-crud/core/internal'
import type { FastifyInstance } from 'fastify'

/**
 * Fails the start with all that the database finds wrong with policies and computed expressions. A database that cannot be asked does not:
 * it may be there later.
 */
export function checkAtStart(fastify: FastifyInstance, stores: Stores): void {
  fastify.addHook('onReady', async () => {
    const problems = await stores.expressionProblems().catch((error: unknown) => {
      fastify.log.error({ err: error }, 'fastify-crud: policies and computed fields could not be checked')
      return []
    })
    if (problems.length > 0) throw new TypeError(problems.join('\n'))
  })
}
