import pg from 'pg'

/** As the option `types` of `pg` takes it. */
export interface PostgresTypes {
  getTypeParser(type: number, format?: 'text' | 'binary'): (value: string) => unknown
}

const { INT8, DATE, TIMESTAMPTZ } = pg.types.builtins

/**
 * How values of PostgreSQL are read: as `pg` reads them, but for `bigint`, which is a number like every id of the
 * service, `date`, which is text such as `'2026-05-01'`, and `timestamptz`, which is text as answers have it,
 * `'2026-05-01T10:00:00.123456Z'`. (`pg` makes text of the first, of the second a moment in the server's time zone,
 * which is another day elsewhere, and of the third a `Date`, which has three digits behind the second.) A number beyond
 * 2^53 stays text, so nothing is rounded.
 *
 * `openPostgres` sets it. A pool of your own that is to have these values needs it, too.
 *
 * @example
 * const pool = new Pool({ connectionString, types: postgresTypes })
 */
export const postgresTypes: PostgresTypes = {
  getTypeParser(type, format = 'text') {
    if (format === 'text' && type === INT8) return toInteger
    if (format === 'text' && type === DATE) return String
    if (format === 'text' && type === TIMESTAMPTZ) return toMoment
    return pg.types.getTypeParser(type, format)
  },
}

function toInteger(text: string): number | string {
  const number = Number(text)
  return Number.isSafeInteger(number) ? number : text
}

/** As PostgreSQL prints a moment in ISO 8601. The offset of old times has seconds. */
const MOMENT = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)(\.\d+)?([+-])(\d\d)(?::(\d\d))?(?::(\d\d))?$/

/** A `timestamptz` in UTC. What no `date-time` can be, such as infinity, stays as it is printed. */
function toMoment(text: string): string {
  const parts = MOMENT.exec(text)
  if (parts === null) return text
  const [, date, time, fraction = '', sign, hours, minutes = 0, seconds = 0] = parts
  const offset = Number(hours) * 3_600 + Number(minutes) * 60 + Number(seconds)
  const inUtc = Date.parse(`${date}T${time}Z`) - (sign === '-' ? -offset : offset) * 1_000
  return new Date(inUtc).toISOString().replace('.000Z', `${fraction}Z`)
}

/** The options of a pool of `pg` (https://node-postgres.com/apis/pool). Times are in ms. */
export interface PostgresOptions {
  readonly connectionString?: string
  readonly host?: string
  readonly port?: number
  readonly user?: string
  readonly password?: string | (() => string | Promise<string>)
  readonly database?: string
  /** TLS: as `tls.connect` of Node takes its options. */
  readonly ssl?: boolean | object
  readonly sslnegotiation?: 'postgres' | 'direct'
  readonly enableChannelBinding?: boolean
  /** The most connections at a time. Default 10. */
  readonly max?: number
  readonly min?: number
  /** How long to wait for a connection. Default 5,000. */
  readonly connectionTimeoutMillis?: number
  /** Closes a connection that was idle for so long. Default of `pg`: 10,000. */
  readonly idleTimeoutMillis?: number | null
  readonly maxUses?: number
  readonly maxLifetimeSeconds?: number
  readonly allowExitOnIdle?: boolean
  /** Has the operating system notice a connection that went away. Default `true`. */
  readonly keepAlive?: boolean
  readonly keepAliveInitialDelayMillis?: number
  /** The server cancels a statement after so long. 0: the server's own setting. Default 30,000. */
  readonly statement_timeout?: number | false
  /** The server stops waiting for a lock after so long. 0: the server's own setting. Default 5,000. */
  readonly lock_timeout?: number
  readonly idle_in_transaction_session_timeout?: number
  /** The driver stops waiting for an answer after so long. A write may be done nevertheless. */
  readonly query_timeout?: number
  /** What the server calls this application, as in `pg_stat_activity`. Default: `PGAPPNAME`, or
   * `fallback_application_name`. */
  readonly application_name?: string
  /** Default `'fastify-crud'`. */
  readonly fallback_application_name?: string
  /** Settings of the server for each session: `'-c search_path=shop'`. */
  readonly options?: string
  readonly client_encoding?: string
  readonly pipeline?: boolean
  /** How values are read. Default {@link postgresTypes}. */
  readonly types?: PostgresTypes
}

