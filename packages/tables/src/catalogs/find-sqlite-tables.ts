import type { AnyKysely } from '@fastify-crud/core'
import { SEARCH_PREFIX } from '@fastify-crud/core/internal'
import { sql } from 'kysely'
import { conditionsIn } from './found-conditions.ts'
import type {
  DeleteAction,
  FoundColumn,
  FoundForeignKey,
  FoundIndex,
  FoundKey,
  FoundSearches,
  FoundTable,
  FoundTables,
  SoughtTable,
} from './found-tables.ts'
import { primaryKeyOf } from './found-tables.ts'
import { indexedTexts, predicateOf } from './indexed-texts.ts'

interface TableRow {
  readonly name: string
  readonly type: 'table' | 'view'
  readonly sql: string | null
}

interface ColumnRow {
  readonly key: string
  readonly name: string
  readonly type: string
  readonly isNotNull: number
  readonly fallback: string | null
  readonly position: number
  readonly hidden: number
}

interface IndexRow {
  readonly key: string
  readonly name: string
  readonly isUnique: number
  readonly origin: string
  readonly partial: number
  readonly column: string | null
  readonly isDescending: number
  readonly collation: string
  /** The index as it was created; null for that of a key. */
  readonly sql: string | null
}

interface ForeignKeyRow {
  readonly name: string
  readonly id: number
  readonly target: string
  readonly source: string
  readonly goal: string | null
  readonly action: DeleteAction
}

/** Hidden columns of these kinds are computed (`GENERATED ALWAYS AS`). */
const COMPUTED = new Set([2, 3])

export async function findSqliteTables(db: AnyKysely, sought: readonly SoughtTable[]): Promise<FoundTables> {
  const all = await sql<TableRow>`select name, type, sql from sqlite_schema where type in ('table', 'view')`.execute(db)
  const present = new Map(all.rows.map((row) => [row.name.toLowerCase(), row]))
  const found = sought.filter(({ name }) => present.has(name.toLowerCase()))
  const names = JSON.stringify(found.map(({ name }) => name))
  const columns = await sql<ColumnRow>`
    select t.value as key, c.name, c.type, c."notnull" as "isNotNull", c.dflt_value as fallback, c.pk as position, c.hidden
    from json_each(${names}) t, pragma_table_xinfo(t.value) c order by t.key, c.cid`.execute(db)
  const indexes = await sql<IndexRow>`
    select t.value as key, l.name, l."unique" as "isUnique", l.origin, l.partial, i.name as "column",
      i."desc" as "isDescending", i.coll as collation,
      (select s.sql from sqlite_schema s where s.type = 'index' and s.name = l.name) as sql
    from json_each(${names}) t, pragma_index_list(t.value) l, pragma_index_xinfo(l.name) i
    where i.key = 1 order by t.key, l.name, i.seqno`.execute(db)
  const foreignKeys = await sql<ForeignKeyRow>`
    select s.name, f.id, f."table" as target, f."from" as source, f."to" as goal, f.on_delete as action
    from sqlite_schema s, pragma_foreign_key_list(s.name) f where s.type = 'table' order by s.name, f.id, f.seq`.execute(
    db,
  )
  const pragma = await sql<{ value: number }>`select foreign_keys as value from pragma_foreign_keys`.execute(db)

  const columnsOf = Map.groupBy(columns.rows, ({ key }) => key)
  const indexesOf = Map.groupBy(indexes.rows, ({ key }) => key)
  const tables = new Map<string, FoundTable>()
  for (const one of found) {
    const spell = spellingOf(one)
    const rows = columnsOf.get(one.name) ?? []
    const row = present.get(one.name.toLowerCase())
    const statement = withoutNamesAndComments(row?.sql ?? '')
    tables.set(one.key, {
      isTable: row?.type === 'table',
      isPartitioned: false,
      isStrict: /\)[^)]*\bstrict\b[^)]*$/i.test(statement),
      hasNoRowNumbers: /\)[^)]*\bwithout\s+rowid\b[^)]*$/i.test(statement),
      isKeyIndexed: (indexesOf.get(one.name) ?? []).some(({ origin }) => origin === 'pk'),
      isAutoIncrement: /\bautoincrement\b/i.test(statement),
      columns: new Map(rows.map((column) => [spell(column.name), toColumn(spell(column.name), column)])),
      indexes: [
        ...primaryKey(rows, indexesOf.get(one.name) ?? [], spell),
        ...toIndexes(indexesOf.get(one.name) ?? [], (name) => spell(asDeclared(rows, name))),
      ],
    })
  }
  return {
    tables,
    foreignKeys: toForeignKeys(foreignKeys.rows, sought, tables),
    enforcesForeignKeys: pragma.rows[0]?.value === 1,
    roundsNumbers: false,
    trigrams: undefined,
    searches: await findSearches(db),
    timeZone: undefined,
  }
}

async function findSearches(db: AnyKysely): Promise<FoundSearches> {
  const { rows } = await sql<{ name: string; sql: string }>`
    select lower(name) as name, sql from sqlite_schema where substr(lower(name), 1, ${sql.lit(SEARCH_PREFIX.length)}) = ${sql.lit(SEARCH_PREFIX)} and sql is not null`.execute(
    db,
  )
  const possible = await sql<{ is: number }>`
    select exists (select 1 from pragma_module_list where name = 'fts5') and sqlite_version() not glob '3.[0-9].*'
      and sqlite_version() not glob '3.[12][0-9].*' and sqlite_version() not glob '3.3[0-3].*' as "is"`.execute(db)
  return { isPossible: possible.rows[0]?.is === 1, parts: new Map(rows.map((row) => [row.name, row.sql])) }
}

