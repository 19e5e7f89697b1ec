import { type AnyKysely, CrudError } from '@fastify-crud/core'
import { databaseKey, forbidden, type Stores } from '@fastify-crud/core/internal'
import type { FastifyBaseLogger, FastifyReply, FastifyRequest } from 'fastify'
import type { RouteHandler } from '../http/route-settings.ts'
import { type Databases, isKysely } from './databases-options.ts'

/** A database that requests have used. */
interface UsedDatabase extends DatabaseOfRequest {
  /** How many requests use it. */
  users: number
  /** Undefined: it is to be checked, as it was not yet, or something was wrong. */
  checked: Promise<void> | undefined
}

/** Where the records of a request are. */
export interface DatabaseOfRequest {
  readonly db: AnyKysely
  readonly stores: Stores
}

/** What a service with several databases does with each of them. */
export interface DatabasesTerms extends Pick<Databases, 'of' | 'dropped'> {
  /** The most that are kept, as long as they are not in use. */
  readonly most: number
  readonly log: FastifyBaseLogger
  /** Rejects for a database that cannot be served. */
  readonly check: (database: DatabaseOfRequest, request: FastifyRequest) => Promise<void>
}

/**
 * The databases of a service that has one for each tenant, in the order in which they were used. A database is in use
 * until the request is answered, and what its rules do after the commit is done.
 */
export class DatabasesInUse {
  readonly #stores: Stores
  readonly #terms: DatabasesTerms
  /** The one that was used last is at the end. */
  readonly #known = new Map<string, UsedDatabase>()
  readonly #ofRequests = new WeakMap<FastifyRequest, UsedDatabase>()
  #isTidying = false

  /** `stores`: those in the database of the model. */
  constructor(stores: Stores, terms: DatabasesTerms) {
    this.#stores = stores
    this.#terms = terms
  }

  /**
   * The database of a request, which is in use from now on. Fails with `CRUD_ERR_FORBIDDEN` if the request has none. At
   * its first use it is checked. If something is wrong with it, the next request asks again.
   */
  async of(request: FastifyRequest, caller: object): Promise<DatabaseOfRequest> {
    const known = this.#ofRequests.get(request)
    if (known !== undefined) {
      await known.checked
      return known
    }
    const db = await this.#terms.of(caller, request)
    if (db === undefined || db === null) throw new CrudError(forbidden('the caller has no database', []))
    if (!isKysely(db)) throw new TypeError('db.of: must return a Kysely instance, or undefined where there is none')
    if (db.isTransaction) throw new TypeError('db.of: must return a database, and has returned a transaction')
    const used = this.#use(db)
    this.#ofRequests.set(request, used)
    const checked = used.checked ?? this.#terms.check(used, request)
    used.checked = checked
    try {
      await checked
    } catch (error) {
      if (used.checked === checked) used.checked = undefined
      throw error
    }
    return { db, stores: used.stores }
  }

  /** The same handler. When it is done and its answer is sent, the database is free. */
  during(handler: RouteHandler): RouteHandler {
    return async (request, reply) => {
      try {
        return await handler(request, reply)
      } finally {
        whenOver(reply, () => this.release(request))
      }
    }
  }

  /** Resolves when all is done that rules have begun after commits. */
  async settled(): Promise<void> {
    await Promise.all([...this.#known.values()].map(({ stores }) => stores.settled()))
  }

  #use(db: AnyKysely): UsedDatabase {
    // Not the instance: an application may make one for each request, by `withSchema`.
    const key = databaseKey(db)
    const used = this.#known.get(key) ?? { db, stores: this.#stores.on(db), users: 0, checked: undefined }
    used.users += 1
    this.#known.delete(key)
    this.#known.set(key, used)
    this.#tidy()
    return used
  }

  /** The request is answered, or its client has gone: it uses its database no longer. */
  async release(request: FastifyRequest): Promise<void> {
    const used = this.#ofRequests.get(request)
    if (used === undefined) return
    this.#ofRequests.delete(request)
    await used.stores.settled()
    used.users -= 1
    this.#tidy()
  }

  /**
   * Drops what is too many, in a turn of its own: a request to which `of` has just given a database has taken it by
   * then.
   */
  #tidy(): void {
    if (this.#isTidying || this.#known.size <= this.#terms.most) return
    this.#isTidying = true
    setImmediate(() => {
      this.#isTidying = false
      let tooMany = this.#known.size - this.#terms.most
      for (const [key, { db, users }] of this.#known) {
        if (tooMany <= 0) break
        if (users > 0) continue
        this.#known.delete(key)
        tooMany -= 1
        this.#drop(db)
      }
    })
  }

  async #drop(db: AnyKysely): Promise<void> {
    try {
      await this.#terms.dropped?.(db)
    } catch (error) {
      this.#terms.log.error({ err: error }, 'fastify-crud: db.dropped failed')
    }
  }
}

/** When the answer is sent, or its client has gone. */
function whenOver({ raw }: FastifyReply, then: () => void): void {
  if (raw.writableFinished || raw.destroyed) then()
  else raw.once('close', then)
}
