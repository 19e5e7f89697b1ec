import type { Stored } from '@fastify-crud/core'
import {
  type ColumnCondition,
  type Field,
  type IdKind,
  isGivenByDatabase,
  type JsonSchema,
  mayBeGivenByDatabase,
  ORDER_NUMBER,
  type Resource,
  type StorageKind,
} from '@fastify-crud/core/internal'

export type ColumnLayout = FieldColumn | IdColumn

interface NamedColumn {
  readonly name: string
  /** What the model calls it, e.g. `book.title`. */
  readonly nameInModel: string
  readonly nullable: boolean
}

export interface FieldColumn extends NamedColumn {
  readonly kind: StorageKind
  readonly schema: JsonSchema
  /** How it spells the values; undefined: as the type says. */
  readonly stored: Stored | undefined
  /** The type that it has to have, as it names a column that is there, or is named by one; undefined: as the field
   * says. */
  readonly type?: string
  /** The name that it had before. */
  readonly was: string | undefined
  /** Whether only the database gives new rows a value: no request writes the column. */
  readonly isGiven: boolean
  /** Whether only the database gives some new rows a value: their bodies have none, or not every caller may set the
   * field. */
  readonly mayBeGiven: boolean
  /** Whether the field has `dbDefault`, so that the column needs a default of its own. */
  readonly hasDbDefault: boolean
  /** It keeps the order of an array, so rows may have no value whatever the model says, or all may have one. */
  readonly keepsOrder?: boolean
  /** What the model has for rows without a value; `undefined` where it has nothing. */
  readonly default: unknown
}

export interface IdColumn extends NamedColumn {
  readonly kind: 'id' | 'foreignKey'
  /** The kind of its ids. */
  readonly ids: IdKind
  /** Of a foreign key to records whose ids are the values of a field: the column of this field. */
  readonly values?: FieldColumn | undefined
  /** Of a foreign key: all rows that a request reaches have the same value. */
  readonly isFixed?: boolean
}

export function isIdColumn(column: ColumnLayout): column is IdColumn {
  return column.kind === 'id' || column.kind === 'foreignKey'
}

/** The column as its type has to be: a foreign key may have the values of a field. */
export function typedAs(column: ColumnLayout): ColumnLayout {
  return isIdColumn(column) ? (column.values ?? column) : column
}

export interface ForeignKeyLayout {
  /** The tenant's column, if the key begins with it, and {@link column}. */
  readonly columns: readonly string[]
  readonly targetColumns: readonly string[]
  /** The column that names a row: those of the tenants begin with the tenant's. */
  readonly column: string
  /** What the model calls it, e.g. `book.publisher`. */
  readonly nameInModel: string
  /** The `key` of the table whose `id` it names. */
  readonly target: string
  readonly targetColumn: string
  /** What becomes of the row when the row that it names is deleted; `refuse`: that row cannot be deleted. */
  readonly whenTargetGoes: 'delete' | 'clear' | 'refuse'
  /** Whether the database has to have it. */
  readonly isConstrained: boolean
}

export interface UniqueLayout {
  readonly columns: readonly string[]
  /** It holds for the rows that fulfil all of these; empty: for all rows. Then it is a key, else a partial index. */
  readonly where: readonly ColumnIs[]
  /**
   * Whether a request may swap values of it for which there are no temporary ones: those of a required foreign key, of
   * a boolean. PostgreSQL can do that if the key is deferrable.
   */
  readonly needsDeferral: boolean
  /** Rows of deleted records are kept and hold no value of it: a key for all rows would be in the way. Default: no. */
  readonly isAmongKept?: boolean
}

export interface ColumnIs {
  readonly column: string
  readonly is: ColumnCondition
}