/** SQLite ignores the case of names; the result has the spelling that is sought. */
function spellingOf({ columns }: SoughtTable): (name: string) => string {
  return (name) => {
    if (columns.some((column) => column.name === name)) return name
    const lower = name.toLowerCase()
    return columns.find((column) => column.name.toLowerCase() === lower)?.name ?? name
  }
}

/** An index may spell a column otherwise than its table. */
function asDeclared(rows: readonly ColumnRow[], name: string): string {
  return rows.find((row) => row.name.toLowerCase() === name.toLowerCase())?.name ?? name
}

function toColumn(name: string, row: ColumnRow): FoundColumn {
  return {
    name,
    type: row.type,
    definition: row.type,
    collation: undefined,
    isExact: true,
    modifier: -1,
    isEnum: false,
    notNull: row.isNotNull === 1,
    hasDefault: row.fallback !== null,
    default: row.fallback ?? undefined,
    isComputed: COMPUTED.has(row.hidden),
    isAlwaysIdentity: false,
    sequence: undefined,
  }
}

/** An `INTEGER PRIMARY KEY` is the row's own number and has no index that `index_list` shows. */
function primaryKey(
  rows: readonly ColumnRow[],
  indexes: readonly IndexRow[],
  spell: (name: string) => string,
): readonly FoundIndex[] {
  const members = rows.filter(({ position }) => position > 0).sort((a, b) => a.position - b.position)
  if (members.length === 0) return []
  const collations = new Map(indexes.flatMap((one) => (one.origin === 'pk' ? [[one.column, one.collation]] : [])))
  const columns = members.map(({ name }) => spell(name))
  const keys = members.map(({ name }) => {
    const { collation } = ordinaryKey
    return { ...ordinaryKey, column: spell(name), collation: collations.get(name) ?? collation }
  })
  return [{ ...ordinary, name: 'primary key', columns, keys, isUnique: true, isPrimary: true }]
}

const ordinary = {
  isPrimary: false,
  isPartial: false,
  where: undefined,
  isDeferrable: false,
  isDeferred: false,
  nullsAreEqual: false,
  isUsable: true,
  isSorted: true,
}
const ordinaryKey = { expression: undefined, isDescending: false, nullsFirst: true, collation: 'BINARY' }

function toIndexes(rows: readonly IndexRow[], spell: (name: string) => string): readonly FoundIndex[] {
  const indexes = [...Map.groupBy(rows, ({ name }) => name)].map(([name, members]) => ({
    ...ordinary,
    name,
    columns: members.map(({ column }) => (column === null ? undefined : spell(column))),
    keys: toKeys(members, spell),
    isUnique: members[0]?.isUnique === 1,
    isPartial: members[0]?.partial === 1,
    where: members[0]?.partial === 1 ? conditionsIn(predicateOf(members[0].sql ?? ''), spell) : undefined,
    origin: members[0]?.origin,
  }))
  return indexes.filter(({ origin }) => origin !== 'pk').map(({ origin, ...index }) => index)
}

function toKeys(members: readonly IndexRow[], spell: (name: string) => string): readonly FoundKey[] {
  const expressions = members.some(({ column }) => column === null) ? indexedTexts(members[0]?.sql ?? '') : []
  return members.map(({ column, isDescending, collation }, position) => ({
    column: column === null ? undefined : spell(column),
    expression: column === null ? expressions[position] : undefined,
    isDescending: isDescending === 1,
    nullsFirst: isDescending === 0,
    collation,
  }))
}

function toForeignKeys(
  rows: readonly ForeignKeyRow[],
  sought: readonly SoughtTable[],
  tables: ReadonlyMap<string, FoundTable>,
): readonly FoundForeignKey[] {
  const byName = new Map(sought.map((table) => [table.name.toLowerCase(), table]))
  const keys = [...Map.groupBy(rows, ({ name, id }) => `${id} ${name}`).values()].map((members) => {
    const [{ name, target, action }] = members as [ForeignKeyRow, ...ForeignKeyRow[]]
    const from = byName.get(name.toLowerCase())
    const to = byName.get(target.toLowerCase())
    const spellFrom = from ? spellingOf(from) : String
    const spellTo = to ? spellingOf(to) : String
    const goals = members.map(({ goal }) => goal)
    return {
      name: undefined,
      definition: undefined,
      table: from?.key,
      tableName: name,
      columns: members.map(({ source }) => spellFrom(source)),
      target: to?.key,
      targetName: target,
      // REFERENCES without a column means the primary key.
      targetColumns: goals.includes(null)
        ? primaryKeyOf(to && tables.get(to.key))
        : goals.map((goal) => spellTo(goal ?? '')),
      onDelete: action,
      isEnforced: true,
    }
  })
  return keys.filter(({ table, target }) => table !== undefined || target !== undefined)
}

function withoutNamesAndComments(statement: string): string {
  return statement.replace(/--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|'(?:[^']|'')*'|"(?:[^"]|"")*"|`[^`]*`|\[[^\]]*\]/g, ' ')
}
