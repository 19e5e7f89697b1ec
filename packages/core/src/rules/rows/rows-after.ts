import { isGivenByDatabase, mayBeGivenByDatabase } from '../../model/descriptors/field-options.ts'
import type { Field } from '../../model/model.ts'
import type { Session } from '../../session/session.ts'
import type { RuleStatements } from '../../sql/statements.ts'
import type { AnyRow } from '../ready-made/ready-made-rule.ts'
import { plannedRow, type RowsAfter, rowOf } from './row-change.ts'
import type { NewRowIds, RuledRow } from './ruled-row.ts'
import { readRows } from './stored-rows.ts'

/** Reads the fields of rows that the database has filled. The rest of a row is as the plan says. */
export async function readFilled(
  statements: RuleStatements,
  session: Session,
  rows: readonly RuledRow[],
  ids: NewRowIds,
): Promise<RowsAfter> {
  const filled = new Map<RuledRow, AnyRow | null>()
  const read = await readRows(statements, session, rows, ids)
  for (const [row, { record }] of read) {
    const values = Object.fromEntries(fieldsFilled(row).map(({ name }) => [name, record[name] ?? null]))
    const planned = plannedRow(row, ids)
    filled.set(row, planned && Object.freeze({ ...planned, ...values }))
  }
  return filled
}

/** Reads rows as a whole, as `afterWrite` rules may have written to them. */
export async function readAtEnd(
  statements: RuleStatements,
  session: Session,
  rows: readonly RuledRow[],
  ids: NewRowIds,
): Promise<RowsAfter> {
  const kept = rows.filter(({ action }) => action !== 'Delete')
  const read = await readRows(statements, session, kept, ids)
  return new Map(
    kept.map((row) => {
      const stored = read.get(row)
      return [row, stored === undefined ? null : rowOf(row.resource, stored.record, stored.owner)]
    }),
  )
}

/** Whether only the database knows the row as it is stored. */
export function mayBeFilled(row: RuledRow): boolean {
  return row.action !== 'Delete' && fieldsFilled(row).length > 0
}

/** The fields that the database may fill: in a new row by defaults, and in a row that changes by triggers and generated columns. */
function fieldsFilled({ resource, action, values }: RuledRow): readonly Field[] {
  return resource.fields.filter((field) => {
    if (action !== 'Add') return isGivenByDatabase(field) || field.hasDbDefault
    return mayBeGivenByDatabase(field) && values?.[field.position] === undefined
  })
}
