import { type Dialect, Kysely, type KyselyPlugin, type LogConfig } from 'kysely'
import type { Model } from '../model/model.ts'

/** What goes for any database, whoever opened it. */
export interface OpenOptions {
  /** Plugins of the Kysely instance. Default: none. */
  readonly plugins?: readonly KyselyPlugin[]
  /** Kysely's log, such as `['error']`. Default: none. */
  readonly log?: LogConfig
  /** Is told what an operator should know and no request can say. Default: `process.emitWarning`, which prints it. */
  readonly warn?: (message: string) => void
}

/** The model whose tables the Kysely instance has. It is for the compiler only: at run time nothing looks at it. */
export interface WithResources<M extends Model> {
  readonly resources: M
}

/** The options that are not the driver's. */
const OWN = ['resources', 'plugins', 'log', 'warn']

export function warnByProcess(message: string): void {
  process.emitWarning(message)
}

export function kyselyOn<Tables>(dialect: Dialect, { plugins = [], log }: OpenOptions): Kysely<Tables> {
  return new Kysely({ dialect, plugins: [...plugins], ...(log !== undefined && { log }) })
}

/**
 * The options that are for the driver, without those that are undefined.
 *
 * @param more names of options that are not the driver's either.
 */
export function driverOptions(options: object, more: readonly string[] = []): Readonly<Record<string, unknown>> {
  const own = new Set([...OWN, ...more])
  return Object.fromEntries(Object.entries(options).filter(([name, value]) => value !== undefined && !own.has(name)))
}

/** Throws a TypeError if there are settings for what is open already. */
export function refuseSettings(settings: object, opener: string, what: string): void {
  const names = Object.keys(settings)
  if (names.length > 0)
    throw new TypeError(`${opener}: ${what} keeps its settings, so it does not accept '${names.join("', '")}'`)
}
