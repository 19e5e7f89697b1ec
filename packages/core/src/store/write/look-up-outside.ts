import { withRetries } from '../../connection/retries.ts'
import { type Facts, type Lookups, noLookups } from '../../plan/decide/lookups.ts'
import type { WriteParts } from './write-call.ts'

/** Asks the database outside of the write's transaction, and tries again as all reads do. */
export async function lookUpOutside(
  { context, statements, sessions }: WriteParts,
  lookups: Partial<Lookups>,
  requestContext: unknown,
): Promise<Facts> {
  const { query, values, toFacts } = statements.lookup({ ...noLookups, ...lookups })
  return toFacts((await withRetries(context.db, () => sessions.value<string>(query, values, requestContext))) as string)
}
