import type { RuleScope } from '../rule-scope.ts'
import { type Collecting, knownRow, rowAt } from './collecting.ts'
import { readRows } from './read-rows.ts'
import type { RuledRow } from './ruled-row.ts'

/** Adds the owners above the rows, up to the root, and reads all rows that are not known completely. */
export async function addOwners(to: Collecting): Promise<void> {
  const { scope, statements, session } = to
  let open = to.rows.slice()
  while (open.length > 0) {
    // Goes up as far as owners are known, so that one query reads all that is missing. The list grows while it is walked.
    for (const row of open) if (leadsUp(row, scope)) addOwner(to, row, open)
    const lacking = open.filter((row) => row.owner === undefined || lacksRecord(row, scope))
    const ownerless = lacking.filter((row) => row.owner === undefined && leadsUp(row, scope))
    const read = await readRows(statements, session, lacking, [])
    for (const [row, stored] of read) Object.assign(row, stored)
    open = ownerless.filter((row) => row.owner !== undefined)
  }
}

/** Whether rules ask for the row's owner, or run for it. */
function leadsUp({ resource: { key } }: RuledRow, { ofOwners, takesOwner }: RuleScope): boolean {
  return ofOwners.has(key) || takesOwner.has(key)
}

function lacksRecord({ resource, action, record, isTaken }: RuledRow, { ofOwnRows }: RuleScope): boolean {
  return action !== 'Add' && record === undefined && (isTaken || ofOwnRows.has(resource.key))
}

/** Adds the owner of a row, if it is known which one that is. */
function addOwner(to: Collecting, row: RuledRow, open: RuledRow[]): void {
  const { scope } = to
  const { owner, pointer } = row
  if (owner === undefined || owner === null) return
  const { target, inverse } = owner.by
  const known = knownRow(to, target, owner.id)
  const above = known ?? rowAt(to, target, owner.id, pointer)
  if (above === undefined) return
  row.above = above
  const lacked = lacksRecord(above, scope)
  if (scope.takesOwner.has(row.resource.key)) above.isTaken = true
  const { changedBelow } = above
  if (above.action === 'Edit' && !changedBelow.includes(inverse.name)) changedBelow.push(inverse.name)
  if (known === undefined) above.isAbove = true
  // It is open if it is new here, or if only now its record is needed.
  if (known === undefined || (!lacked && lacksRecord(above, scope))) open.push(above)
}
