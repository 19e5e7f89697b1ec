import { DEFAULT_POLL, isObject } from '@fastify-crud/core/internal'

/** How clients are told of changes as they happen. */
export interface ChangesOptions {
  /** Milliseconds between two looks at the database, for what other processes write. Default 1,000. */
  readonly poll?: number
  /** The most streams that are open at once in this process; beyond: 503. Default 10,000. */
  readonly maxStreams?: number
  /** So many milliseconds it holds what `caller`, `tenant` and `authorize` have answered: behind them, a stream asks
   * again before it tells of a change. Default 60,000. */
  readonly askAgain?: number
  /** Milliseconds between signs that a stream is still open. A client that takes nothing for so long is dropped.
   * Default 15,000. */
  readonly heartbeat?: number
}

const DEFAULTS: Required<ChangesOptions> = {
  poll: DEFAULT_POLL,
  maxStreams: 10_000,
  askAgain: 60_000,
  heartbeat: 15_000,
}

/** The option `changes`, with defaults for what is not given; undefined: there are no such routes. Throws a TypeError
 * that says what is wrong with it. */
export function changesOptions(given: unknown): Required<ChangesOptions> | undefined {
  if (given === undefined || given === false) return undefined
  if (given === true) return DEFAULTS
  if (!isObject(given)) throw new TypeError('changes: must be true, false or an object, such as { maxStreams: 1_000 }')
  for (const [name, value] of Object.entries(given)) {
    if (!Object.hasOwn(DEFAULTS, name)) {
      throw new TypeError(`changes.${name}: there is no such option; there are ${Object.keys(DEFAULTS).join(', ')}`)
    }
    const least = name === 'askAgain' ? 0 : 1
    if (value !== undefined && !(Number.isSafeInteger(value) && (value as number) >= least)) {
      throw new TypeError(`changes.${name}: must be an integer, and at least ${least}`)
    }
  }
  const said = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
  return { ...DEFAULTS, ...said }
}
