import { createHash } from 'node:crypto'
import { isClientShape } from '../../sql/text/prepare.ts'
import { type DriverFeatures, FEATURES_QUERY, Turns } from '../drivers/driver-features.ts'
import { keepFrequent, MOST_CLIENT_SHAPES, MOST_KEPT } from '../drivers/keep-frequent.ts'
import {
  isOutdated,
  isPipelineClient,
  isUnknownStatement,
  type KeptName,
  missingIn,
  Pipeline,
  takesOnlyPlainQueries,
} from './pipeline/index.ts'

/** What is used of a pool of the `pg` package. */
export interface PostgresPoolLike<Client extends PostgresClientLike = PostgresClientLike> {
  readonly options: object
  connect(): Promise<Client>
  end(): Promise<void>
  on?(event: 'connect', listener: (client: Client) => void): unknown
  on?(event: 'error', listener: () => void): unknown
}

export interface PostgresClientLike {
  // biome-ignore lint/suspicious/noExplicitAny: the driver's own `query` has a dozen overloads, of which two are used
  query(...args: any[]): any
  release(...args: never[]): void
  on?(event: 'error', listener: () => void): unknown
}

export interface KeepPostgresOptions {
  /** Is told once if each statement is a message of its own, and why. Default: `process.emitWarning`, which prints
   * it. */
  readonly warn?: ((message: string) => void) | undefined
  /** `false`: statements have no names, and the server keeps none. For poolers that give each transaction another
   * server. Default: `true`. */
  readonly named?: boolean | undefined
}

type NameOf = (text: string) => KeptName | undefined
type PipelineOf = (client: PostgresClientLike) => Pipeline | undefined

/** It has no name, so that it also works on a server that has forgotten the names, behind a pooler, say. */
const ROLLBACK = /^\s*(?:rollback|abort)\b/i

export function keepPostgres(
  pool: PostgresPoolLike,
  { warn, named = true }: KeepPostgresOptions = {},
): PostgresPoolLike {
  const frequentName = keepFrequent(keptNameOf)
  const nameOf: NameOf = (text) => (!named || ROLLBACK.test(text) ? undefined : frequentName(text))
  const pipelineOf = pipelines(warn)
  const kept = new WeakMap<PostgresClientLike, PostgresClientLike>()
  // A pool replaces an idle connection that it loses.
  pool.on?.('error', () => {})
  // The pool itself stops listening before it hands out a new connection.
  pool.on?.('connect', (client) => client.on?.('error', () => {}))
  return {
    options: pool.options,
    async connect() {
      const client = await pool.connect()
      const known = kept.get(client)
      if (known !== undefined) return known
      const keeping = keepClient(client, pool, nameOf, pipelineOf)
      kept.set(client, keeping)
      return keeping
    },
    end: () => pool.end(),
  }
}

/** Returns a function that makes the pipeline of a client, where it can have one. */
function pipelines(warn: (message: string) => void = (message) => process.emitWarning(message)): PipelineOf {
  let hasWarned = false
  return (client) => {
    if (isPipelineClient(client)) return new Pipeline(client)
    if (!hasWarned && !takesOnlyPlainQueries(client)) {
      hasWarned = true
      warn(noPipeline(missingIn(client)))
    }
    return undefined
  }
}

function noPipeline(missing: readonly string[]): string {
  return (
    `fastify-crud: the clients of this pool of pg have no '${missing.join("', no '")}', so PostgreSQL gets each statement in a ` +
    'message of its own, and a write waits for several. Install a version of pg from 8.11 to 8.23, or report yours'
  )
}

function keepClient(
  client: PostgresClientLike,
  pool: PostgresPoolLike,
  nameOf: NameOf,
  pipelineOf: PipelineOf,
): PostgresClientLike {
  const pipeline = pipelineOf(client)
  const features: DriverFeatures = { pipeline, ...turnsOfPool(pool), cancel: cancellerOf(client, pool.options) }
  // `pg` believes that the server keeps all that it has prepared. So what the server has forgotten, or keeps for a
  // table that has changed since, gets another name.
  let timesForgotten = 0
  const named = new Set<string>()
  const queryPrepared = async (name: string, text: string, values: readonly unknown[]) => {
    try {
      return await client.query({ name: `${name}_${timesForgotten}`, text, values })
    } catch (error) {
      if (isUnknownStatement(error) || isOutdated(error)) timesForgotten += 1
      throw error
    }
  }
  const query = (...args: unknown[]) => {
    const [text, values] = args
    if (typeof text !== 'string' || !Array.isArray(values) || args.length !== 2) return client.query(...args)
    if (text === FEATURES_QUERY) return { command: 'SELECT', rows: [{ features }] }
    // A text without values may be several statements, which cannot be prepared. The store sends one at a time.
    if (values.length === 0 && pipeline?.isHeld !== true) return client.query(text, values)
    const kept = nameOf(text)
    const texts = values.map(parameterText)
    if (pipeline !== undefined && areTexts(texts)) return pipeline.run({ text, values, texts, kept })
    // `pg` itself never forgets a name. So clients' shapes get none there, and only the first of the others do.
    const name = isClientShape(text) ? undefined : kept?.name
    if (name === undefined || (!named.has(name) && named.size >= MOST_KEPT)) return client.query({ text, values })
    named.add(name)
    return queryPrepared(name, text, values)
  }
  // The running query fails, and the pool sees that the connection is gone. This listener is for a pool that reports no
  // new connections, or that had this one before.
  client.on?.('error', () => {})
  return Object.create(client, { query: { value: query } })
}

