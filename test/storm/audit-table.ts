import { sql } from 'kysely'
import type { TestKysely } from '../support/tables.ts'
import type { Key } from './history.ts'

/** A row that the rule `audit` has written. */
export interface Audited {
  readonly key: Key
  /** The write that it belongs to. */
  readonly token: string
  readonly action: string
  readonly before: AuditedRow | null
  readonly after: AuditedRow | null
}

export type AuditedRow = Readonly<Record<string, unknown>>

/** In a model with tenants, a row says whose change it is. */
export async function createAudit(db: TestKysely, name: string, hasTenants: boolean): Promise<void> {
  const [id, time, json] =
    name === 'sqlite'
      ? ['integer primary key autoincrement', 'text', 'text']
      : ['bigint generated always as identity primary key', 'timestamptz', 'jsonb']
  const tenant = hasTenants ? sql`"fairId" text,` : sql``
  await sql`create table audit (
    id ${sql.raw(id)}, ${tenant} at ${sql.raw(time)} not null, resource text not null, "recordId" text not null, action text not null,
    before ${sql.raw(json)}, after ${sql.raw(json)}, caller ${sql.raw(json)}
  )`.execute(db)
  await sql`create index audit_record on audit ("recordId", resource)`.execute(db)
}

/** All rows, in the order in which they were written. */
export async function readAudit(db: TestKysely): Promise<Audited[]> {
  const { rows } = await sql<Record<string, unknown>>`select * from audit order by id`.execute(db)
  return rows.map(({ resource, recordId, action, before, after, caller }) => ({
    key: `${resource}/${recordId}`,
    token: (parsed(caller) as { token: string }).token,
    action: action as string,
    before: parsed(before),
    after: parsed(after),
  }))
}

/** SQLite has JSON as text. */
function parsed(json: unknown): AuditedRow | null {
  return typeof json === 'string' ? JSON.parse(json) : (json as AuditedRow | null)
}
