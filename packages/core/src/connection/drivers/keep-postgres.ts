import { createHash } from 'node:crypto'
import { UNKNOWN_STATEMENT } from './batch.ts'
import { Batching, takesBatches, textOf } from './batching.ts'
import { HANDLE, type Handle } from './handle.ts'
import { keepOftenUsed } from './keep-often-used.ts'

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

/** The name of a statement that is to be kept. */
type NameOf = (text: string) => string | undefined

export function keepPostgres(pool: PostgresPoolLike): PostgresPoolLike {
  const nameOf = keepOftenUsed(nameOfStatement)
  const kept = new WeakMap<PostgresClientLike, PostgresClientLike>()
  // A pool replaces the connections that it loses while nobody uses them.
  pool.on?.('error', () => {})
  // It does not listen any more by the time that it gives a new one away.
  pool.on?.('connect', (client) => client.on?.('error', () => {}))
  return {
    options: pool.options,
    async connect() {
      const client = await pool.connect()
      const known = kept.get(client)
      if (known !== undefined) return known
      const keeping = keepClient(client, nameOf)
      kept.set(client, keeping)
      return keeping
    },
    end: () => pool.end(),
  }
}

function keepClient(client: PostgresClientLike, nameOf: NameOf): PostgresClientLike {
  const batching = takesBatches(client) ? new Batching(client) : undefined
  const handle: Handle = { batching }
  // The driver takes what it has prepared to be there for ever: what the server has forgotten needs another name.
  let timesForgotten = 0
  const prepared = async (name: string, text: string, values: readonly unknown[]) => {
    try {
      return await client.query({ name: `${name}_${timesForgotten}`, text, values })
    } catch (error) {
      if ((error as { code?: unknown }).code === UNKNOWN_STATEMENT) timesForgotten += 1
      throw error
    }
  }
  const query = (...args: unknown[]) => {
    const [text, values] = args
    if (typeof text !== 'string' || !Array.isArray(values) || args.length !== 2) return client.query(...args)
    if (text === HANDLE) return { command: 'SELECT', rows: [{ handle }] }
    // Without values it may be several statements, which cannot be prepared: but for those of a batch.
    if (values.length === 0 && batching?.isOn !== true) return client.query(text, values)
    const name = nameOf(text)
    const texts = batching && values.map(textOf)
    if (texts !== undefined && areAllTexts(texts)) return batching?.execute(text, name ?? '', texts)
    return name === undefined ? client.query({ text, values }) : prepared(name, text, values)
  }
  // The query that was running fails, and the pool sees that the connection is gone. Said here, too, for a pool that does not
  // tell of new ones, or had this one before.
  client.on?.('error', () => {})
  return Object.create(client, { query: { value: query } })
}

function areAllTexts(values: readonly (string | null | undefined)[]): values is readonly (string | null)[] {
  return !values.includes(undefined)
}

/** The same text has the same name, whoever else names statements on these connections. */
function nameOfStatement(text: string): string {
  return `crud_${createHash('sha256').update(text).digest('hex').slice(0, 32)}`
}
