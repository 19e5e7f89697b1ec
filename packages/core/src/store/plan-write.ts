import type { Session } from '../connection/session.ts'
import { isNothing, lookupsOf, noFacts } from '../plan/decide/lookups.ts'
import { type Decision, decide } from '../plan/outcome.ts'
import type { Seen, WriteParts, WriteRequest } from './write-request.ts'

/** Looks up what has to be known of other records, and plans. */
export async function planWrite(
  { context, statements }: WriteParts,
  session: Session,
  { at, id, permit }: WriteRequest,
  { diff, result }: Seen,
  rowByRow: boolean,
): Promise<Decision> {
  const { rights } = context
  const lookups = lookupsOf(diff.changes, rights, { resource: at.path.resource, id })
  const regarding = { rowByRow, permit, rights }
  if (isNothing(lookups)) return decide(diff, result, noFacts, lookups, regarding)
  const { query, values, toFacts } = statements.lookup(lookups)
  const json = await session.value<string>(query, values)
  return decide(diff, result, toFacts(json as string), lookups, regarding)
}
