import { type Kysely, sql } from 'kysely'
import { isThere } from './test-soft-delete.ts'

export type DatabaseName = 'sqlite' | 'postgres'

/** Tests name tables and columns as they like. */
export type TestKysely = Kysely<Record<string, Record<string, unknown>>>

/** Every row of every table: two equal snapshots mean that nothing has changed. */
export type Snapshot = Readonly<Record<string, readonly string[]>>

/** The names of all tables, sorted. */
export async function tableNames(name: DatabaseName, db: TestKysely): Promise<string[]> {
  const plain = db.withoutPlugins()
  const query =
    name === 'sqlite'
      ? sql<{
          name: string
        }>`select name from sqlite_master where type = 'table' and name not like 'sqlite\_%' escape '\\' and name not like 'crud\_search\_%' escape '\\'`
      : sql<{ name: string }>`select relname as name from pg_class
          where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p')`
  const { rows } = await query.execute(plain)
  return rows.map((row) => row.name).sort()
}

/**
 * All rows of the tables (default: of all there are) in a stable order, each as text. The library's own tables are left out as long as they are
 * empty: most tests have nothing to do with them.
 */
export async function takeSnapshot(name: DatabaseName, db: TestKysely, tables?: readonly string[]): Promise<Snapshot> {
  const plain = db.withoutPlugins()
  const snapshot: Record<string, readonly string[]> = {}
  for (const table of tables ?? (await tableNames(name, db))) {
    const rows = (await rowsOf(plain, table)).filter(isThere)
    if (rows.length === 0 && tables === undefined && table.startsWith('crud_')) continue
    snapshot[table] = rows.map((row) => JSON.stringify(row, bigintAsText)).sort()
  }
  return snapshot
}

type AnyRow = Record<string, unknown>

async function rowsOf(db: TestKysely, table: string): Promise<AnyRow[]> {
  try {
    return (await sql<AnyRow>`select * from ${sql.table(table)}`.execute(db)).rows
  } catch (error) {
    // `node:sqlite` throws it for an integer that no number of JavaScript holds exactly.
    if (!(error instanceof RangeError)) throw error
    return await rowsWithTexts(db, table)
  }
}

/** SQLite: large integers as texts. */
async function rowsWithTexts(db: TestKysely, table: string): Promise<AnyRow[]> {
  const columns = await sql<{ name: string }>`select name from pragma_table_info(${table})`.execute(db)
  const values = columns.rows.map(({ name }) => {
    const column = sql.ref(name)
    const isLarge = sql`typeof(${column}) = 'integer' and abs(${column}) > ${sql.lit(Number.MAX_SAFE_INTEGER)}`
    return sql`case when ${isLarge} then cast(${column} as text) else ${column} end as ${sql.id(name)}`
  })
  return (await sql<AnyRow>`select ${sql.join(values)} from ${sql.table(table)}`.execute(db)).rows
}

/** Some drivers return large integers so. */
function bigintAsText(_name: string, value: unknown): unknown {
  return typeof value === 'bigint' ? `${value}` : value
}

/**
 * PostgreSQL: where each row is and which transaction wrote it. An UPDATE changes that, whatever it sets; a lock does not.
 */
export async function rowVersions(db: TestKysely): Promise<Snapshot> {
  const plain = db.withoutPlugins()
  const versions: Record<string, readonly string[]> = {}
  for (const table of await tableNames('postgres', db)) {
    const query = sql<{ version: string }>`select ctid::text || ' ' || xmin::text as version from ${sql.table(table)}`
    const { rows } = await query.execute(plain)
    versions[table] = rows.map(({ version }) => version).sort()
  }
  return versions
}

/** Has the ids that the database assigns in these tables begin above 2 ** 53, where a number of JavaScript is no longer exact. */
export async function raiseIds(name: DatabaseName, db: TestKysely, tables: readonly string[]): Promise<void> {
  if (tables.length === 0) return
  const highest = sql.lit(`${2n ** 53n}`)
  const names = sql.join(tables)
  const query =
    name === 'sqlite'
      ? sql`insert into sqlite_sequence (name, seq)
          select name, ${highest} from sqlite_master
          where type = 'table' and sql like '%autoincrement%' and name in (${names})`
      : sql`select setval(one.oid::regclass, ${highest}) from pg_class one
          join pg_depend on pg_depend.objid = one.oid and pg_depend.refclassid = 'pg_class'::regclass
          join pg_class owner on owner.oid = pg_depend.refobjid
          where one.relkind = 'S' and one.relnamespace = current_schema()::regnamespace and owner.relname in (${names})`
  await query.execute(db.withoutPlugins())
}

/** Empties all tables. Ids go on from where they were. */
export async function emptyTables(name: DatabaseName, db: TestKysely): Promise<void> {
  const plain = db.withoutPlugins()
  await (name === 'postgres' ? sql.raw(EMPTY_POSTGRES).execute(plain) : emptySqlite(plain))
}

/**
 * TRUNCATE makes new files for each table and index: far slower than to delete the few rows of a test. The lock waits for
 * writers that are still under way, as that of TRUNCATE does. A replica checks no foreign keys.
 */
export const EMPTY_POSTGRES = `do $$
  declare
    tables regclass[] := array(
      select oid from pg_class where relkind = 'r' and relnamespace = current_schema()::regnamespace order by oid
    );
    one regclass;
  begin
    if tables <> '{}' then
      execute 'lock table ' || array_to_string(tables, ', ') || ' in share row exclusive mode';
    end if;
    set local session_replication_role = replica;
    foreach one in array tables loop
      if pg_relation_size(one) > 1000000 then
        execute 'truncate ' || one || ' cascade';
      elsif pg_relation_size(one) > 0 then
        execute 'delete from ' || one;
      end if;
    end loop;
  end
$$`

/** In whatever order the tables come, a row may go before those that name it. */
async function emptySqlite(db: TestKysely): Promise<void> {
  const tables = await tableNames('sqlite', db)
  await db.connection().execute(async (connection) => {
    await sql`pragma foreign_keys = off`.execute(connection)
    for (const table of tables) await sql`delete from ${sql.table(table)}`.execute(connection)
    await sql`pragma foreign_keys = on`.execute(connection)
  })
}
