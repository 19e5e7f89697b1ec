import { sql } from 'kysely'
import type { OpenDatabase } from '../../../../../test/support/databases.ts'
import type { JsonBody } from '../../../../../test/support/json-body.ts'
import type { TestKysely } from '../../../../../test/support/tables.ts'

/** The tables that `audit` and `outbox` write to. */
export async function createChangeTables({ name, db }: OpenDatabase): Promise<void> {
  const id = name === 'sqlite' ? 'integer primary key autoincrement' : 'bigint generated always as identity primary key'
  const json = name === 'sqlite' ? 'text' : 'jsonb'
  const time = name === 'sqlite' ? 'text' : 'timestamptz'
  for (const table of ['audit', 'outbox']) {
    const columns = `id ${id}, at ${time}, resource text not null, "recordId" text not null, action text not null,
      before ${json}, after ${json}, caller ${json}`
    await sql.raw(`create table ${table} (${columns})`).execute(db)
  }
}

/** A change as a table or a worker has it. */
export interface RecordedChange {
  /** In milliseconds. */
  readonly at: number
  readonly resource: string
  readonly recordId: number
  readonly action: string
  readonly before: JsonBody
  readonly after: JsonBody
}

/** All rows of such a table, in order. */
export async function changesIn(db: TestKysely, table: 'audit' | 'outbox'): Promise<RecordedChange[]> {
  const rows = await db.selectFrom(table).selectAll().orderBy('id').execute()
  return rows.map(toChange)
}

/** JSON is text on SQLite. */
export function toChange({ at, resource, recordId, action, before, after }: JsonBody): RecordedChange {
  return {
    at: new Date(at).getTime(),
    resource,
    recordId: Number(recordId),
    action,
    before: parsed(before),
    after: parsed(after),
  }
}

function parsed(value: unknown): JsonBody {
  return typeof value === 'string' ? JSON.parse(value) : (value ?? null)
}
