import type { GuardedStore, Store, WhoseRecords } from '@fastify-crud/core'
import { storeOver } from '@fastify-crud/core/internal'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Service } from '../service.ts'
import { askerOf, type Requester, whoAsksForAll } from './who-asks.ts'

/**
 * Gives requests of the application's own routes the store of their caller and tenant: `await request.crud()`. Who asks
 * is found out once for each request, when it is called first. Throws a TypeError if requests have that name already.
 */
export function decorateRequests(fastify: FastifyInstance, name: string, service: Service): void {
  if (fastify.hasRequestDecorator(name)) {
    throw new TypeError(`decorator: requests have '${name}' already; give the store another name, such as 'shop'`)
  }
  const asks = whoAsksForAll(service)
  const stores = new WeakMap<FastifyRequest, Promise<Store>>()
  const open = async (request: FastifyRequest) => storeOf(await asks(request))
  fastify.decorateRequest(name, function (this: FastifyRequest) {
    const store = stores.get(this) ?? open(this)
    stores.set(this, store)
    return store
  })
  const { databases } = service
  if (databases === undefined) return
  fastify.addHook('onResponse', async (request) => databases.release(request))
  fastify.addHook('onRequestAbort', async (request) => databases.release(request))
}

function storeOf(asking: Requester): Store {
  const store: GuardedStore = storeOver(asking.stores)
  const { caller, ...whose } = askerOf(asking)
  return store.as(caller, whose as WhoseRecords)
}
