import type { Session } from '../../connection/session.ts'
import { isGivenByDatabase, mayBeGivenByDatabase } from '../../model/descriptors/field-options.ts'
import type { Id } from '../../model/ids.ts'
import type { Field } from '../../model/model.ts'
import { groupBy } from '../../plan/group-by.ts'
import { isNew } from '../../plan/row-id.ts'
import type { AnyRow } from '../ready-made/ready-made-rule.ts'
import type { NewRowIds, RuledRow } from './ruled-row.ts'
import { type RuleStatements, readStored, rowsById } from './stored-rows.ts'

/** Rows that the write has statements, with what the database has filled in. */
export type FilledRows = ReadonlyMap<RuledRow, Readonly<Record<string, unknown>>>

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

/** Reads the rows of which {@link mayBeFilled} says so. */
export async function readFilled(
  statements: RuleStatements,
  session: Session,
  rows: readonly RuledRow[],
  ids: NewRowIds,
): Promise<FilledRows> {
  const filled = new Map<RuledRow, Readonly<Record<string, unknown>>>()
  const idOf = ({ id }: RuledRow) => (isNew(id) ? ids[id.new] : id) as Id
  const byResource = groupBy(rows, ({ resource }) => resource)
  const asked = byResource.map(([resource, ofResource]) => rowsById(resource, ofResource.map(idOf)))
  const answers = await readStored(statements, session, asked)
  for (const [index, [, ofResource]] of byResource.entries()) {
    const found = new Map(answers[index]?.map(({ record }) => [record.id, record]))
    for (const row of ofResource) {
      const record = found.get(idOf(row))
      const fields = record === undefined ? [] : fieldsFilled(row)
      filled.set(row, Object.fromEntries(fields.map(({ name }) => [name, record?.[name] ?? null])))
    }
  }
  return filled
}

/** The row after the write, with what the database has filled in. */
export function withFilled(after: AnyRow | null, row: RuledRow, filled: FilledRows): AnyRow | null {
  const values = filled.get(row)
  return after === null || values === undefined ? after : Object.freeze({ ...after, ...values })
}
