/** `hold-file.ts <file>`: keeps others from a new file for a moment after it has said so. */
import SqliteDriver from 'better-sqlite3'

const HOLD_MS = 100

const database = new SqliteDriver(process.argv[2])
database.exec('begin exclusive')
process.send?.('held')
setTimeout(() => {
  database.exec('commit')
  database.close()
  process.disconnect()
}, HOLD_MS)
