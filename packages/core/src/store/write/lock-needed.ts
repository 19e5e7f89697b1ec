import { pipeline, pipelineAll, type Session } from '../../connection/session.ts'
import type { Id } from '../../model/ids/id-kind.ts'
import type { Resource } from '../../model/model.ts'
import type { Lookups } from '../../plan/decide/lookups.ts'
import { lockRows } from '../../rules/rows/row-locks.ts'
import type { WriteParts } from './write-call.ts'

/** Records that a write removes, by their resource. */
export type Removed = ReadonlyMap<Resource, ReadonlySet<Id>>

/**
 * The records that the write may remove only if no other record needs them, although the database would then remove the other one as well:
 * its foreign key says ON DELETE CASCADE. Any other foreign key fails if a record was added since they were counted.
 */
export async function removedOverCascades(
  { learnCascades }: WriteParts,
  session: Session,
  { needing }: Pick<Lookups, 'needing'>,
): Promise<Removed> {
  if (needing.size === 0 || learnCascades === undefined) return NOTHING
  const cascading = await learnCascades(session)
  const removed = new Map<Resource, Set<Id>>()
  for (const [relation, { targets }] of needing) {
    if (!cascading.has(relation)) continue
    const ids = removed.get(relation.target) ?? new Set<Id>()
    for (const id of targets) ids.add(id)
    removed.set(relation.target, ids)
  }
  return removed
}

const NOTHING: Removed = new Map()

/** Counts behind locks that keep all others from naming the records, in one message where the session pipelines. */
export async function behindRemoved<Result>(
  { statements }: WriteParts,
  session: Session,
  removed: Removed,
  work: () => Promise<Result>,
): Promise<Result> {
  if (removed.size === 0) return await work()
  const locks = [...removed].map(
    ([resource, ids]) =>
      () =>
        lockRows(statements, session, resource, [...ids], 'for update', 'waits'),
  )
  const [, result] = await pipeline(session, () => pipelineAll(session, locks), work)
  return result
}
