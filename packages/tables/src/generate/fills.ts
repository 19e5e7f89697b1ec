import { type DatabaseName, fieldCheck } from '@fastify-crud/core/internal'
import { defaultLiteral } from '../check/columns/default-literal.ts'
import { type ColumnLayout, type IdColumn, isIdColumn, type TableLayout } from '../layout/table-layout.ts'
import { quotedText } from '../quoted-names.ts'

/** The values that rows get which have none, as SQL, by the column of the layout. */
export type Fills = ReadonlyMap<ColumnLayout, string>

/**
 * Reads values for fields: `{ 'book.price': 0 }`, or `{ price: 0 }` where only one resource has such a field. A relation is called by its
 * name or as in bodies. A text may spell a number, a boolean or JSON. The column of the tenant is that of all tables, or of one: a name with a
 * table comes first.
 *
 * @throws TypeError for what names no field, or does not fit it.
 */
export function readFills(
  given: Readonly<Record<string, unknown>>,
  tables: readonly TableLayout[],
  database: DatabaseName,
): Fills {
  const entries = Object.entries(given).flatMap(([name, value]) => {
    const columns = columnsCalled(name, tables)
    return columns.map((column) => ({ column, literal: inSql(name, value, column, database), of: columns.length }))
  })
  return new Map(entries.sort((a, b) => b.of - a.of).map(({ column, literal }) => [column, literal]))
}

function inSql(name: string, value: unknown, column: ColumnLayout, database: DatabaseName): string {
  return isIdColumn(column) ? idLiteral(name, value, column) : literal(name, value, column, database)
}

/** One column, or those of the tenant in all tables. */
function columnsCalled(name: string, tables: readonly TableLayout[]): readonly ColumnLayout[] {
  const columns = tables.flatMap((table) => table.columns).filter(({ kind }) => kind !== 'id')
  const called = columns.filter((column) => namesOf(column).includes(name))
  if (called.length === 0) throw new TypeError(`fill: there is no field '${name}'`)
  if (called.length === 1 || called.every(isOfTenant)) return called
  const names = called.map(({ nameInModel }) => `'${nameInModel}'`)
  throw new TypeError(`fill: '${name}' may be ${names.join(' or ')}: say which`)
}

function isOfTenant(column: ColumnLayout): boolean {
  return isIdColumn(column) && column.isTenant === true
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
