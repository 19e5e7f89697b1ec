import { Turns } from './turns.ts'

/** Connections that no slow read takes: one for reads by ids, one for writes. */
const KEPT_FREE = 2

const known = new WeakMap<object, Turns>()

/** The turns of reads that may take long, on the connections of a pool of `pg`; undefined if it does not say how many it has. */
export function turnsOfPool(pool: { readonly options: object }): Turns | undefined {
  const { max, connectionTimeoutMillis } = pool.options as { max?: unknown; connectionTimeoutMillis?: unknown }
  if (typeof max !== 'number') return undefined
  let turns = known.get(pool)
  if (turns === undefined) {
    turns = new Turns(Math.max(1, max - KEPT_FREE), Number(connectionTimeoutMillis ?? 0))
    known.set(pool, turns)
  }
  return turns
}
