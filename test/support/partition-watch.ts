import { keepStatements } from 'fastify-crud'
import { Kysely, type KyselyPlugin, PostgresDialect } from 'kysely'
import pg from 'pg'
import type { OpenDatabase } from './databases.ts'
import type { TestKysely } from './tables.ts'
import { type Counts, countsOf, partitionsIn, touchedBetween } from './touched-partitions.ts'

/** Looks at each statement that a Kysely instance sends to PostgreSQL: which partitions of its tables are read and written. */
export interface PartitionWatch {
  readonly db: TestKysely
  /** The statements since the last call that touched more than one partition of a table, with the partitions. */
  take(): Promise<readonly string[]>
  /** How many different statements it has looked at. */
  readonly seen: number
  close(): Promise<void>
}

interface WatchOptions {
  /** By `keepStatements`, whose statements go several at a time. */
  readonly kept: boolean
  readonly plugins?: KyselyPlugin[]
}

type Row = Record<string, unknown>
type Ask = (text: string, values?: readonly unknown[]) => Promise<readonly Row[]>

const PLAN = 'explain (format json) '
const QUERY = /^\s*(?:select|with|insert|update|delete)\b/i
const WRITE = /\b(?:insert\s+into|delete\s+from|update)\s/i

/**
 * A connection of its own to a database with partitioned tables. The plan of each statement is read twice: with the values, and as one plan for
 * all values, which leaves out partitions only when it begins. Before and behind each write the server's own counters are read: those
 * see what the checks of foreign keys do, too.
 */
export function watchPartitions(
  { location, statements }: OpenDatabase,
  { kept, plugins = [] }: WatchOptions,
): PartitionWatch {
  const known = new Set<string>()
  const found: string[] = []
  let pending: Promise<unknown>[] = []
  const note = (text: string, how: string, partitions: Promise<readonly string[]>) => {
    // What fails here fails for the statement, too, or is not sent, as one before it has failed.
    const noted = partitions.then(
      (names) => names.length > 0 && found.push(`${how}: ${names.join(', ')}\n  ${text}`),
      () => {},
    )
    pending.push(noted)
  }
  const lookAhead = (ask: Ask, text: string, values: readonly unknown[]) => {
    if (known.has(text)) return
    known.add(text)
    const name = `watched_${known.size}`
    note(text, 'plan with values', ask(PLAN + text, values).then(partitionsIn))
    ask(`prepare ${name} as ${text}`).catch(() => {})
    const literals = values.length === 0 ? '' : `(${values.map(literal).join(', ')})`
    note(text, 'plan for all values', ask(`${PLAN}execute ${name}${literals}`).then(partitionsIn))
  }
  const count = (ask: Ask): Promise<Counts> => {
    const counts = countsOf(ask)
    counts.catch(() => {})
    return counts
  }
  const pool = new pg.Pool({ connectionString: location, max: 5, options: '-c plan_cache_mode=force_generic_plan' })
  pool.on('error', () => {})
  const watched = wrapped(kept ? keepStatements(pool) : pool, (ask, text, values, run) => {
    if (!QUERY.test(text) || OF_THE_START.some((one) => one.test(text))) return run()
    lookAhead(ask, text, values)
    if (!WRITE.test(text)) return run()
    const before = count(ask)
    const answer = run()
    const after = count(ask)
    note(text, 'counted', Promise.all([before, after]).then(touchedBetween))
    return answer
  })
  const db: TestKysely = new Kysely({
    dialect: new PostgresDialect({ pool: watched }),
    plugins,
    log: statements.logger,
  })
  return {
    db,
    get seen() {
      return known.size
    },
    async take() {
      const all = pending
      pending = []
      await Promise.all(all)
      return found.splice(0)
    },
    close: () => db.destroy(),
  }
}

/** What the service asks about the database as a whole, before any request: what the driver can do, and whether the values fit. */
const OF_THE_START = [/^select null as features$/, /\) as "(?:sample|lowest)\d+"$/]

type Watch = (ask: Ask, text: string, values: readonly unknown[], run: () => Promise<unknown>) => Promise<unknown>

interface ClientLike {
  query(...args: unknown[]): Promise<{ rows: Row[] }>
  release(): void
}

function wrapped(pool: { connect(): Promise<unknown>; end(): Promise<void>; readonly options?: object }, watch: Watch) {
  // The same each time, as a driver's own are.
  const clients = new WeakMap<object, ClientLike>()
  return {
    options: pool.options,
    async connect() {
      const client = (await pool.connect()) as ClientLike
      const before = clients.get(client)
      if (before !== undefined) return before
      const ask: Ask = async (text, values = []) => (await client.query(text, values)).rows
      const query = (...args: unknown[]) => {
        const [text, values = []] = args
        if (typeof text !== 'string' || !Array.isArray(values)) return client.query(...args)
        return watch(ask, text, values, () => client.query(...args))
      }
      const watching: ClientLike = Object.create(client, { query: { value: query } })
      clients.set(client, watching)
      return watching
    },
    end: () => pool.end(),
  } as unknown as pg.Pool
}

function literal(value: unknown): string {
  if (value === null || value === undefined) return 'null'
  if (Buffer.isBuffer(value)) return `'\\x${value.toString('hex')}'`
  return `'${String(value).replaceAll("'", "''")}'`
}
