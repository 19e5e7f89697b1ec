import type { Session } from '../connection/session.ts'
import { isNothing, lookupsOf, noFacts } from '../plan/decide/lookups.ts'
import type { Permit } from '../plan/decide/planned-actions.ts'
import { type Decision, decide } from '../plan/outcome.ts'
import type { Seen, WriteParts } from './write-request.ts'

/** Looks up what has to be known of other records, and plans. */
export async function planWrite(
  { statements }: WriteParts,
  session: Session,
  { diff, result }: Seen,
  rowByRow: boolean,
  permit: Permit | undefined,
): Promise<Decision> {
  const lookups = lookupsOf(diff.changes)
  if (isNothing(lookups)) return decide(diff, result, noFacts, lookups, rowByRow, permit)
  const { query, values, toFacts } = statements.lookup(lookups)
  const json = await session.value<string>(query, values)
  return decide(diff, result, toFacts(json as string), lookups, rowByRow, permit)
}
