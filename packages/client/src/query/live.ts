import type { Model } from '@fastify-crud/core/types'
import { changes, type FollowOptions } from '../changes.ts'
import { ServiceError } from '../service-error.ts'
import type { Client } from '../types/client.ts'
import type { QueriesOptions } from './create-queries.ts'
import { invalidateShown } from './invalidate.ts'
import type { QueryClientOf } from './query-types.ts'

export interface LiveOptions extends QueriesOptions, Pick<FollowOptions, 'shared'> {
  /** Default: it goes on until it is closed. */
  readonly signal?: AbortSignal
}

/** Queries that are read again when others write. */
export interface LiveQueries {
  close(): void
  /** Resolves when it is closed. Rejects with a `ServiceError` if the service refuses to tell of changes. */
  readonly ended: Promise<void>
}

/**
 * Makes queries stale as soon as others write what they show, by the changes of the service. Throws nothing itself.
 *
 * Goes in: a client, and the query client. `name`: as `createQueries` has it.
 *
 * @example
 * const following = live(api, queryClient, { signal: AbortSignal.abort() })
 * following.close()
 * await following.ended
 */
export function live<M extends Model, A>(
  api: Client<M, A>,
  queryClient: QueryClientOf,
  { name = 'crud', signal, shared = true }: LiveOptions = {},
): LiveQueries {
  const ends = new AbortController()
  const close = () => ends.abort()
  signal?.addEventListener('abort', close)
  if (signal?.aborted) close()

  const follow = async (): Promise<void> => {
    for await (const { changes: all } of changes(api, { signal: ends.signal, shared })) {
      await invalidateShown(queryClient, name, await api.model(), new Set(all.map(({ resource }) => resource)))
    }
  }
  const followOn = async (): Promise<void> => {
    while (!ends.signal.aborted) {
      try {
        await follow()
      } catch (error) {
        if (!(error instanceof ServiceError) || error.status !== 410) throw error
        // It was away for so long that nobody knows what it has missed.
        await invalidateShown(queryClient, name, await api.model(), undefined)
      }
    }
  }
  return { close, ended: followOn().finally(() => signal?.removeEventListener('abort', close)) }
}
