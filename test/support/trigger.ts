import { sql } from 'kysely'
import type { OpenDatabase } from './databases.ts'

export interface TriggerOptions {
  readonly table: string
  readonly on: 'insert' | 'update' | 'delete'
  /** For which rows, in SQL: `new.name = 'bad'`. */
  readonly when: string
  /** PostgreSQL: the code of the error. Default: that of RAISE EXCEPTION. */
  readonly code?: string
}

/** What the triggers of {@link refuseBy} say. No client may be told. */
export const TRIGGER_WORDS = 'the secret rule of the house'

/** Makes a trigger that refuses some rows with an error. */
export async function refuseBy({ name, db }: OpenDatabase, options: TriggerOptions): Promise<void> {
  const { table, on, when, code = 'P0001' } = options
  const trigger = `refuse_${table}_${on}`
  const body = `raise exception '${TRIGGER_WORDS}' using errcode = '${code}'`
  const statements =
    name === 'sqlite'
      ? [
          `create trigger ${trigger} before ${on} on "${table}" when ${when} begin select raise(abort, '${TRIGGER_WORDS}'); end`,
        ]
      : [
          `create function ${trigger}() returns trigger language plpgsql as $$ begin ${body}; end $$`,
          `create trigger ${trigger} before ${on} on "${table}" for each row when (${when}) execute function ${trigger}()`,
        ]
  for (const statement of statements) await sql.raw(statement).execute(db)
}

/** Makes a trigger that leaves some rows as they are, without an error. */
export async function skipBy(
  { name, db }: OpenDatabase,
  { table, on, when }: Omit<TriggerOptions, 'code'>,
): Promise<void> {
  const trigger = `skip_${table}_${on}`
  const statements =
    name === 'sqlite'
      ? [`create trigger ${trigger} before ${on} on "${table}" when ${when} begin select raise(ignore); end`]
      : [
          `create function ${trigger}() returns trigger language plpgsql as $$ begin return null; end $$`,
          `create trigger ${trigger} before ${on} on "${table}" for each row when (${when}) execute function ${trigger}()`,
        ]
  for (const statement of statements) await sql.raw(statement).execute(db)
}
