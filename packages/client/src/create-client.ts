import type { Model } from '@fastify-crud/core/types'
import { type AnyCollection, atTop, collectionAt } from './collection.ts'
import { type ClientOptions, createTransport, TRANSPORT } from './transport.ts'
import type { Client } from './types/client.ts'
import type { IfKnown } from './types/lost-types.ts'

/**
 * A client of a service, with the types of its model. It reads `$model` when it is used first, unless the options have
 * it.
 *
 * Goes in: where the service is. On a server, make a client for each request, as it is one caller's.
 *
 * @example
 * const api = createClient<typeof resources>({ url: '/api' })
 * const { rows } = await api.book.list({ filter: { title: { startsWith: 'P' } }, include: ['authors'] })
 */
export function createClient<M extends Model, A = unknown>(options: IfKnown<M, ClientOptions>): Client<M, A> {
  const transport = createTransport(options as ClientOptions)
  const collections = new Map<string, AnyCollection>()
  const resource = (key: string): AnyCollection => {
    const known = collections.get(key) ?? collectionAt(transport, atTop(key))
    collections.set(key, known)
    return known
  }
  const methods: Readonly<Record<string, unknown>> = { resource, model: transport.model, reset: transport.reset }
  return new Proxy(methods, {
    get(_, key) {
      if (key === TRANSPORT) return transport
      // A promise that resolves to the client asks whether it is one itself.
      if (typeof key !== 'string' || key === 'then') return undefined
      return Object.hasOwn(methods, key) ? methods[key] : resource(key)
    },
  }) as Client<M, A>
}
