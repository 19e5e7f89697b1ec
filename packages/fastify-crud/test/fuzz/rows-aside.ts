import SqliteDriver from 'better-sqlite3'
import pg from 'pg'
import type { OpenDatabase } from '../../../../test/support/databases.ts'
import type { RowsAside } from './hidden-rows.ts'
import type { StoredRow } from './stored-rows.ts'

/** Puts rows aside, and back again, over a connection of its own that checks no foreign keys. */
export interface RowSwapper {
  /** Asks while the rows are aside. */
  without<Answer>(aside: readonly RowsAside[], ask: () => Promise<Answer>): Promise<Answer>
  close(): Promise<void>
}

type Swap = (aside: readonly RowsAside[]) => Promise<void>

export async function rowSwapper({ name, location }: OpenDatabase): Promise<RowSwapper> {
  const { swap, close } = name === 'sqlite' ? onSqlite(location) : await onPostgres(location)
  return {
    async without(aside, ask) {
      await swap(aside)
      try {
        return await ask()
      } finally {
        await swap(aside.map(({ table, rows, instead }) => ({ table, rows: instead, instead: rows })))
      }
    },
    close,
  }
}

function onSqlite(file: string): { swap: Swap; close: () => Promise<void> } {
  const database = new SqliteDriver(file)
  database.pragma('foreign_keys = OFF')
  const write = (statement: string, row: StoredRow) => database.prepare(statement).run(Object.values(row))
  const swapAll = database.transaction((aside: readonly RowsAside[]) => {
    for (const { table, rows, instead } of aside) {
      for (const row of rows)
        write(`delete from ${table} where ${columnsOf(row, (name) => `${name} is ?`, ' and ')}`, row)
      for (const row of instead)
        write(`insert into ${table} (${columnsOf(row, String)}) values (${columnsOf(row, () => '?')})`, row)
    }
  })
  return { swap: async (aside) => swapAll.immediate(aside), close: async () => void database.close() }
}

function columnsOf(row: StoredRow, written: (name: string) => string, between = ', '): string {
  return Object.keys(row).map(written).join(between)
}

async function onPostgres(url: string): Promise<{ swap: Swap; close: () => Promise<void> }> {
  const client = new pg.Client(url)
  await client.connect()
  await client.query("set session_replication_role = 'replica'")
  const swap: Swap = async (aside) => {
    await client.query('begin')
    for (const { table, rows, instead } of aside) {
      await client.query(
        `delete from ${table} as t
          where to_jsonb(t) in (select to_jsonb(made) from jsonb_populate_recordset(null::${table}, $1::jsonb) as made)`,
        [JSON.stringify(rows)],
      )
      await client.query(
        `insert into ${table} overriding system value
          select made.* from jsonb_populate_recordset(null::${table}, $1::jsonb) as made`,
        [JSON.stringify(instead)],
      )
    }
    await client.query('commit')
  }
  return { swap, close: () => client.end() }
}
