import { isGivenByInsert } from '@fastify-crud/core/internal'
import { defaultLiteral } from '../../check/columns/default-literal.ts'
import { type ColumnLayout, type IdColumn, isIdColumn, type TableLayout } from '../../layout/table-layout.ts'
import { quoted, quotedTable, quotedText } from '../../quoted-names.ts'
import { type Change, type Unfilled, unless } from '../change.ts'
import type { Filling } from './filling.ts'

interface FirstTenants {
  readonly changes: readonly Change[]
  readonly unfilled: readonly Unfilled[]
}

/** The tenants that rows are given. Where their table is new, the migration adds them; else they have to be there. `ids`: as SQL. */
export async function firstTenants(
  table: TableLayout,
  ids: ReadonlySet<string>,
  filling: Filling,
): Promise<FirstTenants> {
  const [idColumn = ''] = table.idColumns
  const findOf = (id: string) => `SELECT 1 FROM ${quotedTable(table)} WHERE ${quoted(idColumn)} = ${id}`
  if (filling.comparison.found.tables.has(table.key)) {
    const unknown: string[] = []
    for (const id of ids) if (!(await filling.rows.finds(findOf(id)))) unknown.push(id)
    return { changes: [], unfilled: unknown.map((id) => unknownTenant(table, id)) }
  }
  if (ids.size === 0) return { changes: [], unfilled: [] }
  const values = table.columns
    .filter(({ name, nullable }) => name !== idColumn && !nullable)
    .map((column) => {
      return { column, value: valueIn(column, filling) }
    })
  const unfilled = values.flatMap(({ column, value }) => (value === undefined ? [unnamed(table, column)] : []))
  const columns = quoted(idColumn, ...values.map(({ column }) => column.name))
  const changes = [...ids].map((id): Change => {
    const list = [id, ...values.map(({ value }) => value)].join(', ')
    const insert = `INSERT INTO ${quotedTable(table)} (${columns}) VALUES (${list})`
    const up = [unless(findOf(id), [insert, ...counting(table, idColumn, filling)])]
    return {
      file: filling.file,
      phase: 'tenant',
      reason: `rows belong to ${table.name} ${id}, which is new`,
      up,
      down: [],
    }
  })
  return { changes, unfilled }
}

/** The values of the model's own layout, as that is what they are given for. */
function valueIn(column: ColumnLayout, { fills, database }: Filling): string | undefined {
  const given = [...fills].find(([one]) => one.nameInModel === column.nameInModel)
  if (given?.[1].isComputed === false) return given[1].sql
  return isIdColumn(column) || column.hasDbDefault ? undefined : defaultLiteral(column, database)
}

/** PostgreSQL counts on from the ids that are given. */
function counting(table: TableLayout, idColumn: string, { database }: Filling): readonly string[] {
  const ids = (table.columns.find(({ name }) => name === idColumn) as IdColumn).ids
  if (database === 'sqlite' || ids.assignedBy !== 'database' || isGivenByInsert(ids)) return []
  const sequence = `pg_get_serial_sequence(${quotedText(quotedTable(table))}, ${quotedText(idColumn)})`
  return [`SELECT setval(${sequence}, (SELECT max(${quoted(idColumn)}) FROM ${quotedTable(table)}))`]
}

function unknownTenant({ name }: TableLayout, id: string): Unfilled {
  return { field: name, message: `there is no ${name} ${id}, to which rows are to belong: create it first` }
}

function unnamed({ name }: TableLayout, { nameInModel }: ColumnLayout): Unfilled {
  const why = `${name} is new, and its first record needs ${nameInModel}`
  return { field: nameInModel, message: `${why}: give it by --fill ${nameInModel}=VALUE, or give the field a default` }
}
