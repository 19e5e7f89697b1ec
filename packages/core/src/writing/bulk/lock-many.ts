import type { Id } from '../../model/ids/id-kind.ts'
import type { Resource } from '../../model/model.ts'
import { type IdsByResource, lockTopmost } from '../../rules/rows/row-locks.ts'
import type { Session } from '../../session/session.ts'
import type { Attempt } from '../attempt.ts'
import { ownerInPath } from '../owner-at.ts'
import type { BulkCall, WriteParts } from '../write-call.ts'

/** Locks the topmost owners of all records that a write names, or the records themselves: by table, then by id. */
export async function lockMany(
  { context, statements }: WriteParts,
  session: Session,
  call: BulkCall,
  { rowLocks }: Attempt,
): Promise<void> {
  if (context.dialect.rowLocks === undefined) return
  const records = namedBy(call)
  if (rowLocks?.areKnown) await rowLocks.lockFirst(session, records)
  else await lockTopmost(statements, session, records)
}

function namedBy({ at: { path, owners }, records }: BulkCall): IdsByResource {
  const [top] = path.relations
  if (top !== undefined) return new Map([[top.source, [owners[0] as Id]]])
  const named = new Map<Resource, Set<Id>>()
  const add = (resource: Resource, id: Id) => named.set(resource, (named.get(resource) ?? new Set<Id>()).add(id))
  for (const one of records) {
    if (one.operation !== 'create') add(path.resource, one.id)
    else {
      const owner = ownerInPath(one.at)
      if (owner !== undefined) add(owner.by.target, owner.id)
    }
  }
  return named
}
