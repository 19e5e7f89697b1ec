import { constantText, type DatabaseName, dialects, hasForm, momentText, textFormat } from '@fastify-crud/core/internal'
import type { FoundColumn, FoundIndex, FoundKey, FoundTable, Trigrams } from '../catalogs/found-tables.ts'
import { columnType } from '../layout/column-type.ts'
import {
  type ColumnIs,
  type ColumnLayout,
  type IdColumn,
  isIdColumn,
  type TableLayout,
  type UniqueLayout,
} from '../layout/table-layout.ts'
import { quoted, quotedTable } from '../quoted-names.ts'
import { type ConstraintNames, uniqueName } from './constraint-names.ts'

/** What an index holds of a column: its value, the point in time or the number that its text names, or the trigrams of
 * its lower case. */
type KeyPart = 'value' | 'moment' | 'number' | 'trigrams'

export interface IndexKey {
  readonly column: ColumnLayout
  readonly part: KeyPart
}

/** An index that a database should have because a descriptor declares it. */
export interface WantedIndex {
  readonly table: TableLayout
  readonly keys: readonly IndexKey[]
  /** For `desc nulls last`. PostgreSQL reads the ascending index backward for `desc nulls first` only. */
  readonly isDescending: boolean
  /** What it is made with, if it holds trigrams. */
  readonly trigrams?: Trigrams
}

/** An index to create. */
export interface NewIndex {
  readonly table: TableLayout
  readonly name: string
  readonly columns: readonly string[]
  /** The part behind `CREATE INDEX`, or `CREATE UNIQUE INDEX`. */
  readonly definition: string
  /** The key that it is for. */
  readonly unique?: UniqueLayout
  /** The descriptor declares it. */
  readonly wanted?: WantedIndex
}

export type UniqueIndex = NewIndex & { readonly unique: UniqueLayout }

/** That of a foreign key. */
export function plainIndex(table: TableLayout, columns: readonly string[], nameOf: ConstraintNames): NewIndex {
  const name = nameOf(table, 'idx', columns)
  return { table, name, columns, definition: `${quoted(name)} ON ${quotedTable(table)} (${quoted(...columns)})` }
}

export function uniqueIndex(
  database: DatabaseName,
  table: TableLayout,
  unique: UniqueLayout,
  nameOf: ConstraintNames,
): UniqueIndex {
  const { columns } = unique
  const name = uniqueName(nameOf, table, unique)
  const list = `${quoted(name)} ON ${quotedTable(table)} (${quoted(...columns)})`
  return { table, name, columns, definition: list + whereText(database, unique), unique }
}

export function declaredIndex(database: DatabaseName, wanted: WantedIndex, nameOf: ConstraintNames): NewIndex {
  const columns = wanted.keys.map(({ column }) => column.name)
  const definition = indexDefinition(database, wanted, nameOf)
  return { table: wanted.table, name: indexName(wanted, nameOf), columns, definition, wanted }
}

/** PostgreSQL: types whose values are texts that may name a number or a point in time. */
const TEXT_TYPES = new Set(['text', 'varchar', 'bpchar', 'citext'])

/**
 * The indexes of trigrams of the texts that lists of the table's records search.
 *
 * `found`: the table that is there. A column of it that holds no text has none.
 */
export function wantedTrigrams(
  table: TableLayout,
  trigrams: Trigrams | undefined,
  found?: FoundTable,
): readonly WantedIndex[] {
  if (trigrams === undefined || (trigrams.schema === undefined && !trigrams.mayCreate)) return []
  return table.searched.flatMap((name) => {
    const column = table.columns.find((one) => one.name === name) as ColumnLayout
    const { type, isEnum } = found?.columns.get(name) ?? { type: columnType('postgres', column), isEnum: false }
    if (!TEXT_TYPES.has(type) || isEnum) return []
    return [{ table, keys: [{ column, part: 'trigrams' as const }], isDescending: false, trigrams }]
  })
}

/** The statement that creates the extension for an index, if it is missing. */
export function createTrigrams({ trigrams }: WantedIndex): string | undefined {
  if (trigrams === undefined || trigrams.schema !== undefined) return undefined
  return 'CREATE EXTENSION IF NOT EXISTS pg_trgm'
}

/**
 * The indexes of a table's descriptor as the database should have them.
 *
 * `found`: the table that is there. A column of it that holds no text needs no expression.
 */
