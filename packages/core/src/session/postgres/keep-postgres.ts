import { isClientShape } from '../../sql/text/client-shape.ts'
import { type DriverFeatures, FEATURES_QUERY } from '../drivers/driver-features.ts'
import { keepFrequent, MOST_KEPT } from '../drivers/keep-frequent.ts'
import { Turns } from '../drivers/turns.ts'
import { cancellerOf } from './cancel-statement.ts'
import { keptNameOf } from './kept-name.ts'
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
  /** Is told once if each statement is a message of its own, and why. Default: `process.emitWarning`, which prints it. */
  readonly warn?: ((message: string) => void) | undefined
  /** `false`: statements have no names, and the server keeps none. For poolers that give each transaction another server. Default: `true`. */
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
  // `pg` believes that the server keeps all that it has prepared. So what the server has forgotten, or keeps for a table that has changed since,
  // gets another name.
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
  // The running query fails, and the pool sees that the connection is gone. This listener is for a pool that reports no new
  // connections, or that had this one before.
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
