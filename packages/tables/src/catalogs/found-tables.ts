import type { UniqueLayout } from '../layout/table-layout.ts'
import { type FoundCondition, isSameCondition } from './found-conditions.ts'

export interface FoundColumn {
  readonly name: string
  /** SQLite: as declared. PostgreSQL: the type's name in the catalog (`int4`, `varchar`), of a domain its base's. */
  readonly type: string
  /** The same as SQL has it: `varchar(10)`. */
  readonly definition: string
  /** PostgreSQL: the name of its collation, of which `default` is the database's; undefined if its type has none. */
  readonly collation: string | undefined
  /** Its collation takes no two different texts for the same. SQLite: see the primary key. */
  readonly isExact: boolean
  /** PostgreSQL: the type's modifier (length or precision), -1 without one. */
  readonly modifier: number
  /** Its values, or those of an array's elements, are those of an enum. */
  readonly isEnum: boolean
  readonly notNull: boolean
  readonly hasDefault: boolean
  /** Its default as SQL; undefined if it has none, or if that is the type's. */
  readonly default?: string | undefined
  /** A generated column: it cannot be written. */
  readonly isComputed: boolean
  /** `GENERATED ALWAYS AS IDENTITY`: it cannot be written without further ado. */
  readonly isAlwaysIdentity: boolean
  /** PostgreSQL: the sequence that it owns, or that its default names. */
  readonly sequence: string | undefined
}

/** A table to look for, by the database's names. */
export interface SoughtTable {
  /** What the result calls it. */
  readonly key: string
  /** PostgreSQL; undefined: the first on the search path that has the table. */
  readonly schema: string | undefined
  readonly name: string
  /** SQLite: how the result spells its columns, where the case of letters differs. */
  readonly columns: readonly { readonly name: string }[]
  /** The columns that have an index for searches. */
  readonly searched?: readonly string[]
}

export interface FoundIndex {
  readonly name: string
  /** In the index's order; `undefined` for an expression. */
  readonly columns: readonly (string | undefined)[]
  readonly keys: readonly FoundKey[]
  readonly isUnique: boolean
  /** The table's primary key. */
  readonly isPrimary: boolean
  readonly isPartial: boolean
  /** The conditions that the rows of a partial index fulfil, all of them; undefined where they are of another kind. */
  readonly where: readonly FoundCondition[] | undefined
  /** A unique key that is checked at the end of the statement or transaction. */
  readonly isDeferrable: boolean
  /** At the end of the transaction, unless that says otherwise. */
  readonly isDeferred: boolean
  /** A unique key that takes two nulls for the same value. */
  readonly nullsAreEqual: boolean
  /** Whether it finds the rows of a value: it is valid, and of a kind that knows equality. */
  readonly isUsable: boolean
  /** Whether it finds ranges of values. */
  readonly isSorted: boolean
  /** PostgreSQL: it holds the trigrams of texts, so that it finds parts of them. */
  readonly hasTrigrams?: boolean
}

/** A column of an index, or an expression in its place. */
export interface FoundKey {
  readonly column: string | undefined
  readonly expression: string | undefined
  readonly isDescending: boolean
  readonly nullsFirst: boolean
  readonly collation: string | undefined
}

export interface FoundTable {
  /** A view or the like has its name, but is no table. */
  readonly isTable: boolean
  /** PostgreSQL: its rows are in partitions. */
  readonly isPartitioned: boolean
  /** SQLite: a `STRICT` table. */
  readonly isStrict: boolean
  /** SQLite: a `WITHOUT ROWID` table. */
  readonly hasNoRowNumbers: boolean
  /** SQLite: the primary key has an index of its own, so it is not the row's number: as with
   * `INTEGER PRIMARY KEY DESC`. */
  readonly isKeyIndexed: boolean
  /** SQLite: the table says `AUTOINCREMENT`. */
  readonly isAutoIncrement: boolean
  readonly columns: ReadonlyMap<string, FoundColumn>
  readonly indexes: readonly FoundIndex[]
  /** PostgreSQL: its rules for writes (`CREATE RULE`). */
  readonly rules?: readonly FoundRule[]
}

export interface FoundRule {
  readonly name: string
  readonly event: 'INSERT' | 'UPDATE' | 'DELETE'
  /** Something else is done in the place of the write. Else besides it. */
  readonly isInstead: boolean
}

/** SQLite: what there is of indexes for searches. */
export interface FoundSearches {
  /** Whether there can be some: SQLite may lack FTS5, or its trigrams. */
  readonly isPossible: boolean
  /** The statements that have created their parts, by the names of these in lower case. */
  readonly parts: ReadonlyMap<string, string>
}

/** PostgreSQL's extension `pg_trgm`. */
export interface Trigrams {
  /** The schema that it is in, as SQL; undefined: the database does not have it. */
  readonly schema: string | undefined
  /** Whether this role may create it. */
  readonly mayCreate: boolean
  /** The collation in which the service makes the lower case of letters. */
  readonly collation: string
}

