import type { AnyKysely } from '@fastify-crud/core'
import type { DatabaseName } from '@fastify-crud/core/internal'
import { toDatabaseNames } from '../../catalogs/database-names.ts'
import {
  type FoundForeignKey,
  type FoundIndex,
  isSameSet,
  primaryKeyOf,
  uniqueKeysOf,
} from '../../catalogs/found-tables.ts'
import { uniqueName } from '../../create/constraint-names.ts'
import { foreignKeyText, isKeyByItself } from '../../create/create-table.ts'
import { dropUnique, whereText } from '../../create/wanted-indexes.ts'
import type { ForeignKeyLayout, TableLayout, UniqueLayout } from '../../layout/table-layout.ts'
import type { KeyStyle } from '../../layout/tenant-keys.ts'
import { quoted, quotedTable } from '../../quoted-names.ts'
import { type ComparedTable, compare } from '../comparison.ts'
import type { Difference, Pair } from '../difference.ts'

/** What changes one key of a table, and what undoes it. */
export interface KeyStatements {
  readonly table: TableLayout
  readonly up: readonly string[]
  readonly down: readonly string[]
}

/** What the database calls a column. */
export type NameNow = (table: TableLayout, column: string) => string

/**
 * Gives the keys of tables the tenant to begin with. PostgreSQL: no foreign key may be there while the keys that they
 * name change, so all of them go first and come last. SQLite: only keys that are indexes alone, as the others are part
 * of their table. To undo it, run all `down` backward.
 */
export function wholeKeys(
  plain: readonly PlainKeys[],
  comparison: ComparedTable,
  nameNow: NameNow = (_, column) => column,
): readonly KeyStatements[] {
  const names = { ...comparison, nameNow }
  const uniques = plain.flatMap((one) => uniqueKeys(one, names))
  if (comparison.database === 'sqlite') return uniques
  return [
    ...plain.flatMap(droppedForeignKeys),
    ...plain.flatMap((one) => primaryKey(one, names)),
    ...uniques,
    ...plain.flatMap(({ table, newForeignKeys }) => newForeignKeys.map((one) => foreignKey(table, one, names))),
  ]
}

interface Names extends Pick<ComparedTable, 'database' | 'layout' | 'nameOf'> {
  readonly nameNow: NameNow
}

function droppedForeignKeys({ table, foreignKeys }: PlainKeys): readonly KeyStatements[] {
  return foreignKeys.map(({ name, definition }) => {
    const back = `${alter(table)} ADD ${constraint(String(name), String(definition))}`
    return { table, up: [dropConstraint(table, String(name))], down: [back] }
  })
}

function primaryKey({ table, primary }: PlainKeys, { nameOf, nameNow }: Names): readonly KeyStatements[] {
  if (primary === undefined) return []
  const replace = (from: string, to: string, columns: FoundIndex['columns']) => {
    const names = quoted(...columns.map((one) => nameNow(table, String(one))))
    return `${dropConstraint(table, from)}, ADD ${constraint(to, `PRIMARY KEY (${names})`)}`
  }
  const name = nameOf(table, 'pkey', [])
  const up = [replace(primary.name, name, table.primaryKey)]
  return [{ table, up, down: [replace(name, primary.name, primary.columns)] }]
}

function uniqueKeys({ table, uniques }: PlainKeys, { database, nameOf, nameNow }: Names): readonly KeyStatements[] {
  const now = (column: string | undefined) => nameNow(table, String(column))
  return uniques.flatMap(({ found, wanted, isThere }) => {
    const gone = database === 'sqlite' ? found.filter((one) => !isPartOfTable(one)) : found
    const name = uniqueName(nameOf, table, wanted)
    const where = wanted.where.map((one) => ({ ...one, column: now(one.column) }))
    const key = { ...wanted, where, columns: wanted.columns.map(now) }
    const added = isThere || (database === 'sqlite' && where.length === 0) ? [] : [name]
    if (gone.length + added.length === 0) return []
    const back = gone.map((one) => {
      const before = { where, columns: one.columns.map(now), needsDeferral: one.isDeferrable }
      return addKey(database, table, one.name, before)
    })
    const drop = (names: readonly string[]) => names.flatMap((one) => dropUnique(database, table, one))
    const up = [...drop(gone.map((one) => one.name)), ...added.map((one) => addKey(database, table, one, key))]
    return [{ table, up, down: [...drop(added), ...back] }]
  })
}

/** SQLite: whether it was not made by a CREATE INDEX. */
export function isPartOfTable({ name }: FoundIndex): boolean {
  return name.startsWith('sqlite_autoindex_')
}

/** Only an index can be partial. */
function addKey(database: DatabaseName, table: TableLayout, name: string, key: UniqueLayout): string {
  const columns = quoted(...key.columns)
  if (database === 'sqlite' || key.where.length > 0) {
    return `CREATE UNIQUE INDEX ${quoted(name)} ON ${quotedTable(table)} (${columns})${whereText(database, key)}`
  }
  const deferrable = key.needsDeferral ? ' DEFERRABLE' : ''
  return `${alter(table)} ADD ${constraint(name, `UNIQUE (${columns})${deferrable}`)}`
}

function foreignKey(
  table: TableLayout,
  { column, columns, target, targetColumns }: ForeignKeyLayout,
  { layout, nameOf, nameNow }: Names,
): KeyStatements {
  const to = layout.get(target) as TableLayout
  const name = nameOf(table, 'fkey', [column])
  const own = columns.map((one) => nameNow(table, one))
  const targets = targetColumns.map((one) => nameNow(to, one))
  const add = `${alter(table)} ADD ${foreignKeyText(name, own, to, targets)}`
  return { table, up: [add], down: [dropConstraint(table, name)] }
}

