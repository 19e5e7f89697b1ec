import type { FastifyRequest } from 'fastify'
import type { CallerOf } from './options.ts'

/** Asks the application who is asking. The answer stays the same as long as the request lasts. */
export async function readCaller(callerOf: CallerOf, request: FastifyRequest): Promise<object> {
  const caller = await callerOf(request)
  if (typeof caller !== 'object' || caller === null) {
    throw new TypeError(
      'the option `caller` must return an object, such as { id: 7 }; throw an error to refuse a request',
    )
  }
  return Object.freeze(caller)
}
