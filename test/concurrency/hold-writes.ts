/**
 * Another process that writes to a SQLite file: `node hold-writes.ts <file> <times> <hold in ms> <pause in ms>`. Each
 * time it holds a transaction open that has written, and then lets others in. Ends with code 0 if none of its own writes failed.
 */
import { setTimeout as wait } from 'node:timers/promises'
import SqliteDriver from 'better-sqlite3'

const [file = '', times = '', hold = '', pause = ''] = process.argv.slice(2)
const database = new SqliteDriver(file, { timeout: 10_000 })
database.pragma('foreign_keys = ON')
process.send?.('ready')
for (let count = 0; count < Number(times); count++) {
  database.exec('begin immediate')
  database.exec("update owner set note = cast(note as integer) + 1 where name = 'counted'")
  await wait(Number(hold))
  database.exec('commit')
  await wait(Number(pause))
}
database.close()
if (process.connected) process.disconnect()
