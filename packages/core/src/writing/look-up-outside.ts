import { type Facts, type Lookups, noLookups } from '../planning/decide/lookups.ts'
import { withRetries } from '../session/retries.ts'
import { behind } from '../session/session.ts'
import { inReadTransaction } from '../session/transaction.ts'
import type { Prepared, Values } from '../sql/text/prepare.ts'
import { forMany } from './plan-write.ts'
import type { WriteParts } from './write-call.ts'

/** Asks the database outside of the write's transaction about so many rows, and tries again as all reads do. */
export async function lookUpOutside(
  parts: WriteParts,
  lookups: Partial<Lookups>,
  requestContext: unknown,
  rows = 1,
): Promise<Facts> {
  const { query, values, toFacts } = parts.statements.lookup({ ...noLookups, ...lookups })
  return toFacts((await askOutside(parts, query, values, requestContext, rows)) as string)
}

/** Has the only value of a query about so many rows. */
export async function askOutside(
  parts: WriteParts,
  query: Prepared,
  values: Values,
  requestContext: unknown,
  rows: number,
): Promise<string | undefined> {
  const { context, sessions } = parts
  const first = forMany(parts, rows)
  const ask = () =>
    first === undefined
      ? sessions.value<string>(query, values, requestContext)
      : sessions.use(requestContext, (session) =>
          inReadTransaction(session, () => behind(session, first, () => session.value<string>(query, values))),
        )
  return await withRetries(context.db, ask)
}
