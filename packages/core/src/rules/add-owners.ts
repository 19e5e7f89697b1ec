import type { Session } from '../connection/session.ts'
import type { Id } from '../model/ids.ts'
import type { Resource } from '../model/model.ts'
import { groupBy } from '../plan/group-by.ts'
import type { Concern } from './concern.ts'
import type { RowCollection } from './row-collection.ts'
import type { RuledRow } from './ruled-row.ts'
import type { StoredRows } from './stored-rows.ts'

/** Adds the owners above the rows, up to the root, and reads what is not known of all of them. */
export async function addOwners(
  rows: RowCollection,
  concern: Concern,
  stored: StoredRows,
  session: Session,
): Promise<void> {
  const leadsUp = ({ resource }: RuledRow) => concern.ofOwners.has(resource.key)
  let open = [...rows.all()]
  while (open.length > 0) {
    // Goes up as far as owners are known, so that one query reads all that is missing. The list grows while it is walked.
    for (const row of open) if (leadsUp(row)) addOwner(rows, row, open)
    const lacking = open.filter((row) => row.owner === undefined || lacksRecord(row, concern))
    const ownerless = lacking.filter((row) => row.owner === undefined)
    await readRows(stored, session, lacking)
    open = ownerless.filter((row) => leadsUp(row) && row.owner !== undefined)
  }
}

function lacksRecord({ resource, action, record }: RuledRow, { ofOwnRows }: Concern): boolean {
  return action !== 'Add' && record === undefined && ofOwnRows.has(resource.key)
}

/** Adds the owner of a row, if it is known and was not there. */
function addOwner(rows: RowCollection, { owner, pointer }: RuledRow, open: RuledRow[]): void {
  if (owner === undefined || owner === null) return
  const { target, inverse } = owner.by
  const isKnown = rows.has(target, owner.id)
  const above = rows.at(target, owner.id, pointer)
  if (above === undefined) return
  if (above.action === 'Edit') above.changedBelow.add(inverse.name)
  if (isKnown) return
  above.isAbove = true
  open.push(above)
}

async function readRows(stored: StoredRows, session: Session, lacking: readonly RuledRow[]): Promise<void> {
  const byResource = groupBy<RuledRow, Resource>(lacking, ({ resource }) => resource)
  const asked = byResource.map(([resource, rows]) =>
    stored.rows(
      resource,
      rows.map(({ id }) => id as Id),
    ),
  )
  const answers = await stored.read(session, asked)
  for (const [index, [, rows]] of byResource.entries()) {
    const found = new Map(answers[index]?.map((one) => [one.record.id, one]))
    for (const row of rows) {
      const read = found.get(row.id as Id)
      if (read === undefined) continue
      row.record = read.record
      row.owner = read.owner
    }
  }
}
