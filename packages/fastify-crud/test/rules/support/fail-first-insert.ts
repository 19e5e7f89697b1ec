import { sql } from 'kysely'
import type { TestKysely } from '../../../../../test/support/tables.ts'

/** What keeps a write from its commit, though it is right: PL/pgSQL. */
export const mishaps = {
  'a serialization failure': "raise exception 'again' using errcode = '40001'",
  'a deadlock': "raise exception 'again' using errcode = '40P01'",
  'a lost connection': 'perform pg_terminate_backend(pg_backend_pid())',
} as const

/** PostgreSQL: the first INSERT into a table fails by itself. A sequence is not rolled back, so it knows which one is the first. */
export async function failFirstInsert(db: TestKysely, table: string, mishap: keyof typeof mishaps): Promise<void> {
  for (const statement of [
    'create sequence insert_tries',
    `create function fail_first() returns trigger language plpgsql as $$ begin
      if nextval('insert_tries') = 1 then ${mishaps[mishap]}; end if;
      return new;
    end $$`,
    `create trigger fail_first after insert on "${table}" for each row execute function fail_first()`,
  ]) {
    await sql.raw(statement).execute(db)
  }
}
