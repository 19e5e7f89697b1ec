import type { AnyKysely } from '@fastify-crud/core'
import {
  databaseOf,
  type JsonStore,
  ReplayWatch,
  readPosition,
  type Stores,
  withReplica,
} from '@fastify-crud/core/internal'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { invalidRequest } from '../http/request.ts'

/** The header by which a write says where it stands, and a read that it wants to see it. */
const POSITION_HEADER = 'crud-position'
const COOKIE = 'crud-position'

/** Reads from a replica, and the positions of writes. */
export interface Replica {
  /** The store of a request that reads: of the replica, if the request may have it. */
  storeFor(request: FastifyRequest, primary: JsonStore, caller: object | undefined): Promise<JsonStore>
  /** Is told the position of a write, for its answer; undefined if answers have none. */
  readonly notePosition: ((reply: FastifyReply, position: string) => void) | undefined
}

export function replicaOf(
  stores: Stores,
  db: AnyKysely,
  { db: other, when, wait, cookie = false }: ReplicaOptions,
): Replica {
  if (databaseOf(db) !== 'postgres' || databaseOf(other) !== 'postgres')
    throw new TypeError('replica: is for PostgreSQL')
  const replicas = stores.onReplica(other)
  const watch = new ReplayWatch(other)
  return {
    async storeFor(request, primary, caller) {
      const position = wait === undefined ? undefined : positionIn(request)
      if ((await when(request)) !== true) return primary
      const isReady = async () => position === undefined || (await watch.reaches(position, wait ?? 0))
      return withReplica(primary, replicas.of(caller), isReady)
    },
    notePosition:
      wait === undefined
        ? undefined
        : (reply, position) => {
            reply.header(POSITION_HEADER, position)
            if (cookie)
              reply.header('set-cookie', `${COOKIE}=${position.replace('/', '-')}; Path=/; HttpOnly; SameSite=Lax`)
          },
  }
}

/** The position that a request sends back, in the header or else in the cookie. */
function positionIn({ headers }: FastifyRequest): bigint | undefined {
  const given = headers[POSITION_HEADER]
  if (given !== undefined) {
    const position = readPosition(String(given))
    if (position !== undefined) return position
    const message = 'the header Crud-Position must be the position of a write, as its answer had it'
    throw invalidRequest([{ parameter: 'Crud-Position', message, keyword: 'format', params: { format: 'position' } }])
  }
  // A cookie is sent by the browser, whoever has set it: one that is no position is none.
  const [, ofCookie] = COOKIE_VALUE.exec(headers.cookie ?? '') ?? []
  return ofCookie === undefined ? undefined : readPosition(ofCookie.replace('-', '/'))
}

const COOKIE_VALUE = new RegExp(`(?:^|;\\s*)${COOKIE}=([^;\\s]*)`)

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
   * Writes answer with `Crud-Position`. A read that sends it back is answered by the replica as soon as that has the
   * write, or by `db` if it takes longer than this, in ms. Default: writes answer without it.
   */
  readonly wait?: number
  /** With `wait`: a cookie has the position, too, so that browsers send it back by themselves. Default: `false`. */
  readonly cookie?: boolean
}
