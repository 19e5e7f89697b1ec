import { callerIn, NO_CALLER } from '../model/any-caller.ts'
import { tenantIn } from '../model/any-tenant.ts'
import type { Changes } from '../planning/diff/changes.ts'
import { type Counter, checkedStart, countersOf, giveNumbers } from '../rules/stages/new-numbers.ts'
import { setBehindNumbers } from '../rules/stages/set-values.ts'
import { isUnknownTable } from '../session/database-errors.ts'
import { kyselyTransaction } from '../session/kysely-transaction.ts'
import { pipelineAll, type Session } from '../session/session.ts'
import { causeOf } from '../session/statement-error.ts'
import { whileRulesRun } from '../session/while-rules-run.ts'
import { NUMBERS_TABLE, ownTableMissing } from '../sql/text/own-tables.ts'
import type { WriteCall, WriteParts } from './write-call.ts'

/**
 * Whether new rows among the changes get numbers. They are taken in the transaction of the write, so no short cut has them. A row that comes back
 * has its number.
 */
export function takesNumbers({ rules }: Pick<WriteParts, 'rules'>, { inserts, areRestored }: Changes): boolean {
  if (rules === undefined || rules.scope.numbered.size === 0 || areRestored === true) return false
  return inserts.some(({ resource }) => rules.scope.numbered.has(resource.key))
}

/**
 * Gives new rows their numbers. The counters are locked until the transaction ends, in one order, so that writers wait for each other, and never
 * in a circle.
 */
export async function takeNumbers(
  parts: WriteParts,
  session: Session,
  { requestContext, now }: WriteCall,
  { inserts }: Changes,
): Promise<void> {
  const { rules } = parts
  if (rules === undefined) return
  const asking = { caller: callerIn(requestContext) ?? NO_CALLER, tenant: tenantIn(requestContext), now }
  const counters = countersOf(rules, inserts, asking)
  const take = counters.map((counter) => async () => {
    giveNumbers(inserts, counter, await lastOf(parts, session, counter))
  })
  try {
    if (counters.every(({ member }) => typeof member.start === 'number')) await pipelineAll(session, take)
    else for (const one of take) await one()
    setBehindNumbers(rules, inserts, asking)
  } catch (error) {
    throw isUnknownTable(causeOf(error), NUMBERS_TABLE)
      ? new Error(ownTableMissing(NUMBERS_TABLE), { cause: error })
      : error
  }
}

/** Takes numbers for all rows of a counter. Resolves to the last one. */
async function lastOf({ rules, context }: WriteParts, session: Session, counter: Counter): Promise<number> {
  const { next, nextIfKnown } = (rules as NonNullable<typeof rules>).statements.numbers()
  const { key, member, rows } = counter
  const { start } = member
  const count = rows.length
  const beginAt = async (first: number) => {
    const last = await session.value(next, { ...key, count, last: first - 1 + count })
    // A driver may return an integer as a text.
    return Number(last)
  }
  if (typeof start === 'number') return await beginAt(start)
  const last = await session.value(nextIfKnown, { ...key, count })
  if (last !== undefined) return Number(last)
  const input = { ...(rows[0] as Counter['rows'][number]).input, db: kyselyTransaction(context.db, session) }
  // Another writer may have begun in the meantime: then its numbers go on.
  return await beginAt(checkedStart(counter, await whileRulesRun(context.db, async () => await start(input))))
}
