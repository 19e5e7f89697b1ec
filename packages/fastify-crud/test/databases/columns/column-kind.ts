import fc from 'fast-check'
import type { Model } from 'fastify-crud'

/** A column as a database has it, and values for it. */
export interface ColumnKind {
  /** As in DDL. */
  readonly type: string
  /** What has to be there before a table can have such a column. */
  readonly before?: readonly string[]
  /** The field's schema, where `introspect` cannot know what the column holds. */
  readonly schema?: Schema
  /** Values that the column may hold, and answers show: on PostgreSQL as texts that the type reads. */
  readonly shown: fc.Arbitrary<StoredValue>
  /** Values that the column may hold, and no answer can show. */
  readonly unshown?: fc.Arbitrary<StoredValue>
  /** Values of a body. */
  readonly bodies: fc.Arbitrary<unknown>
  /** `own`: the column finds texts equal that are not the same. `none`: the type has no equality. Default: that of the shown values. */
  readonly equality?: 'own' | 'none'
  /** A value that was shown is not stored again letter by letter. */
  readonly respells?: boolean
}

export type Schema = Parameters<Fields[string]['check']>[0] & Fields[string]['schema']
export type Field = Fields[string]
type Fields = Record<string, NonNullable<ReturnType<Model['resources']['get']>>['fields'][number]>

/** The schema of the values of a field that are not null. */
export function schemaOf({ schema }: Field): Schema {
  return ((schema.anyOf as readonly Schema[] | undefined)?.find(({ type }) => type !== undefined && type !== 'null') ??
    schema) as Schema
}

export type StoredValue = string | number | bigint | Buffer

/** A value in a row. */
export interface Cell {
  readonly value: StoredValue | null
  readonly isShown: boolean
}

export interface Column {
  readonly kind: ColumnKind
  readonly nullable: boolean
}

/** Rows for columns, written by SQL, and bodies with values for them. */
export interface ColumnsCase {
  readonly columns: readonly Column[]
  readonly rows: readonly (readonly Cell[])[]
  readonly bodies: readonly (readonly unknown[])[]
  /** PostgreSQL: what the database or the role sets. */
  readonly settings: Settings
}

export interface Settings {
  readonly of: 'database' | 'role'
  readonly values: Readonly<Record<string, string>>
}

export function nameOfColumn(index: number): string {
  return `c${index}`
}

const MOST_COLUMNS = 5
const MOST_ROWS = 6

/** A case with some of the kinds. */
export function columnsCase(kinds: readonly ColumnKind[], settings: fc.Arbitrary<Settings>): fc.Arbitrary<ColumnsCase> {
  const column = fc.record({ kind: fc.constantFrom(...kinds), nullable: fc.boolean() })
  return fc.array(column, { minLength: 1, maxLength: MOST_COLUMNS, size: 'max' }).chain((columns) =>
    fc.record({
      columns: fc.constant(columns),
      rows: fc.array(fc.tuple(...columns.map(cellOf)), { minLength: 1, maxLength: MOST_ROWS, size: 'max' }),
      bodies: fc.array(fc.tuple(...columns.map(bodyOf)), { minLength: 1, maxLength: 2 }),
      settings,
    }),
  )
}

function cellOf({ kind, nullable }: Column): fc.Arbitrary<Cell> {
  const shown = kind.shown.map((value): Cell => ({ value, isShown: true }))
  const unshown = kind.unshown?.map((value): Cell => ({ value, isShown: false }))
  return fc.oneof(
    { weight: 8, arbitrary: shown },
    ...(unshown === undefined ? [] : [{ weight: 2, arbitrary: unshown }]),
    ...(nullable ? [{ weight: 1, arbitrary: fc.constant<Cell>({ value: null, isShown: true }) }] : []),
  )
}

function bodyOf({ kind, nullable }: Column): fc.Arbitrary<unknown> {
  return nullable ? fc.option(kind.bodies, { freq: 5 }) : kind.bodies
}
