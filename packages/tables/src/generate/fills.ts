import type { AnyKysely } from '@fastify-crud/core'
import { type DatabaseName, databaseOf, fieldCheck } from '@fastify-crud/core/internal'
import { type Expression, isExpression, sql } from 'kysely'
import { defaultLiteral } from '../check/columns/missing-column.ts'
import { type ColumnLayout, type IdColumn, isIdColumn, type TableLayout } from '../layout/table-layout.ts'
import { isTenantColumn } from '../layout/tenant-keys.ts'
import { quotedText } from '../quoted-names.ts'

/** What rows get that have no value, by the column of the layout. */
export type Fills = ReadonlyMap<ColumnLayout, Fill>

export interface Fill {
  readonly sql: string
  /** Is computed from the row, and is no literal. */
  readonly isComputed: boolean
}

/**
 * Reads values for fields, or SQL that computes them: `{ 'book.price': 0 }`, or `{ price: 0 }` where only one resource
 * has such a field. A relation is called by its name or as in bodies. A text may spell a number, a boolean or JSON. The
 * column of the tenant is that of all tables, or of one: a name with a table comes first.
 *
 * @throws TypeError for what names no field, or does not fit it.
 */
export function readFills(
  given: Readonly<Record<string, unknown>>,
  tables: readonly TableLayout[],
  db: AnyKysely,
): Fills {
  const entries = Object.entries(given).flatMap(([name, value]) => {
    const columns = columnsCalled(name, tables)
    return columns.map((column) => ({ column, fill: toFill(name, value, column, db), of: columns.length }))
  })
  return new Map(entries.sort((a, b) => b.of - a.of).map(({ column, fill }) => [column, fill]))
}

function toFill(name: string, value: unknown, column: ColumnLayout, db: AnyKysely): Fill {
  if (isExpression(value)) return { sql: computed(name, value, column, db), isComputed: true }
  const isId = isIdColumn(column)
  return {
    sql: isId ? idLiteral(name, value, column) : literal(name, value, column, databaseOf(db)),
    isComputed: false,
  }
}

/** What a person writes is taken as it is. A migration has no parameters. */
function computed(name: string, value: Expression<unknown>, column: ColumnLayout, db: AnyKysely): string {
  if (isTenantColumn(column))
    throw new TypeError(`fill: '${name}' takes a value, and no SQL, as the tenant has to be there`)
  const { sql: text, parameters } = sql`(${value})`.compile(db)
  if (parameters.length > 0) throw new TypeError(`fill: the SQL of '${name}' has values in it: write them by sql.lit`)
  return text
}

/** One column, or those of the tenant in all tables. */
function columnsCalled(name: string, tables: readonly TableLayout[]): readonly ColumnLayout[] {
  const columns = tables.flatMap((table) => table.columns).filter(({ kind }) => kind !== 'id')
  const called = columns.filter((column) => namesOf(column).includes(name))
  if (called.length === 0) throw new TypeError(`fill: there is no field '${name}'`)
  if (called.length === 1 || called.every(isTenantColumn)) return called
  const names = called.map(({ nameInModel }) => `'${nameInModel}'`)
  throw new TypeError(`fill: '${name}' may be ${names.join(' or ')}: say which`)
}

function namesOf({ nameInModel, name: column }: ColumnLayout): readonly string[] {
  const [resource, name] = nameInModel.split('.') as [string, string]
  return [nameInModel, name, `${resource}.${column}`, column]
}

function idLiteral(name: string, value: unknown, { ids }: IdColumn): string {
  const id = typeof value === 'string' ? ids.fromPath(value) : ids.fromCaller(value)
  if (id === undefined) throw new TypeError(`fill: '${name}' ${ids.problem}`)
  if (!PLAIN_IDS.includes(ids.stored)) throw new TypeError(`fill: the column of '${name}' spells ids in its own way`)
  return typeof id === 'number' ? String(id) : quotedText(id)
}

const PLAIN_IDS = ['integer', 'bigint', 'text', 'uuid']

function literal(
  name: string,
  given: unknown,
  column: Exclude<ColumnLayout, IdColumn>,
  database: DatabaseName,
): string {
  const value = typeof given === 'string' ? spelled(given, column) : given
  const [problem] = fieldCheck(column.schema, column.kind)(value)
  if (problem !== undefined) throw new TypeError(`fill: '${name}' ${problem.message}`)
  const inSql = defaultLiteral({ ...column, default: value }, database)
  if (inSql === undefined) throw new TypeError(`fill: the column of '${name}' spells values in its own way`)
  return inSql
}

function spelled(text: string, { kind }: ColumnLayout): unknown {
  if (!['integer', 'number', 'boolean', 'json'].includes(kind)) return text
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
