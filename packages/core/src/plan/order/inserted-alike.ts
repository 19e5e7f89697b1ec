import type { Resource } from '../../model/model.ts'
import type { Insert } from '../diff/changes.ts'
import { groupBy } from '../group-by.ts'
import { isNew, keyOf } from '../rows.ts'

/**
 * New rows of a resource, in groups that one INSERT each can write: where the database gives some rows a value and a body gives it to
 * others, their columns differ. A row comes behind the one that owns it.
 */
export function insertedAlike({ members }: Resource, rows: readonly Insert[]): readonly (readonly Insert[])[] {
  const mayDiffer = rows.length > 1 && members.some((member) => member.kind === 'field' && member.hasDbDefault)
  if (!mayDiffer) return [rows]
  if (!rows.some(isBelowItsKind)) return groupBy(rows, ({ values }) => keyOf(values)).map(([, alike]) => alike)
  const runs: Insert[][] = []
  let last: string | number | undefined
  for (const row of rows) {
    const key = keyOf(row.values)
    if (key === last) runs.at(-1)?.push(row)
    else runs.push([row])
    last = key
  }
  return runs
}

/** Whether its owner may be among the same rows. */
function isBelowItsKind({ resource, owner }: Insert): boolean {
  return owner !== undefined && isNew(owner.id) && owner.by.target === resource
}