function areTexts(values: readonly (string | null | undefined)[]): values is readonly (string | null)[] {
  return !values.includes(undefined)
}

/** Connections that no slow read takes: one for reads by ids, one for writes. */
const KEPT_FREE = 2

type TurnsOfPool = Pick<DriverFeatures, 'turns' | 'othersTurns'>

const known = new WeakMap<object, TurnsOfPool>()

/** The turns on the connections of a pool of `pg`; none if it does not say how many it has. */
function turnsOfPool(pool: { readonly options: object }): TurnsOfPool {
  const { max, connectionTimeoutMillis } = pool.options as { max?: unknown; connectionTimeoutMillis?: unknown }
  if (typeof max !== 'number') return {}
  const turnsBut = (free: number) => new Turns(Math.max(1, max - free), Number(connectionTimeoutMillis ?? 0))
  const turns = known.get(pool) ?? { turns: turnsBut(KEPT_FREE), othersTurns: turnsBut(1) }
  known.set(pool, turns)
  return turns
}

/** A value as text, as `pg` itself would send it; undefined if `pg` has its own rules for such values. */
function parameterText(value: unknown): string | null | undefined {
  switch (typeof value) {
    case 'string':
      return value
    case 'number':
    case 'boolean':
    case 'bigint':
      return String(value)
    case 'undefined':
      return null
    default:
      return value === null ? null : undefined
  }
}

const CLIENT_SHAPES = { most: MOST_CLIENT_SHAPES }
const OTHERS = { most: MOST_KEPT }

/** The same text always has the same name, so no other user of the connection gives the name to another statement. */
function keptNameOf(text: string): KeptName {
  const hash = createHash('sha256').update(text).digest('hex').slice(0, 32)
  return isClientShape(text)
    ? { name: `crud_shape_${hash}`, group: CLIENT_SHAPES }
    : { name: `crud_${hash}`, group: OTHERS }
}

/** What is used of a client of `pg` to cancel its statement. */
interface CancellableClient {
  /** The server has told them as the client connected. Behind a pooler, they are the pooler's own. */
  readonly processID: number
  readonly secretKey: number
  readonly host: string
  readonly port: number
  readonly ssl: unknown
  readonly sslNegotiation?: string
  readonly connection: { readonly constructor: unknown }
  end(): Promise<void>
}

/** A connection of `pg` on which nobody has logged in yet. */
interface BareConnection {
  on(event: 'connect' | 'sslconnect' | 'error', listener: () => void): unknown
  once(event: 'end', listener: () => void): unknown
  connect(port: number | string, host?: string): void
  requestSsl(): void
  cancel(processID: number, secretKey: number): void
  readonly stream: { destroy(): void }
}

type ConnectionClass = new (options: object) => BareConnection

/** A server that does not answer is given up, and the statement runs to its end. */
const PATIENCE_MS = 5_000

/**
 * Returns what cancels the statement that runs on a client of `pg`, by the request of PostgreSQL's protocol
 * (https://www.postgresql.org/docs/current/protocol-flow.html#PROTOCOL-FLOW-CANCELING-REQUESTS), and then closes the
 * client: the request may come late, and would cancel the next statement. Undefined where the driver does not have the
 * key for it.
 */
function cancellerOf(client: object, options: object): (() => Promise<void>) | undefined {
  if (!isCancellable(client)) return undefined
  return async () => {
    if (!(await requestCancel(client, options))) return
    // It waits for nothing: a statement that still runs has lost its connection then.
    client.end().catch(() => {})
  }
}

function isCancellable(client: object): client is CancellableClient {
  const { processID, secretKey, host, connection } = client as Partial<CancellableClient>
  const hasKey = typeof processID === 'number' && typeof secretKey === 'number' && typeof host === 'string'
  return hasKey && typeof (connection as Partial<BareConnection> | undefined)?.cancel === 'function'
}

/** Whether the request was sent: the server says nothing but that it closes the connection. */
function requestCancel(client: CancellableClient, options: object): Promise<boolean> {
  const { processID, secretKey, host, port, ssl, sslNegotiation } = client
  const Connection = client.connection.constructor as ConnectionClass
  const { stream } = options as { readonly stream?: unknown }
  const ownStream = typeof stream === 'function' ? { stream } : {}
  return new Promise((resolve) => {
    const connection = new Connection({ ssl, sslNegotiation, ...ownStream })
    let isSent = false
    const send = () => {
      isSent = true
      connection.cancel(processID, secretKey)
    }
    const timer = setTimeout(() => connection.stream.destroy(), PATIENCE_MS)
    connection.on('connect', () => {
      if (!ssl) send()
      else if (sslNegotiation !== 'direct') connection.requestSsl()
    })
    connection.on('sslconnect', send)
    connection.on('error', () => {})
    connection.once('end', () => {
      clearTimeout(timer)
      resolve(isSent)
    })
    if (host.startsWith('/')) connection.connect(`${host}/.s.PGSQL.${port}`)
    else connection.connect(port, host)
  })
}
