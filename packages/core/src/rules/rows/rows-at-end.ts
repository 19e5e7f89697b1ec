import type { Session } from '../../connection/session.ts'
import type { Id } from '../../model/ids.ts'
import { groupBy } from '../../plan/group-by.ts'
import { isNew } from '../../plan/row-id.ts'
import type { AnyRow } from '../ready-made/ready-made-rule.ts'
import { type NewRowIds, type RuledRow, rowOf } from './ruled-row.ts'
import { type RuleStatements, readStored, rowsById } from './stored-rows.ts'

/** Rows as the transaction leaves them; null for those that are gone by then. */
export type RowsAtEnd = ReadonlyMap<RuledRow, AnyRow | null>

/** Reads rows once more, as `afterWrite` rules may have written to them. */
export async function readAtEnd(
  statements: RuleStatements,
  session: Session,
  rows: readonly RuledRow[],
  ids: NewRowIds,
): Promise<RowsAtEnd> {
  const idOf = ({ id }: RuledRow) => (isNew(id) ? ids[id.new] : id) as Id
  const byResource = groupBy(
    rows.filter(({ action }) => action !== 'Delete'),
    ({ resource }) => resource,
  )
  const asked = byResource.map(([resource, ofResource]) => rowsById(resource, ofResource.map(idOf)))
  const answers = await readStored(statements, session, asked)
  const atEnd = new Map<RuledRow, AnyRow | null>()
  for (const [index, [resource, ofResource]] of byResource.entries()) {
    const found = new Map(answers[index]?.map((row) => [row.record.id, row]))
    for (const row of ofResource) {
      const read = found.get(idOf(row))
      atEnd.set(row, read === undefined ? null : rowOf(resource, read.record, read.owner))
    }
  }
  return atEnd
}
