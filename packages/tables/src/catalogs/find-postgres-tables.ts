import type { AnyKysely } from '@fastify-crud/core'
import { baseType, foldsAllLetters, sequenceOfDefault } from '@fastify-crud/core/internal'
import { sql } from 'kysely'
import { conditionsIn } from './found-conditions.ts'
import type {
  DeleteAction,
  FoundColumn,
  FoundForeignKey,
  FoundIndex,
  FoundKey,
  FoundRule,
  FoundTable,
  FoundTables,
  SoughtTable,
  Trigrams,
} from './found-tables.ts'

interface TableRow {
  readonly position: number
  readonly oid: string
  readonly kind: string
  readonly rules: string
}

interface ColumnRow {
  /** The table's. */
  readonly oid: string
  readonly name: string
  readonly type: string
  readonly definition: string
  readonly collation: string | null
  readonly isExact: boolean
  readonly modifier: number
  readonly isEnum: boolean
  readonly notNull: boolean
  readonly hasDefault: boolean
  readonly default: string | null
  readonly isComputed: boolean
  readonly identity: string
  readonly sequence: string | null
}

interface IndexRow extends Omit<FoundIndex, 'columns' | 'keys' | 'where'> {
  /** The table's. */
  readonly oid: string
  readonly keys: string
  readonly predicate: string | null
}

interface KeyRow {
  readonly column: string | null
  readonly expression: string | null
  readonly options: number
  readonly collation: string | null
}

/** The bits of `pg_index.indoption`. */
const DESCENDING = 1
const NULLS_FIRST = 2

interface ForeignKeyRow {
  readonly name: string
  readonly definition: string
  readonly from: string
  readonly to: string
  readonly fromName: string
  readonly toName: string
  readonly columns: string
  readonly targetColumns: string
  readonly action: string
  readonly isEnforced: boolean
}

const DELETE_ACTIONS: Readonly<Record<string, DeleteAction>> = {
  a: 'NO ACTION',
  r: 'RESTRICT',
  c: 'CASCADE',
  n: 'SET NULL',
  d: 'SET DEFAULT',
}

/** Ordinary and partitioned tables. */
const TABLES = new Set(['r', 'p'])

export async function findPostgresTables(db: AnyKysely, sought: readonly SoughtTable[]): Promise<FoundTables> {
  const wanted = JSON.stringify(
    sought.map(({ schema, name }, position) => ({ position, schema: schema ?? null, name })),
  )
  const { rows } = await sql<TableRow>`
    select w.position, c.oid::text as oid, c.relkind::text as kind,
      (select coalesce(json_agg(json_build_object('name', r.rulename, 'isInstead', r.is_instead,
          'event', case r.ev_type when '2' then 'UPDATE' when '3' then 'INSERT' else 'DELETE' end) order by r.rulename), '[]')
        from pg_rewrite r where r.ev_class = c.oid and r.ev_type <> '1' and r.ev_enabled <> 'D')::text as rules
    from json_to_recordset(${wanted}::text::json) as w(position int, schema text, name text)
    join pg_class c on c.relname = w.name::name and c.relkind in ('r', 'p', 'v', 'm', 'f')
    join pg_namespace n on n.oid = c.relnamespace
    where case when w.schema is null then pg_table_is_visible(c.oid) else n.nspname = w.schema end`.execute(db)
  const oids = JSON.stringify(rows.map(({ oid }) => oid))
  const columns = Map.groupBy(await findColumns(db, oids), ({ oid }) => oid)
  const indexes = Map.groupBy(await findIndexes(db, oids), ({ oid }) => oid)
  const settings = await sql<{ role: string; digits: number; zone: string }>`
    select current_setting('session_replication_role') as role, current_setting('extra_float_digits')::int as digits,
      current_setting('TimeZone') as zone`.execute(db)

  const tables = new Map<string, FoundTable>()
  const keys = new Map<string, string>()
  for (const { position, oid, kind, rules } of rows) {
    const { key } = sought[position] as SoughtTable
    keys.set(oid, key)
    tables.set(key, {
      isTable: TABLES.has(kind),
      isPartitioned: kind === 'p',
      isStrict: false,
      hasNoRowNumbers: false,
      isKeyIndexed: true,
      isAutoIncrement: false,
      columns: new Map((columns.get(oid) ?? []).map((row) => [row.name, toColumn(row)])),
      indexes: (indexes.get(oid) ?? []).map(toIndex),
      rules: JSON.parse(rules) as FoundRule[],
    })
  }
  return {
    tables,
    foreignKeys: (await findForeignKeys(db, oids)).map((row) => toForeignKey(row, keys)),
    enforcesForeignKeys: settings.rows[0]?.role !== 'replica',
    roundsNumbers: (settings.rows[0]?.digits ?? 1) < 1,
    searches: { isPossible: false, parts: new Map() },
    trigrams: sought.some(({ searched = [] }) => searched.length > 0) ? await findTrigrams(db) : undefined,
    timeZone: settings.rows[0]?.zone,
  }
}

