import type { AnyKysely } from '@fastify-crud/core'
import type { FastifyRequest } from 'fastify'

/**
 * A PostgreSQL server that repeats the writes of `db`, and is read in its place.
 *
 * @example
 * const replica: ReplicaOptions = { db: openPostgres('postgres://ada@replica/lists'), when: () => true, wait: 200 }
 */
export interface ReplicaOptions {
  /** A Kysely instance on the replica. */
  readonly db: AnyKysely
  /** Whether a GET or HEAD is answered by the replica. If that cannot be reached, `db` answers. */
  readonly when: (request: FastifyRequest) => boolean | Promise<boolean>
  /**
   * Writes answer with `Crud-Position`. A read that sends it back is answered by the replica as soon as that has the write, or by `db` if it
   * takes longer than this, in ms. Default: writes answer without it.
   */
  readonly wait?: number
  /** With `wait`: a cookie has the position, too, so that browsers send it back by themselves. Default: `false`. */
  readonly cookie?: boolean
}
