import { withRetries } from '../../connection/retries.ts'
import { behind } from '../../connection/session.ts'
import { inReadTransaction } from '../../connection/transaction.ts'
import { type Facts, type Lookups, noLookups } from '../../plan/decide/lookups.ts'
import { forMany } from './plan-write.ts'
import type { WriteParts } from './write-call.ts'

/** Asks the database outside of the write's transaction about so many rows, and tries again as all reads do. */
export async function lookUpOutside(
  parts: WriteParts,
  lookups: Partial<Lookups>,
  requestContext: unknown,
  rows = 1,
): Promise<Facts> {
  const { context, statements, sessions } = parts
  const { query, values, toFacts } = statements.lookup({ ...noLookups, ...lookups })
  const first = forMany(parts, rows)
  const ask = () =>
    first === undefined
      ? sessions.value<string>(query, values, requestContext)
      : sessions.use(requestContext, (session) =>
          inReadTransaction(session, () => behind(session, first, () => session.value<string>(query, values))),
        )
  return toFacts((await withRetries(context.db, ask)) as string)
}
