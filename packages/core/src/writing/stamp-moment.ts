import type { OrderedChanges } from '../planning/order/ordered.ts'
import type { Session } from '../session/session.ts'
import type { WriteStatements } from '../sql/write-statements.ts'

/**
 * Gives the records that are marked as deleted their moment: one for all of a write, by which they are known to be deleted together. No record that
 * an owner among them has lost before has the same, whatever the clocks say and whatever the columns round: with it, that one would come back.
 */
export async function withMoment(
  statements: Pick<WriteStatements, 'stampTaken'>,
  session: Session,
  ordered: OrderedChanges,
  now: Date,
): Promise<OrderedChanges> {
  const owners = ordered.steps.flatMap((step) =>
    step.step === 'stamp' ? step.resource.owns.map((owns) => ({ owns, ids: step.ids })) : [],
  )
  const time = now.getTime()
  let later = 0
  const at = () => new Date(time + later).toISOString()
  while (owners.length > 0) {
    const { query, values } = statements.stampTaken(owners, at())
    if ((await session.rows(query, values)).length === 0) break
    later = later * 2 + 1
  }
  return {
    ...ordered,
    steps: ordered.steps.map((step) => (step.step === 'stamp' ? { ...step, at: at() } : step)),
  }
}