export type DeleteAction = 'NO ACTION' | 'RESTRICT' | 'CASCADE' | 'SET NULL' | 'SET DEFAULT'

export interface FoundForeignKey {
  /** PostgreSQL: the name of the constraint, and all that follows it:
   * `FOREIGN KEY (author_id) REFERENCES author(id) DEFERRABLE`. */
  readonly name: string | undefined
  readonly definition: string | undefined
  /** The sought table's `key` of the table that has it; `undefined` for a table that is not sought. */
  readonly table: string | undefined
  readonly tableName: string
  readonly columns: readonly string[]
  /** The sought table's `key` of the table that it names; `undefined` for a table that is not sought. */
  readonly target: string | undefined
  readonly targetName: string
  readonly targetColumns: readonly string[]
  readonly onDelete: DeleteAction
  readonly isEnforced: boolean
}

/** What a database holds of the sought tables, in one form for both databases. */
export interface FoundTables {
  /** By the sought table's `key`. Columns are spelled as there, where they are the same to the database. */
  readonly tables: ReadonlyMap<string, FoundTable>
  /** Every foreign key from or to one of the tables. */
  readonly foreignKeys: readonly FoundForeignKey[]
  /** Whether this connection enforces foreign keys at all. */
  readonly enforcesForeignKeys: boolean
  /** Numbers are printed with fewer digits than they have. */
  readonly roundsNumbers: boolean
  /** PostgreSQL: what indexes of trigrams are made with; undefined where no table is searched, or where there can be
   * none. */
  readonly trigrams: Trigrams | undefined
  /** SQLite: the indexes for searches. */
  readonly searches: FoundSearches
  /** PostgreSQL: the time zone of this session. */
  readonly timeZone: string | undefined
}

/** Whether an index finds the rows with values of these columns: they lead it, in any order, and it holds every row. */
export function isIndexed(table: FoundTable, columns: readonly string[]): boolean {
  return table.indexes.some((index) => {
    return (
      index.isUsable && !index.isPartial && index.columns.slice(0, columns.length).every((one) => isIn(columns, one))
    )
  })
}

/**
 * The unique keys that keep these columns unique: over all of them or fewer, for every row behind each statement, or
 * for at least the rows that fulfil the condition.
 */
export function uniqueKeysOf(table: FoundTable, { columns, where }: UniqueLayout): readonly FoundIndex[] {
  const holds = (one: FoundCondition) =>
    (one.is === 'not null' && table.columns.get(one.column)?.notNull === true) ||
    where.some((wanted) => isSameCondition(one, wanted))
  return table.indexes.filter((index) => {
    const holdsRows = !index.isPartial || index.where?.every(holds) === true
    return holdsRows && isUniqueBehindStatements(index) && index.columns.every((one) => isIn(columns, one))
  })
}

/** A unique key over columns alone that holds for every row and is checked at once. */
export function isPlainUnique(index: FoundIndex): boolean {
  return isUniqueBehindStatements(index) && !index.isDeferrable && !index.isPartial
}

/** The same, or one that is checked behind each statement: `DEFERRABLE INITIALLY IMMEDIATE`. */
function isUniqueBehindStatements({ isUnique, isDeferred, columns }: FoundIndex): boolean {
  return isUnique && !isDeferred && !columns.includes(undefined)
}

/** Whether an index of the table has this name, which then no other can have. */
export function isNameTaken(table: FoundTable, name: string): boolean {
  return table.indexes.some((index) => index.name === name)
}

function isIn(columns: readonly string[], column: string | undefined): boolean {
  return column !== undefined && columns.includes(column)
}

/** The columns of the primary key, in its order; empty without one. */
export function primaryKeyOf(table: FoundTable | undefined): readonly string[] {
  const key = table?.indexes.find(({ isPrimary }) => isPrimary)
  return key === undefined ? [] : key.columns.filter((column) => column !== undefined)
}

/** Whether these are the columns, in any order. */
export function isSameSet(found: FoundIndex['columns'], columns: readonly string[]): boolean {
  return found.length === columns.length && columns.every((column) => found.includes(column))
}

/** Whether no row can be inserted that has no value for the column. */
export function needsValue(table: FoundTable, column: FoundColumn): boolean {
  const { notNull, hasDefault, isComputed } = column
  return notNull && !hasDefault && !isComputed && !isRowNumber(table, column)
}

/** SQLite: whether the column is another name of the row's number, which each row has
 * (https://www.sqlite.org/lang_createtable.html#rowid). */
export function isRowNumber(table: FoundTable, { name, type }: FoundColumn): boolean {
  return primaryKeyOf(table).join() === name && /^integer$/i.test(type) && !table.hasNoRowNumbers && !table.isKeyIndexed
}