/** What a session may be set to by its options as well. */
const TIMEOUTS_MS = {
  /** No request takes so long unless something is wrong, and it would hold its connection and its locks. */
  statement_timeout: 30_000,
  /** As long as the store tries to get through. Then the answer is 503, and the client may ask again. */
  lock_timeout: 5_000,
}

const DEFAULTS = {
  /** More connections than that rarely make a server with few cores faster; and a server has 100 for all its
   * applications. */
  max: 10,
  /** Else a request would wait for ever for a server that does not answer, or for a connection where all are in use. */
  connectionTimeoutMillis: 5_000,
  /** Else a firewall may drop an idle connection without a word, and the next query waits until TCP times out. */
  keepAlive: true,
  /** `application_name` would hide the one in the environment. */
  fallback_application_name: 'fastify-crud',
  types: postgresTypes,
}

/** The settings with the defaults for those that are not given in any way. */
export function withDefaults(settings: PostgresOptions): PostgresOptions {
  const session = namesIn(sessionOptions(settings))
  const unset = Object.entries(TIMEOUTS_MS).filter(([name]) => !session.has(name))
  return { ...DEFAULTS, ...Object.fromEntries(unset), ...settings }
}

/** What a client tells a server as it connects, besides who it is. */
const OF_SESSION = [
  'statement_timeout',
  'lock_timeout',
  'idle_in_transaction_session_timeout',
  'application_name',
  'fallback_application_name',
  'options',
] as const satisfies readonly (keyof PostgresOptions)[]

/** The same for a pooler, whose servers change with each transaction: nothing is set for a session. */
export function forPooler(settings: PostgresOptions): PostgresOptions {
  const inUrl = URL.parse(settings.connectionString ?? '')?.searchParams
  const given = OF_SESSION.find((name) => settings[name] !== undefined || inUrl?.has(name))
  if (given !== undefined) {
    throw new TypeError(
      `openPostgres: with { pooler: true }, leave out ${given}: a pooler cannot keep it. Set it for the role: alter role … set …`,
    )
  }
  const { fallback_application_name, ...defaults } = DEFAULTS
  return { ...defaults, ...settings }
}

/** The options for the session. The server prefers what the driver sets, so a default must not set what they set. */
function sessionOptions({ options = process.env.PGOPTIONS ?? '', connectionString = '' }: PostgresOptions): string {
  return URL.parse(connectionString)?.searchParams.get('options') ?? options
}

/** One setting of the session: `-c lock_timeout=1s`, `--lock-timeout=1s`. */
const SETTING = /(?:^|\s)(?:-c\s*|--)([^\s=]+)=/g

/** The names of the settings, as the server shows them. */
function namesIn(options: string): ReadonlySet<string> {
  return new Set(Array.from(options.matchAll(SETTING), ([, name = '']) => name.replaceAll('-', '_').toLowerCase()))
}

/** What PgBouncer says: https://www.pgbouncer.org/config.html#ignore_startup_parameters */
const REFUSED_SETTING = /^unsupported startup parameter(?: in options)?: "?(\w+)/

const REMEDY =
  'a pooler refuses the settings that openPostgres sends. Say that there is one: openPostgres(url, { pooler: true })'

/** The same pool. Where a pooler refuses a connection because of its settings, the error says what to do. */
export function explainRefusedSettings(pool: PostgresPool): PostgresPool {
  return {
    options: pool.options,
    async connect() {
      try {
        return await pool.connect()
      } catch (error) {
        if (error instanceof Error && REFUSED_SETTING.test(error.message)) error.message += `: ${REMEDY}`
        throw error
      }
    },
    end: () => pool.end(),
    on: (event: string, listener: unknown) => pool.on(event as never, listener as never),
  }
}

/** What is used of a pool of `pg`. */
export interface PostgresPool {
  readonly options: object
  connect(): Promise<PostgresClient>
  end(): Promise<void>
  on(event: 'error', listener: (error: Error) => void): unknown
  on(event: 'connect', listener: (client: PostgresClient) => void): unknown
}

export interface PostgresClient {
  // biome-ignore lint/suspicious/noExplicitAny: the driver's own `query` has a dozen overloads
  query(...args: any[]): any
  release(...args: never[]): void
  on(event: 'error', listener: (error: Error) => void): unknown
}
