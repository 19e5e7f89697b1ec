import type { DatabaseName } from '@fastify-crud/core/internal'
import type { FoundColumn, FoundForeignKey, FoundIndex, FoundTable } from '../catalogs/found-tables.ts'
import type { NewIndex, UniqueIndex } from '../create/wanted-indexes.ts'
import { type ColumnLayout, type ForeignKeyLayout, qualifiedName, type TableLayout } from '../layout/table-layout.ts'
import { quotedTable } from '../quoted-names.ts'
import type { Widening } from './columns/widening.ts'

/**
 * What a difference is about:
 *
 * - `table`: it is missing, is a view, or has a rule for writes. `column`: it is missing. `extra column`: no descriptor
 * names it, and no row can be inserted without it
 * - `type`: the column's type does not keep all values. `computed`: the database computes what the service writes
 * - `null`: null where it may not be, or the other way round. `default`: the column lacks one, or has one of another
 * meaning
 * - `key`: the primary key. `id`: who assigns the ids, and whether one is assigned twice
 * - `unique`: a unique key is missing, or is not as the model needs it. `extra unique`: the model does not know it
 * - `foreign key`: it is missing, names another table, or is not enforced. `extra foreign key`: the model does not know
 * it
 * - `on delete`: what the database does to the row when the one that it names is deleted
 * - `index`: it is missing. `collation`: texts are compared or sorted otherwise than the service does
 * - `value`: rows hold what does not fit the field's schema; all other kinds are about the tables themselves
 * - `connection`: a setting
 */
export type TableProblemKind =
  | 'table'
  | 'column'
  | 'extra column'
  | 'type'
  | 'computed'
  | 'null'
  | 'default'
  | 'key'
  | 'id'
  | 'unique'
  | 'extra unique'
  | 'foreign key'
  | 'extra foreign key'
  | 'on delete'
  | 'index'
  | 'collation'
  | 'value'
  | 'connection'

/** A table of the layout that the database has. */
export interface Pair {
  readonly table: TableLayout
  readonly found: FoundTable
}

/** A column of the layout that the database has. */
export interface ColumnPair {
  readonly at: Pair
  readonly column: ColumnLayout
  readonly existing: FoundColumn
}

/** A difference of a layout and a database: the parts of both that it is about, and how to make it go away. */
export type Difference = Words &
  (
    | { readonly kind: 'column'; readonly at: Pair; readonly column: ColumnLayout }
    | { readonly kind: 'extra column'; readonly at: Pair }
    | (ColumnPair & { readonly kind: 'type'; readonly widening?: Widening | undefined })
    | (ColumnPair & { readonly kind: 'null' })
    | { readonly kind: 'unique'; readonly at: Pair; readonly index: UniqueIndex }
    | { readonly kind: 'extra unique'; readonly at: Pair; readonly index: FoundIndex }
    | { readonly kind: 'index'; readonly at: Pair; readonly index?: NewIndex }
    | (ForeignKeyPair & { readonly kind: 'foreign key'; readonly to: TableLayout })
    | (ForeignKeyPair & { readonly kind: 'on delete'; readonly existing: FoundForeignKey })
    | { readonly kind: 'key' | 'id'; readonly at?: Pair; readonly column?: ColumnLayout }
    | {
        readonly kind: 'table' | 'computed' | 'default' | 'extra foreign key' | 'collation' | 'value' | 'connection'
        /** None: it is that of several tables, or of the connection. */
        readonly at?: { readonly table: TableLayout; readonly found?: FoundTable | undefined }
        readonly column?: ColumnLayout
      }
  )

export type DifferenceOf<Kind extends TableProblemKind> = Extract<Difference, { readonly kind: Kind }>

/** A foreign key of the layout, and that of the database over the same columns, if there is one. */
interface ForeignKeyPair {
  readonly at: Pair
  readonly key: ForeignKeyLayout
  readonly existing: FoundForeignKey | undefined
}

/** What a difference is called, and what mends it. */
interface Words {
  readonly severity: 'error' | 'warning'
  /** The columns that it is about, if not one of the model's. */
  readonly columns?: readonly string[]
  /** What the model needs, and what the database has, in a few words. */
  readonly wanted?: string | undefined
  readonly found?: string | undefined
  /** A sentence without the SQL. */
  readonly what: string
  /** The statements that mend it, in their order. They lose no value. */
  readonly fix?: readonly string[] | undefined
  /** What ends the message where there is no `fix`. */
  readonly advice?: string | undefined
}

/** A whole sentence, with the SQL if there is some. */
export function messageOf({ what, fix, advice }: Difference): string {
  const end = fix?.join('; ') ?? advice
  return end === undefined ? what : `${what}: ${end}`
}

/** The names of the columns that it is about. */
export function namesOfColumns(difference: Difference): readonly string[] {
  const column = 'column' in difference ? difference.column : undefined
  return difference.columns ?? (column === undefined ? [] : [column.name])
}

/** `table.column`, for a sentence. */
export function qualifiedColumn(table: TableLayout, column: string): string {
  return `${qualifiedName(table)}.${column}`
}

/** The ALTER TABLE that mends a difference. None for SQLite, which would need a new table. */
export function alteration(database: DatabaseName, table: TableLayout, action: string): readonly string[] | undefined {
  return database === 'postgres' ? [`ALTER TABLE ${quotedTable(table)} ${action}`] : undefined
}

/** The start of a sentence about a column: `column t_book.book_title of field book.title`. It says the same name only
 * once. */
export function columnInModel(table: TableLayout, column: ColumnLayout): string {
  const inDatabase = qualifiedColumn(table, column.name)
  const { nameInModel } = column
  return nameInModel === inDatabase ? `column ${inDatabase}` : `column ${inDatabase} of ${partOf(column)}${nameInModel}`
}

function partOf({ kind }: ColumnLayout): string {
  if (kind === 'id') return ''
  return kind === 'foreignKey' ? 'relation ' : 'field '
}
