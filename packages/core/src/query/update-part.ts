import { sql } from 'kysely'
import type { Resource } from '../model/model.ts'
import type { UpdatedRow } from '../plan/plan.ts'
import type { QueryContext } from './context.ts'
import { ABSENT, type RowsColumn, type RowsTable } from './dialect.ts'
import type { Once } from './prepare.ts'
import { shapeOf } from './rows-shape.ts'
import { filledUp, MOST_BOUND } from './some-ids.ts'
import { column, join, type Sql, slot } from './sql-text.ts'
import type { StepPart } from './step-part.ts'

/** Updates rows of one resource, which may each change other columns. */
export function updatePart(
  context: QueryContext,
  resource: Resource,
  updated: readonly UpdatedRow[],
  once: Once,
): StepPart {
  const { dialect } = context
  const changed = changedProperties(updated)
  const isMixed = updated.some((row) => Object.keys(row.values).length < changed.length)
  const name = `update ${resource.key} ${JSON.stringify(changed)}`
  const { rows } = once(`rows of ${name}`, () => shapeOf(context, resource, ['id', ...changed]))
  if (!isMixed && updated.length <= MOST_BOUND) {
    const filled = filledUp(updated)
    const values: unknown[] = []
    for (const row of filled) {
      values.push(row.id)
      for (let index = 1; index < rows.columns.length; index++) {
        values.push(dialect.bind(row.values[changed[index - 1] as string], rows.columns[index] as RowsColumn))
      }
    }
    return {
      name: `${name} ${filled.length}`,
      values,
      sql: (first) => updateBound(context, resource, rows, filled.length, first),
    }
  }
  const values = updated.map((row) => [
    row.id,
    ...changed.map((property) => (Object.hasOwn(row.values, property) ? row.values[property] : ABSENT)),
  ])
  return {
    name: isMixed ? `${name} or some of them` : name,
    values: [dialect.encodeRows(values, rows)],
    sql: (first) => updateRows(context, resource, rows, isMixed, slot(first)),
  }
}

function changedProperties(updated: readonly UpdatedRow[]): readonly string[] {
  const [first, ...others] = updated.map((row) => Object.keys(row.values))
  if (first === undefined) return []
  // Those of a row are in the order of the model's members.
  if (others.every((one) => one.length === first.length && one.every((name, index) => name === first[index])))
    return first
  return [...new Set([first, ...others].flat())].sort()
}

function updateRows(
  { dialect, names }: QueryContext,
  resource: Resource,
  rows: RowsTable,
  isMixed: boolean,
  parameter: Sql,
): Sql {
  const [id, ...changed] = rows.columns as [RowsColumn, ...RowsColumn[]]
  const assignments = changed.map((one) => {
    const value = column('x', one.name)
    if (!isMixed) return sql`${sql.id(one.name)} = ${value}`
    return sql`${sql.id(one.name)} = case when ${dialect.hasColumn('x', one, rows)} then ${value} else ${column('t', one.name)} end`
  })
  return sql`update ${names.table(resource.table).sql} as ${sql.id('t')} set ${join(assignments)} from ${dialect.rows(parameter, rows, isMixed ? 'mixed' : 'joined')} as ${sql.id('x')} where ${column('t', id.name)} = ${column('x', id.name)}`
}

/** The values stand in the statement as parameters: of the first row, then of the next. */
function updateBound(
  { dialect, names }: QueryContext,
  resource: Resource,
  { columns }: RowsTable,
  count: number,
  first: number,
): Sql {
  const table = names.table(resource.table).sql
  const [id, ...changed] = columns as [RowsColumn, ...RowsColumn[]]
  if (count === 1) {
    const assignments = changed.map(
      (one, index) => sql`${sql.id(one.name)} = ${dialect.bound(slot(first + 1 + index), one)}`,
    )
    return sql`update ${table} set ${join(assignments)} where ${sql.id(id.name)} = ${slot(first)}`
  }
  const starts = Array.from({ length: count }, (_, row) => first + row * columns.length)
  const assignments = changed.map((one, index) => {
    const name = sql.id(one.name)
    // The column tells the type of the parameters.
    const cases = starts.map(
      (start) =>
        sql`when ${sql.id(id.name)} = ${dialect.id(slot(start))} then ${dialect.bound(slot(start + 1 + index), one)}`,
    )
    return sql`${name} = case ${join(cases, sql` `)} else ${name} end`
  })
  const ids = starts.map((start) => dialect.id(slot(start)))
  return sql`update ${table} set ${join(assignments)} where ${sql.id(id.name)} in (${join(ids)})`
}
