import type { Session } from '../../connection/session.ts'
import type { Id } from '../../model/ids.ts'
import type { Resource } from '../../model/model.ts'
import { groupBy } from '../../plan/group-by.ts'
import type { RowsAsked } from '../../query/reads/rows-query.ts'
import type { RuleScope } from '../rule-scope.ts'
import type { RowCollection } from './row-collection.ts'
import type { RuledRow } from './ruled-row.ts'
import { type RuleStatements, readStored, rowsById } from './stored-rows.ts'

/** Adds the owners above the rows, up to the root, and reads what is not known of all of them. */
export async function addOwners(
  rows: RowCollection,
  scope: RuleScope,
  statements: RuleStatements,
  session: Session,
): Promise<void> {
  const takesOwner = ({ resource }: RuledRow) => scope.takesOwner.has(resource.key)
  const leadsUp = (row: RuledRow) => scope.ofOwners.has(row.resource.key) || takesOwner(row)
  let open = rows.all().slice()
  while (open.length > 0) {
    // Goes up as far as owners are known, so that one query reads all that is missing. The list grows while it is walked.
    for (const row of open) if (leadsUp(row)) addOwner(rows, row, open, takesOwner(row), scope)
    const lacking = open.filter((row) => row.owner === undefined || lacksRecord(row, scope))
    if (lacking.length === 0) return
    const ownerless = lacking.filter((row) => row.owner === undefined && leadsUp(row))
    await readRows(rows, statements, session, lacking)
    open = ownerless.filter((row) => row.owner !== undefined)
  }
}

function lacksRecord({ resource, action, record, isTaken }: RuledRow, { ofOwnRows }: RuleScope): boolean {
  return action !== 'Add' && record === undefined && (isTaken || ofOwnRows.has(resource.key))
}

/** Adds the owner of a row, if it is known and was not there. */
function addOwner(rows: RowCollection, row: RuledRow, open: RuledRow[], isTaken: boolean, scope: RuleScope): void {
  const { owner, pointer } = row
  if (owner === undefined || owner === null) return
  const { target, inverse } = owner.by
  const known = rows.known(target, owner.id)
  const above = known ?? rows.at(target, owner.id, pointer)
  if (above === undefined) return
  row.above = above
  const lacked = lacksRecord(above, scope)
  if (isTaken) above.isTaken = true
  // It was not asked for when it was met before.
  if (known !== undefined && !lacked && lacksRecord(above, scope)) open.push(above)
  const { changedBelow } = above
  if (above.action === 'Edit' && !changedBelow.includes(inverse.name)) changedBelow.push(inverse.name)
  if (known !== undefined) return
  above.isAbove = true
  open.push(above)
}

async function readRows(
  rows: RowCollection,
  statements: RuleStatements,
  session: Session,
  lacking: readonly RuledRow[],
): Promise<void> {
  const groups = groupBy<RuledRow, Resource>(lacking, ({ resource }) => resource)
  const asked = groups.map(([resource, some]) => {
    const ids = some.map(({ id }) => id as Id)
    return rowsById(resource, ids)
  })
  const answers = await readStored(statements, session, asked)
  for (const [index, found] of answers.entries()) {
    for (const { record, owner } of found) {
      const row = rows.known((asked[index] as RowsAsked).selection.resource, record.id)
      if (row !== undefined) Object.assign(row, { record, owner })
    }
  }
}
