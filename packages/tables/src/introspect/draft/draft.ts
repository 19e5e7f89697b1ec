import type { FieldOptions, IdDeclaration, UniqueKeyDeclaration } from '@fastify-crud/core'
import type { JsonSchema, RelationDeclaration } from '@fastify-crud/core/internal'
import type { FoundColumn } from '../../catalogs/found-tables.ts'
import { isRowNumber } from '../../catalogs/found-tables.ts'
import { lengthOf } from '../../check/columns/postgres-misfit.ts'
import type { Catalog, CatalogTable, SingleKey } from '../read/catalog.ts'

/** A descriptor in the making, as data that can be checked and printed. */
export interface FoundResource {
  readonly key: string
  /** The table in the database. */
  readonly table: string
  readonly description: string | undefined
  readonly id: IdDeclaration | false
  /** Requests only read its records, which have ids. */
  readonly isReadOnly: boolean
  /** The column of an id that no member makes up. */
  readonly idColumn: string | undefined
  readonly fields: FieldDraft[]
  readonly relations: RelationDraft[]
  readonly unique: UniqueDraft[]
  /** Whole sentences for the author, about the table. */
  readonly notes: string[]
}

/** Names of fields and relations, or the same with a condition. */
export type UniqueDraft = readonly string[] | UniqueKeyDeclaration

export interface FieldDraft {
  readonly name: string
  readonly column: string
  readonly schema: JsonSchema
  /** It may be null. */
  readonly isNullable: boolean
  readonly options: FieldOptions
  readonly note: string | undefined
}

/** Whether a body may leave the field out, so that it is null. */
export function mayBeLeftOut({ isNullable, options }: FieldDraft): boolean {
  return isNullable && options.default === undefined
}

export interface RelationDraft {
  readonly name: string
  readonly relation: RelationDeclaration['relation']
  /** The key of a resource. */
  readonly target: string
  readonly options: Readonly<Record<string, string | boolean>>
  /** The foreign key, with its name in bodies; undefined where the other side has it. */
  readonly foreignKey: { readonly name: string; readonly column: string } | undefined
  readonly note: string | undefined
}

/** A relation whose foreign key is a column of its own table. */
export interface OwnRelation extends RelationDraft {
  readonly foreignKey: NonNullable<RelationDraft['foreignKey']>
}

/** The tables of a database as descriptors, and those that become none, with the reason. */
export interface FoundModel {
  readonly schema: string | undefined
  readonly resources: readonly FoundResource[]
  /** By the table's name. */
  readonly links: readonly LinkTable[]
  /** By the table's name. */
  readonly left: ReadonlyMap<string, string>
}

/** A table of links between two others. */
export interface LinkTable {
  readonly table: string
  readonly from: { readonly column: string; readonly table: string }
  readonly to: { readonly column: string; readonly table: string }
}

/** What the ids of a table's records are: values of a column of their own, or of members of the resource. */
export type TableId =
  | { readonly declaration: IdDeclaration; readonly column: string; readonly members: undefined }
  | { readonly members: readonly string[] }
  /** Nothing tells one row from another, so far as the catalog knows. */
  | NoId

interface NoId {
  readonly declaration: false
  readonly column: undefined
  readonly members: undefined
}

const NO_ID: NoId = { declaration: false, column: undefined, members: undefined }

/** Whether rows have ids, so that requests can name them. */
export function hasIds(id: TableId): boolean {
  return id.members !== undefined || id.declaration !== false
}

/** A view has no key, whatever its query says. */
export function tableId(catalog: Catalog, table: CatalogTable, keys: readonly SingleKey[]): TableId {
  if (table.kind !== 'table') return NO_ID
  const columns = table.primaryKey.length > 0 ? table.primaryKey : uniqueInstead(table)
  const [only, another] = columns
  if (only === undefined) return NO_ID
  if (another !== undefined || keys.some(({ column }) => column === only)) return { members: columns }
  const declaration = declarationOf(catalog, table, table.found.columns.get(only) as FoundColumn)
  return declaration === undefined ? { members: columns } : { declaration, column: only, members: undefined }
}

/** A unique key that is as good as a primary one. */
function uniqueInstead({ found }: CatalogTable): readonly string[] {
  const keys = found.indexes.filter(({ isUnique, isPartial, isDeferrable }) => isUnique && !isPartial && !isDeferrable)
  const whole = keys.filter(({ columns }) =>
    columns.every((column) => found.columns.get(column ?? '')?.notNull === true),
  )
  const [first] = whole.sort((one, other) => one.columns.length - other.columns.length)
  return (first?.columns ?? []) as readonly string[]
}

function declarationOf({ database }: Catalog, table: CatalogTable, column: FoundColumn): IdDeclaration | undefined {
  return database === 'postgres' ? postgresId(table, column) : sqliteId(table, column)
}

/** The longest text id, if the column's type says nothing else. */
const MOST_CHARACTERS = 100

function postgresId(
  table: CatalogTable,
  { type, modifier, sequence, hasDefault }: FoundColumn,
): IdDeclaration | undefined {
  switch (type) {
    case 'int2':
    case 'int4':
    case 'int8':
      return integerId(table.hasLargeIds, sequence !== undefined)
    case 'uuid':
      return hasDefault ? { kind: 'uuid', assign: 'database' } : 'uuid'
    case 'text':
    case 'citext':
      return 'text'
    case 'varchar':
    case 'bpchar':
      return textId(lengthOf(modifier) ?? MOST_CHARACTERS)
    default:
      return undefined
  }
}

function textId(length: number): IdDeclaration {
  return length >= MOST_CHARACTERS ? 'text' : { kind: 'text', maxLength: length }
}

function integerId(isLarge: boolean, isAssigned: boolean): IdDeclaration {
  const kind = isLarge ? 'bigint' : 'integer'
  return isAssigned ? kind : { kind, assign: 'client' }
}

/** A UUID without hyphens. */
const HEX = /^[\da-f]{32}$/

const UUID = /^[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}$/

function sqliteId({ found, hasLargeIds, samples }: CatalogTable, column: FoundColumn): IdDeclaration | undefined {
  const { name, type } = column
  if (/INT/i.test(type)) return integerId(hasLargeIds, isRowNumber(found, column))
  if (!/CHAR|CLOB|TEXT|UUID|GUID/i.test(type)) return undefined
  const values = samples.map((row) => String(row[name]))
  if (values.length === 0) return /UUID|GUID/i.test(type) ? 'uuid' : 'text'
  if (values.every((value) => UUID.test(value))) return 'uuid'
  if (values.every((value) => HEX.test(value))) return { kind: 'uuid', stored: 'hex' }
  const areUpper = values.every((value) => UUID.test(value.toLowerCase()) && value === value.toUpperCase())
  return areUpper ? { kind: 'uuid', stored: 'upper' } : 'text'
}
