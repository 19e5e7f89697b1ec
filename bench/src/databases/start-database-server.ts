import type { DatabaseName, DatabaseServer } from './bench-database.ts'
import { postgresServer } from './postgres-server.ts'
import { sqliteFiles } from './sqlite-files.ts'

export function startDatabaseServer(name: DatabaseName): Promise<DatabaseServer> {
  return name === 'sqlite' ? sqliteFiles() : postgresServer()
}
