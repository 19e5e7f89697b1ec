import { sql } from 'kysely'
import type { OpenDatabase } from './databases.ts'

/** From then on no row of the table can be updated: who tries gets an error. */
export async function refuseUpdates({ name, db }: OpenDatabase, table: string): Promise<void> {
  const on = `before update on "${table}"`
  const statements =
    name === 'sqlite'
      ? [`create trigger refuse_updates ${on} begin select raise(abort, 'a row was updated'); end`]
      : [
          `create function refuse_update() returns trigger language plpgsql
           as $$ begin raise exception 'a row was updated'; end $$`,
          `create trigger refuse_updates ${on} for each row execute function refuse_update()`,
        ]
  for (const statement of statements) await sql.raw(statement).execute(db)
}