/** One table that a model wants, of a resource or of links, in no database's words. */
export interface TableLayout {
  /** The table's name in the model; no other table of the layout has it. */
  readonly key: string
  readonly schema: string | undefined
  readonly name: string
  /** Whether the service writes its rows. If not, it may be a view, and is nobody's to create or to change here. */
  readonly isWritable: boolean
  readonly columns: readonly ColumnLayout[]
  readonly primaryKey: readonly string[]
  /** The column with which all keys begin; undefined: with none in particular. */
  readonly lead: string | undefined
  /** The columns of its records' ids; empty for a link table, and where there are none. */
  readonly idColumns: readonly string[]
  readonly foreignKeys: readonly ForeignKeyLayout[]
  /** No two with the same set of columns and the same condition, none with the primary key's. */
  readonly uniques: readonly UniqueLayout[]
  /** The columns of foreign keys that lead neither the primary key nor a unique key, nor an index of the descriptor. */
  readonly indexes: readonly (readonly string[])[]
  /** The columns of the indexes that the descriptor declares, in their order. */
  readonly declaredIndexes: readonly (readonly string[])[]
  /** The columns of texts that lists search by an index. */
  readonly searched: readonly string[]
  /** The columns that tell the rows of such a table apart: those of the ids, behind that with which keys may begin. */
  readonly searchKey: readonly string[]
  /** The column that tells apart the rows of resources that share the table. */
  readonly discriminator: string | undefined
  /** Foreign keys of which each row has exactly one, or at most one where a row may be a root. */
  readonly owners: { readonly columns: readonly string[]; readonly optional: boolean } | undefined
}

/** The table's name with its schema's, as Kysely takes it. */
export function qualifiedName({ schema, name }: TableLayout): string {
  return schema === undefined ? name : `${schema}.${name}`
}

/** The columns of each of the keys that hold for all rows. */
export function columnsIn(uniques: readonly UniqueLayout[]): readonly (readonly string[])[] {
  return uniques.filter(({ where }) => where.length === 0).map(({ columns }) => columns)
}

/** Equal conditions have equal keys. */
export function conditionKey(where: readonly ColumnIs[]): string {
  return JSON.stringify(where.map(({ column, is }) => JSON.stringify([column, is])).sort())
}

export function fieldColumn(key: string, field: Field): FieldColumn {
  return {
    name: field.column,
    nameInModel: `${key}.${field.name}`,
    kind: field.storage,
    nullable: field.nullable,
    schema: field.schema,
    stored: field.stored,
    was: field.was,
    isGiven: isGivenByDatabase(field),
    mayBeGiven: mayBeGivenByDatabase(field),
    hasDbDefault: field.hasDbDefault,
    default: field.default,
    ...(field.keepsOrder && { keepsOrder: true }),
  }
}

export function foreignKeyColumn(name: string, nameInModel: string, nullable: boolean, target: Resource): IdColumn {
  return { name, nameInModel, kind: 'foreignKey', nullable, ids: target.id, values: valuesNamed(target) }
}

/** The column of the field whose values are the ids of a resource; undefined where it has other ids. */
function valuesNamed({ key, id, idMembers }: Resource): FieldColumn | undefined {
  const [only] = idMembers
  if (only === undefined || id.stored !== 'value') return undefined
  return only.kind === 'field' ? fieldColumn(key, only) : valuesNamed(only.target)
}

/** A column of a link table, with the numbers that keep the order of an array. */
export function numberColumn(name: string, nameInModel: string): FieldColumn {
  return { ...plainColumn(name, nameInModel, 'integer', ORDER_NUMBER), nullable: true, keepsOrder: true }
}

/** A column that is no field's, and never null. */
export function plainColumn(
  name: string,
  nameInModel: string,
  kind: FieldColumn['kind'],
  schema: JsonSchema,
): FieldColumn {
  const isNothing = { nullable: false, isGiven: false, mayBeGiven: false, hasDbDefault: false }
  return { name, nameInModel, kind, schema, stored: undefined, was: undefined, default: undefined, ...isNothing }
}

/** What there is of a table whose rows are no records. */
export const PLAIN_TABLE = {
  schema: undefined,
  isWritable: true,
  lead: undefined,
  idColumns: [],
  foreignKeys: [],
  uniques: [],
  indexes: [],
  declaredIndexes: [],
  searched: [],
  searchKey: [],
  discriminator: undefined,
  owners: undefined,
} satisfies Partial<TableLayout>
