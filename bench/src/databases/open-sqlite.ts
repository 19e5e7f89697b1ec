import SqliteDriver from 'better-sqlite3'

/** A file as every side opens it. */
export function openSqlite(file: string): SqliteDriver.Database {
  const database = new SqliteDriver(file)
  database.pragma('journal_mode = WAL')
  database.pragma('synchronous = NORMAL')
  database.pragma('foreign_keys = ON')
  database.pragma('busy_timeout = 5000')
  return database
}
