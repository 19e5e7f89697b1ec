import { sql } from 'kysely'
import type { TestKysely } from './tables.ts'

/**
 * PostgreSQL: has the database refuse the first write of a table with an error of this code, as it commits or at once. What a sequence gives
 * is not undone.
 */
export async function failCommits(
  db: TestKysely,
  table: string,
  code: string,
  when: 'as it commits' | 'at once' = 'as it commits',
): Promise<void> {
  const isLate = when === 'as it commits'
  for (const statement of [
    'drop function if exists fail_first cascade',
    'drop sequence if exists times_written',
    'create sequence times_written',
    `create function fail_first() returns trigger language plpgsql as $$
      begin
        if nextval('times_written') = 1 then
          raise exception 'not in this order' using errcode = '${code}';
        end if;
        return new;
      end
    $$`,
    `create ${isLate ? 'constraint ' : ''}trigger fail_first after insert or update or delete on "${table}"
      ${isLate ? 'deferrable initially deferred ' : ''}for each row execute function fail_first()`,
  ]) {
    await sql.raw(statement).execute(db.withoutPlugins())
  }
}

/** How often the table was written since then, also in vain. */
export async function timesWritten(db: TestKysely): Promise<number> {
  const { rows } = await sql<{ times: string }>`select last_value as times from times_written`.execute(db)
  return Number(rows[0]?.times)
}