export function wantedIndexes(database: DatabaseName, table: TableLayout, found?: FoundTable): readonly WantedIndex[] {
  const columns = new Map(table.columns.map((column) => [column.name, column]))
  const seen = new Set<string>()
  return table.declaredIndexes.flatMap((names) => {
    const keys: IndexKey[] = []
    for (const name of names) {
      const column = columns.get(name) as ColumnLayout
      const part = partOf(database, column, found?.columns.get(name))
      // SQLite compares decimals by a function that no index may use. The columns before it still narrow the search.
      if (part === undefined) break
      keys.push({ column, part })
    }
    const text = JSON.stringify(keys.map(({ column }) => column.name))
    if (keys.length === 0 || seen.has(text)) return []
    seen.add(text)
    const ascending = { table, keys, isDescending: false }
    const isNullable = keys.some(({ column }) => column.nullable)
    return database === 'postgres' && isNullable ? [ascending, { ...ascending, isDescending: true }] : [ascending]
  })
}

function partOf(database: DatabaseName, column: ColumnLayout, found: FoundColumn | undefined): KeyPart | undefined {
  if (isIdColumn(column) || column.kind !== 'string') return 'value'
  if (column.stored === 'utc') return 'value'
  // What a database makes of a number or of a zone is no constant expression, so no index can hold it.
  if (hasForm(column.stored) && !['space', 'T'].includes(String(column.stored))) return undefined
  const isText = TEXT_TYPES.has(
    found === undefined || database === 'sqlite' ? columnType(database, column) : found.type,
  )
  switch (textFormat(column.schema)) {
    case 'date-time':
      return isText ? 'moment' : 'value'
    case 'decimal':
      if (database === 'sqlite') return undefined
      return isText ? 'number' : 'value'
    default:
      return 'value'
  }
}

export function indexName({ table, keys, isDescending, trigrams }: WantedIndex, nameOf: ConstraintNames): string {
  const columns = keys.map(({ column }) => column.name)
  if (trigrams !== undefined) return nameOf(table, 'trgm_idx', columns)
  return nameOf(table, isDescending ? 'desc_idx' : 'idx', columns)
}

/**
 * The part behind `CREATE INDEX`. The index ends in the id, so that a page that sorts by its columns and then by the id
 * is read from it as it is.
 */
function indexDefinition(database: DatabaseName, index: WantedIndex, nameOf: ConstraintNames): string {
  const { table, keys, isDescending, trigrams } = index
  if (trigrams !== undefined) {
    const { schema, collation } = trigrams
    const operators = `${schema === undefined ? '' : `${quoted(schema)}.`}gin_trgm_ops`
    const texts = keys.map(
      ({ column }) => `lower(${quoted(column.name)}::text COLLATE ${quoted(collation)}) ${operators}`,
    )
    return `${quoted(indexName(index, nameOf))} ON ${quotedTable(table)} USING gin (${texts.join(', ')})`
  }
  const parts = keys.map((key) => keyText(database, key) + orderOf(key.column, isDescending))
  for (const name of table.idColumns) {
    const column = table.columns.find((one) => one.name === name)
    if (column === undefined || isInEveryIndex(database, column) || keys.some((key) => key.column === column)) continue
    parts.push(quoted(name) + orderOf(column, isDescending))
  }
  return `${quoted(indexName(index, nameOf))} ON ${quotedTable(table)} (${parts.join(', ')})`
}

function isInEveryIndex(database: DatabaseName, column: ColumnLayout): boolean {
  return column.kind === 'id' && dialects[database].ids[(column as IdColumn).ids.stored].columns.isInEveryIndex === true
}

/** PostgreSQL matches the order of nulls also where there are none, so a column that is never null has the usual
 * order. */
function orderOf({ nullable }: ColumnLayout, isDescending: boolean): string {
  if (!isDescending) return ''
  return nullable ? ' DESC NULLS LAST' : ' DESC'
}

function keyText(database: DatabaseName, { column, part }: IndexKey): string {
  const name = quoted(column.name)
  switch (part) {
    case 'value':
    case 'trigrams':
      return name
    case 'moment':
      return `(${momentText(database, name)})`
    case 'number':
      return `(${name}::numeric)`
  }
}

/**
 * The statement that adds a unique key to a table. PostgreSQL has no deferrable indexes, only deferrable constraints.
 *
 * `ifMissing`: it does nothing where an index has the name.
 */
export function addUnique(database: DatabaseName, index: UniqueIndex, ifMissing = false): string {
  const { table, name, columns, definition, unique } = index
  if (unique.needsDeferral && database === 'postgres') {
    return `ALTER TABLE ${quotedTable(table)} ADD CONSTRAINT ${quoted(name)} UNIQUE (${quoted(...columns)}) DEFERRABLE`
  }
  return `CREATE UNIQUE INDEX ${ifMissing ? 'IF NOT EXISTS ' : ''}${definition}`
}

