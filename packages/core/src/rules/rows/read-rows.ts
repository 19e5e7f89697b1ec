import type { Session } from '../../connection/session.ts'
import type { Id } from '../../model/ids.ts'
import { groupBy } from '../../plan/group-by.ts'
import { idOfRow, type NewRowIds, type RuledRow } from './ruled-row.ts'
import { type RuleStatements, readStored, rowsById, type StoredRow } from './stored-rows.ts'

/** The rows as they are stored now, read in one statement. A row that is not there is missing. */
export async function readRows(
  statements: RuleStatements,
  session: Session,
  rows: readonly RuledRow[],
  ids: NewRowIds,
): Promise<ReadonlyMap<RuledRow, StoredRow>> {
  const groups = groupBy(rows, ({ resource }) => resource)
  const idIn = (row: RuledRow) => idOfRow(row, ids) as Id
  const asked = groups.map(([resource, ofResource]) => rowsById(resource, ofResource.map(idIn)))
  const answers = await readStored(statements, session, asked)
  const read = new Map<RuledRow, StoredRow>()
  for (const [index, [, ofResource]] of groups.entries()) {
    const found = new Map(answers[index]?.map((row) => [row.record.id, row]))
    for (const row of ofResource) {
      const stored = found.get(idIn(row))
      if (stored !== undefined) read.set(row, stored)
    }
  }
  return read
}
