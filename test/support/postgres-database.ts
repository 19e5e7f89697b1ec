import pg from 'pg'
import { inject } from 'vitest'
import { EMPTY_POSTGRES } from './tables.ts'

/** A PostgreSQL database that nobody else uses: empty, or with the tables of a model and no rows. */
export interface PostgresDatabase {
  readonly url: string
  readonly hasTables: boolean
  /** To be called when the tables of the model are there: unless something about them changes, the next test with that model finds them. */
  keepTables(): Promise<void>
  /** Empties the tables and has their ids begin anew, unless anything else has changed about them: resolves to whether it did. */
  renew(): Promise<boolean>
  /** To be called when its connections are closed. */
  giveBack(): Promise<void>
}

/** Databases that this worker has made and emptied again: to create one takes the server longer than most tests. */
const free: string[] = []
let made = 0

/** A database with the tables of a model. */
interface WithTables {
  readonly name: string
  readonly model: object
  readonly made: MadeTables
}

/** What the catalogs were like when the tables had been made, and a statement that has the ids begin where they began then. */
interface MadeTables {
  readonly catalogs: string | undefined
  readonly restart: string
}

/** Those that no test uses, the longest unused first. To make the tables and to remove them takes longer than most tests, too. */
const withTables: WithTables[] = []
const MOST_WITH_TABLES = 12

/** `model`: of which tables are wanted; any database will do otherwise. */
export async function takePostgresDatabase(model?: object): Promise<PostgresDatabase> {
  const index = withTables.findLastIndex((one) => one.model === model)
  const [found] = index === -1 ? [] : withTables.splice(index, 1)
  const name = found?.name ?? free.pop() ?? (await createDatabase())
  let tables = found?.made
  return {
    url: urlOf(name),
    hasTables: found !== undefined,
    async keepTables() {
      tables = await connected(urlOf(name), async (ask) => ({
        catalogs: await ask(CATALOGS),
        restart: String(await ask(RESTART)),
      }))
    },
    renew: () => connected(urlOf(name), (ask) => renewed(ask, tables)),
    async giveBack() {
      await connected(urlOf(name), async (ask) => {
        await ask(END_CONNECTIONS)
        if (model !== undefined && tables !== undefined && (await renewed(ask, tables))) {
          withTables.push({ name, model, made: tables })
        } else {
          await ask(REMOVE_ALL)
          free.push(name)
        }
      })
      if (withTables.length <= MOST_WITH_TABLES) return
      const { name: oldest } = withTables.shift() as WithTables
      await connected(urlOf(oldest), (ask) => ask(REMOVE_ALL))
      free.push(oldest)
    },
  }
}

async function renewed(ask: Ask, tables: MadeTables | undefined): Promise<boolean> {
  if (tables === undefined || (await ask(CATALOGS)) !== tables.catalogs) return false
  await ask(EMPTY_POSTGRES)
  await ask(tables.restart)
  return true
}

function urlOf(name: string): string {
  const url = new URL(inject('postgresUrl'))
  url.pathname = `/${name}`
  return url.href
}

async function createDatabase(): Promise<string> {
  made += 1
  const name = `${inject('postgresPrefix')}${process.pid}_${made}`
  await connected(inject('postgresUrl'), (ask) => ask(`create database "${name}"`))
  return name
}

/** A connection that a test has left open may hold locks. */
const END_CONNECTIONS = `select pg_terminate_backend(pid, 5000) from pg_stat_activity
  where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()`

const REMOVE_ALL = `do $$
  declare
    one name;
  begin
    for one in select nspname from pg_namespace where nspname !~ '^pg_' and nspname <> 'information_schema' loop
      execute format('drop schema %I cascade', one);
    end loop;
    create schema public;
  end
$$`

/** The first id that PostgreSQL gives to what is not its own. */
const FIRST_ID = 16_384

/** A text that is another one if anything was created, changed or dropped since, or if the planner has learned of rows. */
const CATALOGS = `select concat_ws(' ', ${[
  ['pg_class', 'oid'],
  ['pg_attribute', 'attrelid'],
  ['pg_attrdef', 'adrelid'],
  ['pg_constraint', 'oid'],
  ['pg_index', 'indexrelid'],
  ['pg_trigger', 'oid'],
  ['pg_rewrite', 'oid'],
  ['pg_policy', 'oid'],
  ['pg_proc', 'oid'],
  ['pg_type', 'oid'],
  ['pg_namespace', 'oid'],
  ['pg_collation', 'oid'],
  ['pg_extension', 'oid'],
  ['pg_publication', 'oid'],
  ['pg_event_trigger', 'oid'],
  ['pg_sequence', 'seqrelid'],
  ['pg_description', 'objoid'],
  ['pg_default_acl', 'oid'],
  ['pg_inherits', 'inhrelid'],
  ['pg_statistic', 'starelid'],
]
  .map(
    ([table, id]) =>
      `(select count(*) || '-' || coalesce(sum(xmin::text::int8), 0) from ${table} where ${id} >= ${FIRST_ID})`,
  )
  .join(', ')}, (select xmin::text from pg_namespace where nspname = 'public')) as text`

const RESTART = `select 'do $$ begin ' || coalesce(string_agg(format('perform setval(%L, %s, %L);',
    format('%I.%I', schemaname, sequencename), coalesce(last_value, start_value), last_value is not null), ' '), '') || ' end $$'
  from pg_sequences`

/** Resolves to what the first column of the first row says. */
type Ask = (statement: string) => Promise<string | undefined>

async function connected<Answer>(url: string, run: (ask: Ask) => Promise<Answer>): Promise<Answer> {
  const client = new pg.Client(url)
  await client.connect()
  try {
    return await run(async (text) => {
      const { rows } = await client.query<unknown[]>({ text, rowMode: 'array' })
      return rows[0] === undefined ? undefined : String(rows[0][0])
    })
  } finally {
    await client.end()
  }
}