async function findColumns(db: AnyKysely, oids: string): Promise<readonly ColumnRow[]> {
  // The planner knows nothing of how many columns the tables have. It would rather look at those of all tables.
  const { rows } = await sql<ColumnRow>`
    with col as materialized (
      select * from pg_attribute
      where attrelid = any (array(select value::oid from json_array_elements_text(${oids}::text::json)))
        and attnum > 0 and not attisdropped
    )
    select col.attrelid::text as oid, col.attname as name, b.typname as type,
      format_type(col.atttypid, col.atttypmod) as definition,
      (select o.collname from pg_collation o where o.oid = col.attcollation) as collation,
      coalesce((select o.collisdeterministic from pg_collation o where o.oid = col.attcollation), true) as "isExact",
      case when y.typtype = 'd' then base.modifier else col.atttypmod end as modifier,
      coalesce((select e.typtype from pg_type e where e.oid = b.typelem and b.typcategory = 'A'), b.typtype) = 'e' as "isEnum",
      col.attnotnull or base.required as "notNull",
      col.atthasdef or col.attidentity <> '' or y.typdefault is not null as "hasDefault",
      (select pg_get_expr(d.adbin, d.adrelid) from pg_attrdef d where d.adrelid = col.attrelid and d.adnum = col.attnum) as default,
      col.attgenerated <> '' as "isComputed",
      col.attidentity::text as identity,
      case when col.atthasdef or col.attidentity <> ''
        then coalesce(pg_get_serial_sequence(col.attrelid::regclass::text, col.attname),
          (${sequenceOfDefault(sql`col.attrelid`, sql`col.attname`)})) end as sequence
    from col
    join pg_type y on y.oid = col.atttypid
    cross join lateral ${baseType(sql`y`)} as base
    join pg_type b on b.oid = base.oid
    order by col.attrelid, col.attnum`.execute(db)
  return rows
}

async function findIndexes(db: AnyKysely, oids: string): Promise<readonly IndexRow[]> {
  // In JSON, a column that older servers do not have is null.
  const { rows } = await sql<IndexRow>`
    select i.indrelid::text as oid, c.relname as name, i.indisunique and i.indisvalid as "isUnique",
      i.indisprimary as "isPrimary",
      i.indpred is not null as "isPartial", pg_get_expr(i.indpred, i.indrelid) as predicate, not i.indimmediate as "isDeferrable",
      exists (select from pg_constraint k where k.conindid = i.indexrelid and k.contype in ('p', 'u') and k.condeferred) as "isDeferred",
      coalesce((to_jsonb(i) ->> 'indnullsnotdistinct')::boolean, false) as "nullsAreEqual",
      i.indisvalid and m.amname in ('btree', 'hash') as "isUsable",
      i.indisvalid and m.amname = 'btree' as "isSorted",
      i.indisvalid and m.amname in ('gin', 'gist')
        and exists (select from pg_opclass o where o.oid = (i.indclass::oid[])[0] and right(o.opcname, 9) = '_trgm_ops') as "hasTrigrams",
      (select json_agg(json_build_object('column', a.attname, 'options', (i.indoption::int2[])[k.position - 1],
          'expression', case when k.number = 0 then pg_get_indexdef(i.indexrelid, k.position::int4, false) end,
          'collation', o.collname) order by k.position)
        from unnest((i.indkey::int2[])[0:i.indnkeyatts - 1]) with ordinality as k(number, position)
        left join pg_attribute a on a.attrelid = i.indrelid and a.attnum = k.number and k.number <> 0
        left join pg_collation o on o.oid = (i.indcollation::oid[])[k.position - 1])::text as keys
    from json_array_elements_text(${oids}::text::json) as t(oid)
    join pg_index i on i.indrelid = t.oid::oid
    join pg_class c on c.oid = i.indexrelid
    join pg_am m on m.oid = c.relam
    order by i.indrelid, c.relname`.execute(db)
  return rows
}