function alter(table: TableLayout): string {
  return `ALTER TABLE ${quotedTable(table)}`
}

function constraint(name: string, definition: string): string {
  return `CONSTRAINT ${quoted(name)} ${definition}`
}

function dropConstraint(table: TableLayout, name: string): string {
  return `${alter(table)} DROP CONSTRAINT IF EXISTS ${quoted(name)}`
}

/** The keys of a table that begin with the tenant in the model, and do not in the database. */
export interface PlainKeys extends Pair {
  /** The primary key; undefined where the model's columns are a key already. */
  readonly primary: FoundIndex | undefined
  /** SQLite: the primary key stays, as it is the number of the row. The model's columns become a unique key beside
   * it. */
  readonly staysPrimary: boolean
  readonly uniques: readonly PlainUnique[]
  readonly foreignKeys: readonly FoundForeignKey[]
  /** The foreign keys of the model in their place, and the one to the tenants if it is missing. */
  readonly newForeignKeys: readonly ForeignKeyLayout[]
}

interface PlainUnique {
  readonly found: readonly FoundIndex[]
  readonly wanted: UniqueLayout
  /** Whether the model's key is there, too. */
  readonly isThere: boolean
}

/**
 * `comparison`: with the layout whose keys begin with the tenant. Only tables that have plain keys. Of tables that the
 * service only reads, the model knows no keys but the foreign ones.
 */
export function plainKeys(comparison: ComparedTable): readonly PlainKeys[] {
  return [...comparison.layout.values()].flatMap((table) => {
    const found = comparison.found.tables.get(table.key)
    if (found?.isTable !== true || found.isPartitioned) return []
    const keys = plainKeysOf({ table, found }, comparison)
    const isWhole = keys.primary === undefined && keys.uniques.length + keys.foreignKeys.length === 0
    return isWhole ? [] : [keys]
  })
}

export function plainKeysReason(...tables: readonly TableLayout[]): string {
  return `the keys of ${tables.map(({ name }) => name).join(', ')} do not begin with the tenant`
}

/** One difference for all tables whose keys the model takes as they are. `whole`: the tables with the keys that the
 * database would need to keep tenants apart by itself. */
export function checkPlainKeys(
  db: AnyKysely,
  style: KeyStyle,
  whole: readonly TableLayout[],
  { database, found }: ComparedTable,
): readonly Difference[] {
  if (style !== 'plain') return []
  const comparison = compare(database, toDatabaseNames(db, whole), found)
  const plain = plainKeys(comparison)
  if (plain.length === 0) return []
  const so =
    'the database itself takes rows that name those of another tenant, and no two tenants can have the same id or unique value'
  const is = `${plainKeysReason(...plain.map(({ table }) => table))}: ${so}. Leave out keys: 'plain' in the model`
  // SQLite needs new tables for it.
  const fix = database === 'sqlite' ? undefined : wholeKeys(plain, comparison).flatMap(({ up }) => up)
  const what = `${is}, and run what \`generate\` then writes${fix === undefined ? '' : ', or this'}`
  return [{ kind: 'key', severity: 'warning', wanted: 'keys that begin with the tenant', what, fix }]
}

function plainKeysOf({ table, found }: Pair, { database, foreignKeysOf }: ComparedTable): PlainKeys {
  const lead = table.isWritable ? table.lead : undefined
  const plain = (columns: readonly string[]) => columns.filter((name) => name !== lead)
  const existing = foreignKeysOf.get(table.key) ?? []
  const over = (columns: readonly string[]) => existing.filter((one) => isSameSet(one.columns, columns))
  const ofOthers = table.foreignKeys.filter(({ columns, column }) => columns.length > 1 && over([column]).length > 0)
  const ofLead = table.foreignKeys.filter((key) => key.isConstrained && isSameSet(key.columns, [lead ?? '']))
  return {
    table,
    found,
    primary: lead === undefined ? undefined : plainPrimary({ table, found }, plain(table.primaryKey)),
    staysPrimary: staysPrimary(table, database),
    uniques: lead === undefined ? [] : table.uniques.flatMap((one) => plainUnique({ table, found }, one, plain)),
    foreignKeys: ofOthers.flatMap(({ column }) => over([column])),
    newForeignKeys: [...ofOthers, ...ofLead].filter(({ columns }) => over(columns).length === 0),
  }
}

function staysPrimary(table: TableLayout, database: DatabaseName): boolean {
  return table.primaryKey.length > 1 && table.columns.some((column) => isKeyByItself(column, table, database))
}

function plainPrimary({ table, found }: Pair, plain: readonly string[]): FoundIndex | undefined {
  const { primaryKey } = table
  if (primaryKey.length === plain.length) return undefined
  const isThere = found.indexes.some(({ isUnique, columns }) => isUnique && isSameSet(columns, primaryKey))
  if (isThere || !isSameSet(primaryKeyOf(found), plain)) return undefined
  return found.indexes.find(({ isPrimary }) => isPrimary)
}

function plainUnique(
  { found }: Pair,
  wanted: UniqueLayout,
  plainOf: (columns: readonly string[]) => readonly string[],
): readonly PlainUnique[] {
  const plain = plainOf(wanted.columns)
  if (plain.length === wanted.columns.length) return []
  const over = (columns: readonly string[]) =>
    uniqueKeysOf(found, { ...wanted, columns }).filter((index) => {
      const isOfSameRows = index.isPartial === wanted.where.length > 0
      return !index.isPrimary && isOfSameRows && isSameSet(index.columns, columns)
    })
  const list = over(plain)
  return list.length === 0 ? [] : [{ found: list, wanted, isThere: over(wanted.columns).length > 0 }]
}
