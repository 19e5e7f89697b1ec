import type { AnyKysely } from '@fastify-crud/core'
import { baseType, databaseOf, SEARCH_PREFIX } from '@fastify-crud/core/internal'
import { sql } from 'kysely'
import { checkedByPostgres, checkedBySqlite } from './checked-values.ts'

/** A table, or something that can be read like one. */
export interface ListedTable {
  readonly name: string
  readonly kind: 'table' | 'view' | 'materialized view' | 'foreign table' | 'virtual table'
  /** PostgreSQL: its comment. */
  readonly comment: string | undefined
  /** By the column's name; only columns of which there is something to say. */
  readonly columns: ReadonlyMap<string, ListedColumn>
}

export interface ListedColumn {
  readonly comment: string | undefined
  /** The values of an enum, or of the enum that its elements are of. */
  readonly values: readonly string[] | undefined
  /** The texts that a CHECK allows. */
  readonly checked: readonly string[] | undefined
}

/**
 * The tables and views of one schema, by name. Partitions belong to their table, and what an extension has made to the extension, so they are
 * left out.
 *
 * @param schema PostgreSQL's; undefined: the one in which new tables are created
 */
export function listTables(db: AnyKysely, schema: string | undefined): Promise<readonly ListedTable[]> {
  return databaseOf(db) === 'postgres' ? listPostgresTables(db, schema) : listSqliteTables(db)
}

const POSTGRES_KINDS: Readonly<Record<string, ListedTable['kind']>> = {
  r: 'table',
  p: 'table',
  v: 'view',
  m: 'materialized view',
  f: 'foreign table',
}

interface PostgresRow {
  readonly name: string
  readonly kind: string
  readonly comment: string | null
  readonly columns: string
}

interface PostgresColumn {
  readonly name: string
  readonly comment: string | null
  readonly values: readonly string[] | null
  readonly checks: readonly string[] | null
}

async function listPostgresTables(db: AnyKysely, schema: string | undefined): Promise<readonly ListedTable[]> {
  const { rows } = await sql<PostgresRow>`
    select c.relname as name, c.relkind::text as kind, obj_description(c.oid, 'pg_class') as comment,
      (select coalesce(json_agg(json_build_object('name', a.attname, 'comment', col_description(c.oid, a.attnum),
          'values', (select json_agg(e.enumlabel order by e.enumsortorder) from pg_enum e where e.enumtypid in (base.oid, (select b.typelem from pg_type b where b.oid = base.oid))),
          'checks', (select json_agg(pg_get_constraintdef(k.oid) order by k.conname) from pg_constraint k
            where k.conrelid = c.oid and k.contype = 'c' and k.convalidated and k.conkey = array[a.attnum]))), '[]')
        from pg_attribute a join pg_type y on y.oid = a.atttypid cross join lateral ${baseType(sql`y`)} as base
        where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped)::text as columns
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = coalesce(${schema ?? null}, current_schema()) and c.relkind in ('r', 'p', 'v', 'm', 'f') and not c.relispartition
      and not exists (select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e')
    order by c.relname collate "C"`.execute(db)
  return rows.map(({ name, kind, comment, columns }) => ({
    name,
    kind: POSTGRES_KINDS[kind] ?? 'table',
    comment: comment ?? undefined,
    columns: new Map((JSON.parse(columns) as readonly PostgresColumn[]).flatMap(toListedColumn)),
  }))
}

function toListedColumn({
  name,
  comment,
  values,
  checks,
}: PostgresColumn): readonly (readonly [string, ListedColumn])[] {
  const checked = checks?.map(checkedByPostgres).find((texts) => texts !== undefined)
  if (comment === null && values === null && checked === undefined) return []
  return [[name, { comment: comment ?? undefined, values: values ?? undefined, checked }]]
}

interface SqliteRow {
  readonly name: string
  readonly type: 'table' | 'view' | 'virtual'
  readonly sql: string | null
  /** Its columns' names, as JSON. */
  readonly columns: string
}

async function listSqliteTables(db: AnyKysely): Promise<readonly ListedTable[]> {
  const { rows } = await sql<SqliteRow>`
    select t.name, t.type, (select s.sql from sqlite_schema s where s.name = t.name and s.type = 'table') as sql,
      (select json_group_array(c.name) from pragma_table_xinfo(t.name) c) as columns
    from pragma_table_list t
    where t.schema = 'main' and t.type in ('table', 'view', 'virtual') and t.name not like 'sqlite\\_%' escape '\\'
      and substr(lower(t.name), 1, ${sql.lit(SEARCH_PREFIX.length)}) <> ${sql.lit(SEARCH_PREFIX)}
    order by t.name`.execute(db)
  return rows.map(({ name, type, ...row }) => ({
    name,
    kind: type === 'virtual' ? 'virtual table' : type,
    comment: undefined,
    columns: type === 'table' ? checkedColumns(row) : new Map(),
  }))
}

function checkedColumns({ sql: statement, columns }: Pick<SqliteRow, 'sql' | 'columns'>): ListedTable['columns'] {
  const checked = checkedBySqlite(statement ?? '')
  const names = JSON.parse(columns) as readonly string[]
  return new Map(
    names.flatMap((name) => {
      const texts = checked.get(name.toLowerCase())
      return texts === undefined ? [] : [[name, { comment: undefined, values: undefined, checked: texts }]]
    }),
  )
}
