import { andThen, type PromiseOrValue } from '../connection/promise-or-value.ts'
import type { Session } from '../connection/session.ts'
import { type Facts, isNothing, type Lookups, lookupsOf, noFacts } from '../plan/decide/lookups.ts'
import { type Decision, decide } from '../plan/decide/outcome.ts'
import type { Seen, WriteParts } from './write-request.ts'

/** Looks up what has to be known of other records, and plans. */
export function planWrite(
  parts: WriteParts,
  session: Session,
  { diff, result }: Seen,
  rowByRow: boolean,
): PromiseOrValue<Decision> {
  const lookups = lookupsOf(diff.changes)
  const facts = isNothing(lookups) ? noFacts : lookUp(parts, session, lookups)
  return andThen(facts, (found) => decide(diff, result, found, lookups, rowByRow))
}

function lookUp({ statements }: WriteParts, session: Session, lookups: Lookups): PromiseOrValue<Facts> {
  const { query, values, toFacts } = statements.lookup(lookups)
  return andThen(session.value<string>(query, values), (json) => toFacts(json as string))
}
