import { CrudError, type Id } from '@fastify-crud/core'
import { checkedTenant, forbidden, type Operation, type Resource } from '@fastify-crud/core/internal'
import type { FastifyRequest } from 'fastify'
import type { DatabaseOfRequest } from '../databases/databases-in-use.ts'
import type { Service } from '../service.ts'

/** Who asks, whose records the request is about, and where they are. */
export interface Requester extends DatabaseOfRequest {
  readonly caller: object | undefined
  /** Undefined in a model without tenants, and where the request is not about a tenant's records. */
  readonly tenant: Id | undefined
}

/** Who asks, for code of the application. */
export function askerOf({ caller = NOBODY, tenant }: Requester): { caller: object; tenant: Id | undefined } {
  return { caller, tenant }
}

/** What the statements of a request are told of it. */
export function contextOf(request: FastifyRequest, { caller, tenant }: Requester): object {
  return { request, caller, tenant }
}

/** Equal for requests about the records of the same tenant. */
export function scopeOf({ tenant }: Requester): Id | null {
  return tenant ?? null
}

/** Which records may be offered to who asks. */
export interface RecordsReach {
  /** Equal for all with the same reach. */
  readonly key: string
  readonly of: (resource: Resource) => boolean
}

const ALL_RECORDS: RecordsReach = { key: 'all', of: () => true }
const SHARED_RECORDS: RecordsReach = { key: 'shared', of: (resource) => resource.tenant === undefined }

export function reachOf({ tenant }: Requester): RecordsReach {
  return tenant === undefined ? SHARED_RECORDS : ALL_RECORDS
}

/**
 * Finds out who asks, once for each request. Fails with `CRUD_ERR_FORBIDDEN` where records of the resource are a
 * tenant's, and the request names none. Only who makes a tenant, by a handler of the application, may have none yet.
 */
export function whoAsks(
  service: Service,
  resource: Resource,
  operation: Operation,
): ((request: FastifyRequest) => Promise<Requester>) | undefined {
  return requesterOf(service, needsTenant(service, resource, operation))
}

/** Who asks for records of all resources. */
export function whoAsksForAll(service: Service): (request: FastifyRequest) => Promise<Requester> {
  const asks = requesterOf(service, service.tenant !== undefined)
  return async (request) => (asks === undefined ? anybody(service) : await asks(request))
}

/** Fails for who asks within a batch, which is known already, where the request needs a tenant and there is none. */
export function checkAsker(service: Service, resource: Resource, operation: Operation): (asking: Requester) => void {
  const needs = needsTenant(service, resource, operation)
  return ({ tenant }) => {
    if (needs && tenant === undefined) throw worksForNoTenant()
  }
}

/** Whether requests are about records of a tenant. */
function needsTenant({ tenant }: Service, resource: Resource, operation: Operation): boolean {
  const makesTenant = resource.tenant?.isOwnId === true && operation === 'create'
  return tenant !== undefined && resource.tenant !== undefined && !makesTenant
}

/** Nobody's records are asked for. */
function worksForNoTenant(): CrudError {
  return new CrudError(forbidden('the caller works for no tenant', []))
}

/** Undefined where there is nobody to ask: then {@link anybody} asks. */
export function requesterOf(
  { db, stores, databases, caller: callerOf, tenant: tenantOf }: Service,
  needsTenant: boolean,
): ((request: FastifyRequest) => Promise<Requester>) | undefined {
  if (callerOf === undefined && tenantOf === undefined && databases === undefined) return undefined
  return async (request) => {
    const caller = callerOf && checkedCaller(await callerOf(request))
    const named = tenantOf && (await tenantOf(caller ?? NOBODY, request))
    const tenant = named === undefined || named === null ? undefined : checkedTenant(stores.model, named)
    if (needsTenant && tenant === undefined) throw worksForNoTenant()
    if (databases === undefined) return { caller, tenant, db, stores }
    return { caller, tenant, ...(await databases.of(request, caller ?? NOBODY)) }
  }
}

/** Where the application does not say who asks, and there is one database. */
export function anybody({ db, stores }: Service): Requester {
  return { caller: undefined, tenant: undefined, db, stores }
}

/** Where the application does not say who asks. */
export const NOBODY = Object.freeze({})

/** Throws a TypeError unless the caller is an object. It is frozen, so no request changes it. */
function checkedCaller(caller: unknown): object {
  if (typeof caller !== 'object' || caller === null) {
    throw new TypeError(
      'the option `caller` must return an object, such as { id: 7 }; throw an error to refuse a request',
    )
  }
  return Object.freeze(caller)
}
