import type { AnyKysely } from '@fastify-crud/core'
import type { FastifyRequest } from 'fastify'

/**
 * A database for each tenant: a file, a schema or a server. All have the tables of the model.
 *
 * @example
 * const ink = openSqlite('ink.sqlite', { resources })
 * const databases: Databases<{ org: string }> = { model: db, of: (caller) => (caller.org === 'ink' ? ink : undefined) }
 */
export interface Databases<C = unknown> {
  /** One of them, or one without records: what is checked at the start is checked there. */
  readonly model: AnyKysely
  /**
   * The database of a request. It is asked once for each request, behind `caller` and `tenant`, and returns the same
   * instance each time, or another schema of it. Undefined or null: there is none, and the answer is 403.
   */
  readonly of: (
    caller: C,
    request: FastifyRequest,
  ) => AnyKysely | null | undefined | Promise<AnyKysely | null | undefined>
  /**
   * Is told of a database that no request uses any more, where there are more than `limits.maxDatabases`. So the
   * application can close it: the service never does. Default: nobody is told.
   */
  readonly dropped?: (db: AnyKysely) => unknown
}

/** A Kysely instance has no property of such a name. */
export function isDatabases<C>(db: AnyKysely | Databases<C>): db is Databases<C> {
  return typeof db === 'object' && db !== null && ('of' in db || 'model' in db)
}

/** Throws a TypeError for what is wrong with the option `db`, where it has several databases. */
export function checkDatabases(db: Databases): void {
  const { model, of, dropped, ...others } = db as Partial<Databases>
  const [unknown] = Object.keys(others)
  if (unknown !== undefined) throw new TypeError(`db: there is no '${unknown}'; there are model, of, dropped`)
  if (!isKysely(model)) throw new TypeError('db.model: must be a Kysely instance with the tables of the model')
  if (typeof of !== 'function') throw new TypeError('db.of: must be a function, such as (caller) => caller.db')
  if (dropped !== undefined && typeof dropped !== 'function') {
    throw new TypeError('db.dropped: must be a function, such as (db) => db.destroy()')
  }
}

export function isKysely(db: unknown): db is AnyKysely {
  return typeof (db as Partial<AnyKysely> | undefined | null)?.getExecutor === 'function'
}
