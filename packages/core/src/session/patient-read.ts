import type { DriverFeatures } from './drivers/driver-features.ts'

/** What is known of a read that may take long. */
export interface ReadTerms {
  /** Aborted when nobody waits for the answer any more. */
  readonly signal?: AbortSignal | undefined
  /** On PostgreSQL it takes one of the turns that leave some connections to quick requests. */
  readonly takesTurn: boolean
  /** What the query costs (`limits.maxCost`). Default: nothing. */
  readonly cost?: number
}

/**
 * Does a read, unless its signal is aborted before it begins. If that happens while it runs, its statement is cancelled where the driver
 * can do that. Fails with the signal's reason then.
 */
export async function unlessAborted<Result>(
  { cancel }: DriverFeatures,
  signal: AbortSignal | undefined,
  read: () => Promise<Result>,
): Promise<Result> {
  signal?.throwIfAborted()
  if (signal === undefined || cancel === undefined) return await read()
  let cancelling: Promise<void> | undefined
  const stop = () => {
    cancelling = cancel()
  }
  signal.addEventListener('abort', stop, { once: true })
  try {
    return await read()
  } catch (error) {
    signal.throwIfAborted()
    throw error
  } finally {
    signal.removeEventListener('abort', stop)
    // The connection may not go back to the pool before it is closed.
    await cancelling
  }
}
