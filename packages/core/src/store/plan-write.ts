import type { Session } from '../connection/session.ts'
import { type Facts, isNothing, type Lookups, lookupsOf, noFacts } from '../plan/decide/lookups.ts'
import { type Decision, decide } from '../plan/outcome.ts'
import type { Statements } from '../query/statements.ts'
import { beforeConflict } from './check-planned.ts'
import type { Seen, WriteParts, WriteRequest } from './write-request.ts'

/** Looks up what has to be known of other records, and plans. */
export async function planWrite(
  parts: WriteParts,
  session: Session,
  { at, id, permit }: WriteRequest,
  { diff, result }: Seen,
  rowByRow: boolean,
): Promise<Decision> {
  const { context, statements } = parts
  const { rights } = context
  const lookups = lookupsOf(diff.changes, rights, { resource: at.path.resource, id })
  const regarding = { rowByRow, permit, rights }
  const facts = isNothing(lookups) ? noFacts : await lookUp(statements, session, lookups)
  const decision = decide(diff, result, facts, lookups, regarding)
  if (!('refusal' in decision)) return decision
  return { refusal: await beforeConflict(parts, session, diff.changes, decision.refusal) }
}

async function lookUp(statements: Statements, session: Session, lookups: Lookups): Promise<Facts> {
  const { query, values, toFacts } = statements.lookup(lookups)
  return toFacts((await session.value<string>(query, values)) as string)
}