async function findForeignKeys(db: AnyKysely, oids: string): Promise<readonly ForeignKeyRow[]> {
  // PostgreSQL hashes `in (select …)`. A join would be a nested loop: a new database has no statistics of its catalogs.
  const { rows } = await sql<ForeignKeyRow>`
    with t as (select value::oid as oid from json_array_elements_text(${oids}::text::json))
    select k.conname as name, pg_get_constraintdef(k.oid) as definition, k.conrelid::text as "from", k.conrelid::regclass::text as "fromName",
      k.confrelid::text as "to", k.confrelid::regclass::text as "toName", k.confdeltype::text as action,
      (select json_agg(a.attname order by n.position) from unnest(k.conkey) with ordinality as n(number, position)
        join pg_attribute a on a.attrelid = k.conrelid and a.attnum = n.number)::text as columns,
      (select json_agg(a.attname order by n.position) from unnest(k.confkey) with ordinality as n(number, position)
        join pg_attribute a on a.attrelid = k.confrelid and a.attnum = n.number)::text as "targetColumns",
      coalesce((to_jsonb(k) ->> 'conenforced')::boolean, true)
        and not exists (select from pg_trigger r where r.tgconstraint = k.oid and r.tgenabled = 'D') as "isEnforced"
    from pg_constraint k
    where k.contype = 'f' and k.conparentid = 0
      and (k.conrelid in (select oid from t) or k.confrelid in (select oid from t))`.execute(db)
  return rows
}

function toColumn({ oid, identity, sequence, collation, default: given, ...row }: ColumnRow): FoundColumn {
  return {
    ...row,
    isAlwaysIdentity: identity === 'a',
    sequence: sequence ?? undefined,
    default: given ?? undefined,
    collation: collation ?? undefined,
  }
}

function toIndex({ oid, keys, predicate, ...row }: IndexRow): FoundIndex {
  const found = (JSON.parse(keys) as readonly KeyRow[]).map(toKey)
  const where = predicate === null ? undefined : conditionsIn(predicate, (name) => name)
  return { ...row, where, keys: found, columns: found.map(({ column }) => column) }
}

function toKey({ column, expression, options, collation }: KeyRow): FoundKey {
  return {
    column: column ?? undefined,
    expression: expression ?? undefined,
    isDescending: (options & DESCENDING) !== 0,
    nullsFirst: (options & NULLS_FIRST) !== 0,
    collation: collation ?? undefined,
  }
}

function toForeignKey(row: ForeignKeyRow, keys: ReadonlyMap<string, string>): FoundForeignKey {
  return {
    name: row.name,
    definition: row.definition,
    table: keys.get(row.from),
    tableName: row.fromName,
    columns: fromJson(row.columns) as string[],
    target: keys.get(row.to),
    targetName: row.toName,
    targetColumns: fromJson(row.targetColumns) as string[],
    onDelete: DELETE_ACTIONS[row.action] ?? 'NO ACTION',
    isEnforced: row.isEnforced,
  }
}

/** Names as a JSON array of text: drivers do not agree on how they hand out arrays. */
function fromJson(names: string): (string | null)[] {
  return JSON.parse(names)
}

/** Asks PostgreSQL for its extension `pg_trgm`. Undefined where an index of it would not find all texts. */
async function findTrigrams(db: AnyKysely): Promise<Trigrams | undefined> {
  // In JSON, a column that older servers do not have is null.
  const { rows } = await sql<{ schema: string | null; mayCreate: boolean; isIcu: boolean }>`
    select (select n.nspname from pg_extension e join pg_namespace n on n.oid = e.extnamespace where e.extname = 'pg_trgm') as schema,
      exists (
        select from pg_available_extension_versions v
        where v.name = 'pg_trgm' and (not v.superuser or r.rolsuper
          or (coalesce((to_jsonb(v) ->> 'trusted')::boolean, false) and has_database_privilege(d.oid, 'CREATE')))
      ) as "mayCreate",
      coalesce(to_jsonb(d) ->> 'datlocprovider' = 'i', false) as "isIcu"
    from pg_database d cross join pg_roles r
    where d.datname = current_database() and r.rolname = current_user`.execute(db)
  const [found] = rows
  const foldsAll = await foldsAllLetters(db)
  // Before PostgreSQL 17, upper case remains in what the service compares. The extension makes lower case of it by the
  // locale of the database, which ICU does by the letters around: a sigma is another one at the end of a word than in a
  // part of it.
  if (found === undefined || (found.isIcu && !foldsAll)) return undefined
  const { schema, mayCreate } = found
  return { schema: schema ?? undefined, mayCreate, collation: foldsAll ? 'pg_c_utf8' : 'C' }
}
