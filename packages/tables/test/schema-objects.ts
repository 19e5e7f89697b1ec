import { sql } from 'kysely'
import type { DatabaseName, TestKysely } from '../../../test/support/tables.ts'

/** Every column and index of a database as a line, sorted, but those of the library's own tables: two equal lists mean that no table has changed. */
export async function schemaObjects(name: DatabaseName, db: TestKysely): Promise<string[]> {
  const plain = db.withoutPlugins()
  const columns =
    name === 'sqlite'
      ? sql<{ line: string }>`
          select 'column ' || t.name || '.' || c.name || ' ' || c.type || iif(c."notnull", ' not null', '') as line
          from sqlite_schema t, pragma_table_xinfo(t.name) c where t.type = 'table' and t.name <> 'sqlite_sequence'`
      : sql<{ line: string }>`
          select 'column ' || table_name || '.' || column_name || ' ' || data_type
            || case is_nullable when 'NO' then ' not null' else '' end as line
          from information_schema.columns where table_schema = current_schema()`
  const indexes =
    name === 'sqlite'
      ? sql<{ line: string }>`
          select 'index ' || name || ' on ' || tbl_name as line from sqlite_schema where type = 'index'`
      : sql<{ line: string }>`
          select 'index ' || indexname || ' on ' || tablename as line from pg_indexes
          where schemaname = current_schema()`
  const rows = [...(await columns.execute(plain)).rows, ...(await indexes.execute(plain)).rows]
  return rows
    .map(({ line }) => line)
    .filter((line) => !line.includes(' crud_'))
    .sort()
}
