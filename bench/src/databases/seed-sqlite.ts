import type { Database } from 'better-sqlite3'
import { CHILDREN } from '../records.ts'

/** What the two tables and their keys are called. */
export interface SqliteNames {
  readonly parent: string
  readonly child: string
  readonly id: string
  readonly foreignKey: string
}

/**
 * Leaves exactly the records 1 to `records`, each with its children, in as small a file as they need. The next new
 * record gets the id after them.
 */
export function seedSqlite(database: Database, names: SqliteNames, records: number, children: number = CHILDREN): void {
  const { parent, child, id, foreignKey } = names
  const counts = database.prepare("select 1 from sqlite_master where name = 'sqlite_sequence'").get() !== undefined
  const numbers = 'with recursive n (i) as (select 1 union all select i + 1 from n where i < ?)'
  const seed = database.transaction(() => {
    database.exec(`delete from ${child}; delete from ${parent}`)
    if (counts) database.exec('delete from sqlite_sequence')
    database
      .prepare(`${numbers} insert into ${parent} (${id}, name, quantity) select i, 'parent ' || i, i from n`)
      .run(records)
    if (children === 0) return
    database
      .prepare(
        `${numbers} insert into ${child} (${id}, name, quantity, ${foreignKey})
         select i, 'child ' || i, i, (i - 1) / ${children} + 1 from n`,
      )
      .run(records * children)
  })
  seed()
  database.exec('vacuum')
  database.pragma('wal_checkpoint(TRUNCATE)')
}
