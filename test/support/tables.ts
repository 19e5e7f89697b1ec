import { type Kysely, sql } from 'kysely'

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
        }>`select name from sqlite_master where type = 'table' and name not like 'sqlite\_%' escape '\\'`
      : sql<{ name: string }>`select table_name as name from information_schema.tables
          where table_schema = current_schema() and table_type = 'BASE TABLE'`
  const { rows } = await query.execute(plain)
  return rows.map((row) => row.name).sort()
}

/** All rows of the tables (default: of all there are) in a stable order, each as text. */
export async function takeSnapshot(name: DatabaseName, db: TestKysely, tables?: readonly string[]): Promise<Snapshot> {
  const plain = db.withoutPlugins()
  const snapshot: Record<string, readonly string[]> = {}
  for (const table of tables ?? (await tableNames(name, db))) {
    const { rows } = await sql`select * from ${sql.table(table)}`.execute(plain)
    snapshot[table] = rows.map((row) => JSON.stringify(row)).sort()
  }
  return snapshot
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

/** Empties all tables. Ids go on from where they were. */
export async function emptyTables(name: DatabaseName, db: TestKysely): Promise<void> {
  const plain = db.withoutPlugins()
  const tables = await tableNames(name, db)
  if (tables.length === 0) return
  if (name === 'postgres') {
    await sql`truncate ${sql.join(tables.map((table) => sql.table(table)))}`.execute(plain)
  } else {
    await emptySqlite(plain, tables)
  }
}

/** In whatever order the tables come, a row may go before those that name it. */
async function emptySqlite(db: TestKysely, tables: readonly string[]): Promise<void> {
  await db.connection().execute(async (connection) => {
    await sql`pragma foreign_keys = off`.execute(connection)
    for (const table of tables) await sql`delete from ${sql.table(table)}`.execute(connection)
    await sql`pragma foreign_keys = on`.execute(connection)
  })
}
