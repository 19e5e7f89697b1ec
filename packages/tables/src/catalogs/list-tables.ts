import type { AnyKysely } from '@fastify-crud/core'
import { baseType, databaseOf, SEARCH_PREFIX } from '@fastify-crud/core/internal'
import { sql } from 'kysely'
import { findPostgresTables } from './find-postgres-tables.ts'
import { findSqliteTables } from './find-sqlite-tables.ts'
import type { FoundTables, SoughtTable } from './found-tables.ts'

/** A table, or something that can be read like one. */
export interface ListedTable {
  readonly name: string
  readonly kind: 'table' | 'view' | 'materialized view' | 'foreign table' | 'virtual table'
  /** PostgreSQL: its comment. */
  readonly comment: string | undefined
  /** By the column's name; only columns of which there is something to say. */
  readonly columns: ReadonlyMap<string, ListedColumn>
}

interface ListedColumn {
  readonly comment: string | undefined
  /** The values of an enum, or of the enum that its elements are of. */
  readonly values: readonly string[] | undefined
  /** The texts that a CHECK allows. */
  readonly checked: readonly string[] | undefined
}

/**
 * The tables and views of one schema, by name. Partitions belong to their table, and what an extension has made to the
 * extension, so they are left out.
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

const QUOTED = `E?'(?:[^']|'')*'`
const NAME = `(?:"(?:[^"]|"")*"|[\\p{L}_][\\p{L}\\p{N}_$]*)`

/** A text as PostgreSQL prints it, with its type. A dump that was restored has a second cast. */
const ELEMENT = `\\(?${QUOTED}::(?:text|character varying|bpchar)\\)?(?:::text)?`
const COLUMN = `(?:${NAME}|\\(${NAME}\\)::text)`
const LIST = `\\(?ARRAY\\[${ELEMENT}(?:, ${ELEMENT})*\\]\\)?(?:::text\\[\\])?`
const POSTGRES = new RegExp(`^CHECK \\(\\(${COLUMN} = (?:ANY \\(${LIST}\\)|${ELEMENT})\\)\\)$`, 'u')

/**
 * The texts that a CHECK of one column allows, as `pg_get_constraintdef` prints it:
 * `CHECK ((status = ANY (ARRAY['a'::text, 'b'::text])))`. Undefined for a check that says anything else.
 */
function checkedByPostgres(definition: string): readonly string[] | undefined {
  if (!POSTGRES.test(definition)) return undefined
  // Names in double quotes may have single ones in them.
  const [, values = ''] = definition.split(/ = (.*)/su)
  return Array.from(values.matchAll(new RegExp(QUOTED, 'g')), ([text]) => textIn(text))
}

/** A text without its quotes. */
function textIn(quoted: string): string {
  const text = quoted.slice(quoted.indexOf("'") + 1, -1).replaceAll("''", "'")
  return quoted.startsWith('E') ? text.replaceAll('\\\\', '\\') : text
}

const TOKEN = /--[^\n]*|\/\*[\s\S]*?\*\/|'(?:[^']|'')*'|"(?:[^"]|"")*"|`[^`]*`|\[[^\]]*\]|[\p{L}_][\p{L}\p{N}_$]*|\S/gu

/** Texts between commas. */
const TEXTS = /^'(?:[^']|'')*'(?:,'(?:[^']|'')*')*$/

/**
 * The texts that checks like `check (status in ('a', 'b'))` of a `CREATE TABLE` of SQLite allow, by the column's name
 * in lower case. Other checks are left out, and so are all where some column may have a collation, to which other texts
 * are equal.
 */
function checkedBySqlite(statement: string): ReadonlyMap<string, readonly string[]> {
  const tokens = (statement.match(TOKEN) ?? []).filter((token) => !/^(?:--|\/\*)/.test(token))
  const checked = new Map<string, readonly string[]>()
  if (tokens.some((token) => /^collate$/i.test(token))) return checked
  for (const [index, token] of tokens.entries()) {
    if (!/^check$/i.test(token) || tokens[index + 1] !== '(') continue
    const [name, word, ...list] = withoutBrackets(tokens.slice(index + 1, endOf(tokens, index + 1)))
    const texts = list.slice(1, -1).join('')
    const isList = /^in$/i.test(word ?? '') && list[0] === '(' && list.at(-1) === ')' && TEXTS.test(texts)
    if (name === undefined || !isList) continue
    checked.set(nameIn(name).toLowerCase(), list.filter((one) => one.startsWith("'")).map(textIn))
  }
  return checked
}

/** The index behind the bracket that closes the one at an index. */
function endOf(tokens: readonly string[], start: number): number {
  let depth = 0
  for (let index = start; index < tokens.length; index++) {
    if (tokens[index] === '(') depth += 1
    if (tokens[index] === ')') depth -= 1
    if (depth === 0) return index + 1
  }
  return tokens.length
}

function withoutBrackets(tokens: readonly string[]): readonly string[] {
  const isInBrackets = tokens[0] === '(' && endOf(tokens, 0) === tokens.length
  return isInBrackets ? withoutBrackets(tokens.slice(1, -1)) : tokens
}

function nameIn(token: string): string {
  if (token.startsWith('"')) return token.slice(1, -1).replaceAll('""', '"')
  return /^[`[]/.test(token) ? token.slice(1, -1) : token
}

/** Reads the catalogs, in a few queries whatever the number of tables. The names of the sought tables are the
 * database's. */
export function findTables(db: AnyKysely, tables: readonly SoughtTable[]): Promise<FoundTables> {
  const withoutPlugins = db.withoutPlugins()
  return databaseOf(db) === 'postgres'
    ? findPostgresTables(withoutPlugins, tables)
    : findSqliteTables(withoutPlugins, tables)
}
