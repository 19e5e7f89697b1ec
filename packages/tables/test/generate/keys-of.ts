import { sql } from 'kysely'
import type { OpenDatabase } from '../../../../test/support/databases.ts'

/** Every column, key and index of the tables, as sorted lines in words of the database. */
export async function keysOf({ name, db }: OpenDatabase): Promise<readonly string[]> {
  const query = name === 'sqlite' ? SQLITE : POSTGRES
  const { rows } = await sql.raw<{ line: string }>(query).execute(db)
  return rows.map(({ line }) => line).sort()
}

const SQLITE = `
  select 'column ' || t.name || '.' || c.name || ' ' || lower(c.type) || ' ' || c."notnull" || ' ' || c.pk as line
  from sqlite_schema t, pragma_table_xinfo(t.name) c
  where t.type = 'table' and t.name not like 'sqlite_%' and t.name not like 'kysely_%'
  union all
  select 'index of ' || t.name || ' ' || iif(l.origin = 'c', l.name, '') || ' ' || l."unique" || l.origin || l.partial || ' ' ||
    (select group_concat(i.name || ' ' || i."desc", ', ') from pragma_index_xinfo(l.name) i where i.key = 1)
  from sqlite_schema t, pragma_index_list(t.name) l where t.type = 'table' and t.name not like 'kysely_%'
  union all
  select 'foreign key of ' || t.name || ' (' || group_concat(f."from", ', ') || ') to ' || f."table" || ' (' ||
    group_concat(f."to", ', ') || ') ' || f.on_delete
  from sqlite_schema t, pragma_foreign_key_list(t.name) f where t.type = 'table' group by t.name, f.id`

const POSTGRES = `
  select 'column ' || table_name || '.' || column_name || ' ' || data_type || ' ' || is_nullable || ' ' ||
    coalesce(collation_name, '') || ' ' || is_identity || ' ' || coalesce(column_default, '') as line
  from information_schema.columns where table_schema = current_schema() and table_name not like 'kysely_%'
  union all
  select 'index ' || indexdef from pg_indexes where schemaname = current_schema() and tablename not like 'kysely_%'
  union all
  select 'key of ' || conrelid::regclass || ' ' || conname || ' ' || pg_get_constraintdef(oid) || ' ' || convalidated
  from pg_constraint where connamespace = current_schema()::regnamespace and contype <> 'n'
    and conrelid::regclass::text not like 'kysely_%'`
