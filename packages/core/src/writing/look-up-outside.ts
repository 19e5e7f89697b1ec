import { type Facts, type Lookups, noLookups } from '../planning/decide/lookups.ts'
import { withRetries } from '../session/retries.ts'
import { behind } from '../session/session.ts'
import { inReadTransaction } from '../session/transaction.ts'
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