/** PostgreSQL: a constraint, or an index alone. */
export function dropUnique(database: DatabaseName, table: TableLayout, name: string): readonly string[] {
  const index = `DROP INDEX IF EXISTS ${quotedTable({ ...table, name })}`
  if (database === 'sqlite') return [index]
  return [`ALTER TABLE ${quotedTable(table)} DROP CONSTRAINT IF EXISTS ${quoted(name)}`, index]
}

/** The part of a `CREATE INDEX` that says for which rows a key holds. */
export function whereText(database: DatabaseName, { where }: UniqueLayout): string {
  return where.length === 0 ? '' : ` WHERE ${conditionText(database, where)}`
}

/** The condition as SQL. */
export function conditionText(database: DatabaseName, where: readonly ColumnIs[]): string {
  return where
    .map(({ column, is }) => {
      if (typeof is !== 'string') return `${quoted(column)} = ${constantText(database, is.value)}`
      return `${quoted(column)} IS ${is === 'null' ? 'NULL' : 'NOT NULL'}`
    })
    .join(' AND ')
}

/** Whether the table has an index, a unique one too, that begins with the columns of the wanted one, in this order. */
export function hasIndex(database: DatabaseName, found: FoundTable, wanted: WantedIndex): boolean {
  const { trigrams } = wanted
  if (trigrams !== undefined) return wanted.keys.every(({ column }) => hasTrigrams(found, column.name, trigrams))
  return found.indexes.some((index) => serves(database, found, index, wanted))
}

function hasTrigrams(found: FoundTable, column: string, { collation }: Trigrams): boolean {
  const text = bare(`lower(${column} collate ${collation})`)
  return found.indexes.some(
    (index) =>
      index.hasTrigrams === true &&
      !index.isPartial &&
      index.keys.some(({ expression }) => bare(expression ?? '').replaceAll('::text', '') === text),
  )
}

function serves(database: DatabaseName, found: FoundTable, index: FoundIndex, wanted: WantedIndex): boolean {
  if (!index.isUsable || !index.isSorted || index.isPartial) return false
  const keys = index.keys.slice(0, wanted.keys.length)
  return (
    keys.length === wanted.keys.length &&
    wanted.keys.every((key, position) => holds(database, found, keys[position] as FoundKey, key)) &&
    isInOrder(database, keys, wanted)
  )
}

function holds(database: DatabaseName, found: FoundTable, key: FoundKey, { column, part }: IndexKey): boolean {
  // PostgreSQL shows a cast of what is no `text` already.
  const expression = bare(key.expression ?? '').replaceAll('::text', '')
  const name = bare(column.name)
  switch (part) {
    case 'value':
      return key.column === column.name && (column.kind !== 'string' || hasCollation(database, found, key))
    case 'moment':
      return database === 'sqlite'
        ? expression === `unixepoch${name},subsec`
        : expression.includes(`make_datesubstr${name},`)
    case 'number':
      return expression === `${name}::numeric`
    case 'trigrams':
      return false
  }
}

/** Strings sort by code point, so an index of SQLite that does not tell upper from lower case is of no use. */
function hasCollation(database: DatabaseName, found: FoundTable, { column, collation }: FoundKey): boolean {
  if (database === 'sqlite') return collation === 'BINARY'
  return collation === found.columns.get(column ?? '')?.collation
}

/**
 * Whether the rows come in the wanted order, read forward or backward. Of SQLite the direction is enough: it finds the
 * nulls at either end.
 */
function isInOrder(
  database: DatabaseName,
  keys: readonly FoundKey[],
  { keys: wanted, isDescending }: WantedIndex,
): boolean {
  const isSame = ({ isDescending: found, nullsFirst }: FoundKey, position: number): boolean => {
    const wantsNullsFirst = isDescending && wanted[position]?.column.nullable === false
    return found === isDescending && (database === 'sqlite' || nullsFirst === wantsNullsFirst)
  }
  const backward = keys.map((key) => ({ ...key, isDescending: !key.isDescending, nullsFirst: !key.nullsFirst }))
  return keys.every(isSame) || backward.every(isSame)
}

/** An expression without what two spellings of it may differ in. */
function bare(text: string): string {
  return text.replace(/[\s()"'`[\]]/g, '').toLowerCase()
}
